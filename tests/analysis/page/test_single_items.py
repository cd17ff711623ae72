"""Single sets and items on a page: the worst pairs, what probes take for what, wrong items."""

import numpy as np
import pytest

from polyprobe.analysis.page.single_items import (
    minimal_set_panels,
    predictions_panels,
    worst_pairs,
)
from polyprobe.runs.directory import RunDirectory
from tests.analysis.handmade import predicted_run, predictions
from tests.analysis.handmade_minimal_sets import minimal_set_run, set_scores


def test_the_worst_pairs_come_lowest_first_and_have_the_nearest_variant():
    scores = set_scores("agreement", {"s1": [9.0, 9.0, 9.0], "s2": [1.0, -3.0, -2.0]})
    pairs = worst_pairs(scores, "sum", 2)
    assert [pair[2:] for pair in pairs] == [["2", "-3.00"], ["3", "-2.00"]]
    assert pairs[0][:2] == ["set 2 good", "set 2 bad"]


def test_a_set_that_is_left_out_is_no_pair():
    scores = set_scores("agreement", {"s1": [1.0, -3.0]}, left_out=np.array(["", "alone"]))
    assert [number for _, _, number, _ in worst_pairs(scores, "sum", 5)] == ["1"]


def test_of_several_variants_the_likeliest_is_shown():
    scores = set_scores(
        "agreement",
        {"s1": [1.0]},
        sentences=np.array(["he runs", "he run", "he ran"]),
        set_of_sentence=np.zeros(3, dtype=np.int64),
        sums=np.log(2) * np.array([[-5.0, -7.0, -6.0]]),
        focuses=np.zeros((1, 3)),
        n_tokens=np.full(3, 2),
        n_characters=np.full(3, 7),
    )
    assert worst_pairs(scores, "sum", 5) == [["he runs", "he ran", "1", "1.00"]]


def test_pairs_are_folded_by_construction(tmp_path):
    run = RunDirectory(minimal_set_run(tmp_path, "clams", set_scores("agreement", {"s1": [1.0, -3.0]})))
    (panel,) = minimal_set_panels(run, run.rows())
    ((title, table),) = panel.folds.items()
    assert title == "agreement: 2 pairs"
    assert table.rows[0] == ["set 2 good", "set 2 bad", "2", "-3.00"]


def tables(tmp_path, right, **fields):
    run = RunDirectory(predicted_run(tmp_path, "run", predictions("Case", right, **fields)))
    (panel,) = predictions_panels(run, run.rows())
    ((title, table),) = panel.folds.items()
    return title, [[list(map(str, line)) for line in table.rows]], [table]


def test_fifty_errors_are_shown(tmp_path):
    title, (*_, errors), (*_, table) = tables(tmp_path, {"1": [[0] * 60]})
    assert (title, len(errors), table.title) == ("Case, 1: 60 of 60 items wrong", 50, "Errors, the first 50")


@pytest.mark.parametrize(("layers", "is_selected"), [(("0",), False), (("0", "1"), True)])
def test_a_layer_is_selected_where_there_are_several(tmp_path, layers, is_selected):
    run = RunDirectory(predicted_run(tmp_path, "run", predictions("Case", {layer: [[1, 0]] for layer in layers})))
    (panel,) = predictions_panels(run, run.rows())
    assert ("selected on dev" in panel.title_of_folds) == is_selected


@pytest.mark.parametrize(
    ("item", "cell"),
    [("a b c\t1", "a [b] c"), ("a b\t0", "[a] b"), ("a b\t2", "a b\t2"), ("one\tother", "one\tother"), ("a", "a")],
)
def test_a_word_in_its_sentence_is_in_brackets(tmp_path, item, cell):
    *_, (*_, errors) = tables(tmp_path, {"1": [[0, 1]]}, inputs=np.array([item, "b"]))
    assert errors.rows[0][1] == cell
