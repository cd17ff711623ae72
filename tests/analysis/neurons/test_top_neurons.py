"""Counts of top neurons by layer, worked out by hand."""

import numpy as np
import pytest

from polyprobe.analysis.neurons.probed_test import NeuronSpace, n_of_share
from polyprobe.analysis.neurons.rankings import Ranking
from polyprobe.analysis.neurons.top_neurons import (
    CONTROL,
    MASS,
    NUMBER,
    TEST,
    LayerCountRow,
    counts_by_mass,
    counts_by_number,
    layer_count_rows,
    read_counts,
)
from polyprobe.analysis.output.tables import write_records

SPACE = NeuronSpace(("0", "1"), (2, 4))
# Half of the mass: 5 of 10 is the first neuron of label a; 6 of 12 the fifth, third and fourth of label b.
FIRST = [[5, 1, 1, 1, 1, 1], [1, 1, 3, 2, 4, 1]]
# 4 of 8 is the second neuron of label a; 3 of 6 three of equal weight of label b, the last ones.
SECOND = [[1, -4, 0, 1, 1, 1], [1, 1, 1, -1, -1, -1]]


def by_mass(*of_seeds, share=0.5):
    return counts_by_mass(np.array(of_seeds, np.float32), np.arange(2), SPACE, share)


def ranking(order: list[int], by_label=None) -> Ranking:
    return Ranking("weights", np.array(order), by_label)


def test_the_share_of_the_mass_is_of_each_label_and_all_are_their_union():
    counts = by_mass(FIRST)
    assert counts.share_of == MASS
    assert counts.of_labels.tolist() == [[[1, 0], [0, 2]]]
    assert counts.of_all.tolist() == [[1, 2]]


def test_a_neuron_of_several_labels_counts_once():
    counts = by_mass([FIRST[0], FIRST[0]])
    assert counts.of_labels.tolist() == [[[1, 0], [1, 0]]]
    assert counts.of_all.tolist() == [[1, 0]]


def test_a_label_without_train_items_has_no_top_neurons():
    counts = counts_by_mass(np.array([FIRST], np.float32), np.array([1]), SPACE, 0.5)
    assert counts.of_labels.tolist() == [[[0, 0], [0, 2]]]
    assert counts.of_all.tolist() == [[0, 2]]


def test_seeds_are_averaged_and_a_failed_one_is_left_out():
    counts = by_mass(FIRST, SECOND, np.full((2, 6), np.nan))
    assert counts.of_all.tolist() == [[1, 2], [1, 3]]
    assert counts.numbers.tolist() == [1, 2.5]
    assert counts.n_top == 3.5
    np.testing.assert_allclose(counts.percent_of_top, [100 / 3.5, 250 / 3.5])
    np.testing.assert_allclose(counts.percent_if_even, [100 / 3, 200 / 3])


def test_the_share_of_the_number_is_the_start_of_the_ranking():
    counts = counts_by_number(ranking([5, 0, 1, 2, 3, 4], ([0, 1, 2, 3, 4, 5], [2, 3, 4, 5, 0, 1])), SPACE, 0.5)
    assert (counts.share_of, counts.of_all.tolist()) == (NUMBER, [[2, 1]])
    assert counts.of_labels.tolist() == [[[2, 1], [0, 3]]]


def test_a_ranking_without_labels_has_no_counts_of_labels():
    counts = counts_by_number(ranking([4, 1, 5, 0, 2, 3]), SPACE, 0.5)
    assert counts.of_all.tolist() == [[1, 2]]
    assert counts.of_labels.shape == (1, 0, 2)
    assert len(layer_count_rows(counts, ("Case", None, TEST), "random", ["a", "b"])) == 2


@pytest.mark.parametrize(("share", "expected"), [(0.2, 538), (0.1, 269), (0.5, 1344), (0.0001, 1), (1, 2688)])
def test_a_share_of_the_number_is_rounded_up(share, expected):
    assert n_of_share(2688, share) == expected


def test_a_row_has_shares_and_what_is_expected_by_chance():
    rows = layer_count_rows(by_mass(FIRST, SECOND), ("Case", 3, CONTROL), "weights", ["a", "b"])
    assert [(row.label, row.layer, row.neurons) for row in rows] == [
        (None, "0", 1),
        (None, "1", 2.5),
        ("a", "0", 1),
        ("a", "1", 0),
        ("b", "0", 0),
        ("b", "1", 2.5),
    ]
    row = rows[1]
    assert (row.test, row.epoch, row.task, row.ranking, row.share_of, row.share) == (
        "Case",
        3,
        CONTROL,
        "weights",
        MASS,
        0.5,
    )
    assert (row.width, row.share_of_layer) == (4, 0.625)
    assert row.sd == pytest.approx(np.sqrt(0.5))
    assert row.share_of_top == pytest.approx(2.5 / 3.5)
    # Of 3.5, rounded to 4, neurons two thirds lie in layer 1; with but two neurons elsewhere, at least two do.
    assert row.expected == pytest.approx(8 / 3)
    assert (row.low, row.high) == (2, 4)


def test_a_label_that_could_not_be_ranked_has_no_top_neurons():
    counts = counts_by_number(ranking([5, 0, 1, 2, 3, 4], ([], [2, 3, 4, 5, 0, 1])), SPACE, 0.5)
    rows = layer_count_rows(counts, ("Case", None, TEST), "iou", ["a", "b"])
    assert [(row.neurons, row.share_of_top, row.expected, row.high) for row in rows if row.label == "a"] == [
        (0, None, 0, 0)
    ] * 2
    assert [row.share_of_top for row in rows if row.label == "b"] == [0, 1]


def test_counts_are_read_again_from_their_file(tmp_path):
    of_test, of_control = by_mass(FIRST, SECOND), counts_by_number(ranking([5, 0, 1, 2, 3, 4]), SPACE, 0.5)
    rows = layer_count_rows(of_test, ("Case", 3, TEST), "weights", ["a", "b"])
    rows += layer_count_rows(of_control, ("Case", 3, CONTROL), "weights", [])
    rows += layer_count_rows(of_control, ("Case", 3, TEST), "iou", [])
    file = write_records(tmp_path / "layers.csv", LayerCountRow, rows)
    (found,) = read_counts(file.read_text(encoding="utf-8").splitlines())
    assert (found.test, found.epoch, list(found.of_test), list(found.of_control)) == ("Case", 3, [MASS], [NUMBER])
    assert found.of_test[MASS].numbers.tolist() == of_test.numbers.tolist()
    assert (found.of_test[MASS].layers, found.of_test[MASS].share) == (of_test.layers, 0.5)
    assert found.of_control[NUMBER].widths.tolist() == [2, 4]
