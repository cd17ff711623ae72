from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from polyprobe.analysis.neurons.ablations import (
    AblationPoint,
    KeptNeurons,
    full_point,
    kept_orders,
    kept_sizes,
    minimal_point,
    predicted_from_first,
    retrained_points,
    with_control_labels,
    zeroed_points,
)
from polyprobe.analysis.neurons.rankings import Ranking
from polyprobe.probing.bank.bank import bank_trainer, train_bank
from polyprobe.probing.bank.outcome_cache import KeptOutcomes
from polyprobe.probing.baselines.columns import control_test
from tests.analysis.neurons.handmade_neurons import PLANTED, planted
from tests.analysis.neurons.linear_spec import linear_spec

OTHERS = [neuron for neuron in range(12) if neuron not in PLANTED]
BEST_FIRST = Ranking("weights", np.array([*PLANTED, *OTHERS]), None)


def points(*rankings, sizes=(1, 2, 5, 10)):
    probed = planted()
    return {
        (point.ranking, point.kept, point.n_neurons): point
        for point in zeroed_points(probed, list(kept_orders(rankings, 12)), sizes)
    }


def test_the_planted_neurons_alone_do_as_well_as_all():
    assert full_point(planted()).accuracy == 1
    assert points(BEST_FIRST)["weights", "top", 2].accuracy == 1


def test_without_the_planted_neurons_every_item_is_taken_for_the_label_of_the_larger_bias():
    """Test has the items 120 to 159, of which 120, 123, … are "b": 14 of 40."""
    at_10 = points(BEST_FIRST)["weights", "bottom", 10]
    assert at_10.accuracy == pytest.approx(26 / 40)
    assert at_10.correct.tolist() == [0.0 if row % 3 == 0 else 1.0 for row in range(120, 160)]
    assert at_10.dev_accuracy == pytest.approx(27 / 40)  # 80 to 119: 81, 84, …, 117 are "b"


def test_a_point_says_what_was_kept():
    point = points(BEST_FIRST)["weights", "top", 5]
    assert (point.test, point.epoch, point.manner, point.n_seeds) == ("Planted", None, "zeroed", 1)


def test_a_random_ranking_has_one_end_and_one_that_leaves_neurons_out_has_no_bottom():
    shorter = Ranking("gaussian", np.array(PLANTED), None)
    drawn = Ranking("random", np.arange(12), None)
    ends = [(order.name, order.kept) for order in kept_orders([BEST_FIRST, shorter, drawn], 12)]
    assert ends == [("weights", "top"), ("weights", "bottom"), ("gaussian", "top"), ("random", "random")]


def test_the_bottom_begins_with_the_last_neuron():
    _, bottom = kept_orders([BEST_FIRST], 12)
    assert bottom.order.tolist() == [*reversed(OTHERS), 9, 6]


def test_a_shorter_order_has_points_up_to_its_length():
    found = points(Ranking("gaussian", np.array(PLANTED), None))
    assert list(found) == [("gaussian", "top", 1), ("gaussian", "top", 2)]


@pytest.mark.parametrize(
    ("shares", "sizes"),
    [([0.001, 0.01], [1, 3]), ([0.001, 0.002, 0.5], [1, 100]), ([1], [200]), ([0.29, 0.07], [14, 58])],
)
def test_a_share_is_rounded_up_and_each_size_comes_once(shares, sizes):
    assert kept_sizes(shares, 300 if sizes == [1, 3] else 200) == sizes


@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.integers(2, 4), st.sampled_from([torch.float32, torch.float16]))
def test_keeping_columns_is_zeroing_the_weights_of_the_others(seed, n_neurons, n_labels, number):
    generator = np.random.default_rng(seed)
    # Eighths: sums of their products are exact, so that equal scores are equal in any order.
    vectors, weights, biases = (
        generator.integers(-8, 9, shape) / 8 for shape in [(7, n_neurons), (n_labels, n_neurons), (n_labels,)]
    )
    order = generator.permutation(n_neurons)
    sizes = sorted(set(generator.integers(1, n_neurons + 1, 3).tolist()))
    found = predicted_from_first(
        torch.from_numpy(vectors).to(number), weights.astype(np.float32), biases.astype(np.float32), order, sizes
    )
    for size, predicted in zip(sizes, found, strict=True):
        masked = weights.copy()
        masked[:, order[size:]] = 0
        assert predicted.tolist() == (vectors @ masked.T + biases).argmax(axis=1).tolist()


def test_more_columns_than_are_copied_at_a_time_are_all_added():
    """Each neuron has the value 1 and the weight 1 for label 1, whose bias is 600 - 1/2 below that of label 0."""
    vectors, weights = torch.ones(3, 1000), np.stack([np.zeros(1000), np.ones(1000)]).astype(np.float32)
    biases = np.array([599.5, 0], np.float32)
    at_599, at_600 = predicted_from_first(vectors, weights, biases, np.arange(1000), [599, 600])
    assert (at_599.tolist(), at_600.tolist()) == ([0, 0, 0], [1, 1, 1])


def test_of_several_seeds_each_has_its_own_weights_and_points_are_their_means():
    """The second probe weighs nothing: all items are "a", 26 of 40 of test and 27 of dev."""
    one = planted(seeds=(1, 2))
    probed = planted(seeds=(1, 2), weights=np.stack([one.weights[0], np.zeros((2, 12), np.float32)]))
    full = full_point(probed)
    (top,) = zeroed_points(probed, list(kept_orders([BEST_FIRST], 12))[:1], [2])
    for point in (full, top):
        assert (point.accuracy, point.dev_accuracy, point.n_seeds) == (
            pytest.approx((1 + 26 / 40) / 2),
            pytest.approx((1 + 27 / 40) / 2),
            2,
        )
        assert point.correct.tolist() == [0.5 if row % 3 == 0 else 1.0 for row in range(120, 160)]


def point(n_neurons, dev_accuracy, ranking="weights", manner="retrained", kept="top"):
    return AblationPoint("Case", None, ranking, manner, kept, n_neurons, 0.5, dev_accuracy, np.zeros(2), 1)


FULL = point(100, 0.80, "", "zeroed", "all")


@pytest.mark.parametrize(("tolerance", "size"), [(0.2, 1), (0.05, 10), (0.01, 50)])
def test_the_smallest_size_within_the_tolerance_counts(tolerance, size):
    points = [point(1, 0.61), point(10, 0.76), point(50, 0.79), point(80, 0.85)]
    assert minimal_point(points, FULL, "weights", tolerance).n_neurons == size


def test_the_first_that_is_good_enough_counts_though_a_larger_one_is_not():
    assert minimal_point([point(10, 0.80), point(20, 0.70)], FULL, "weights", 0.01).n_neurons == 10


def test_where_no_size_is_good_enough_there_is_none():
    assert minimal_point([point(10, 0.5)], FULL, "weights", 0.01) is None


def test_only_new_probes_of_the_top_of_the_ranking_count():
    others = [point(1, 0.9, "probeless"), point(1, 0.9, manner="zeroed"), point(1, 0.9, kept="bottom")]
    assert minimal_point([*others, point(5, 0.9)], FULL, "weights", 0.01).n_neurons == 5


TOP = Ranking("weights", np.array([*PLANTED, 0, 1, 2]))
BOTTOM = Ranking("weights", np.array([0, 1, 2, *PLANTED]), kept="bottom")
SAME_SET = Ranking("probeless", np.array([*reversed(PLANTED), 0, 1, 2]))


class Trained:
    """Trains jobs and remembers how many of which width."""

    def __init__(self):
        self.widths: list[list[int]] = []

    def __call__(self, jobs):
        self.widths.append([job.data.input_width for job in jobs])
        return train_bank(jobs, 8, bank_trainer("cpu"), lambda done, due: None)


def wanted(order, n_neurons, probed=None, task="test"):
    return KeptNeurons(probed or planted(), order, n_neurons, task, linear_spec())


@pytest.fixture
def kept(tmp_path):
    return KeptOutcomes(tmp_path, {"of": "a test"})


def test_a_new_probe_learns_from_the_planted_neurons_and_not_from_noise(kept):
    top, bottom = retrained_points([wanted(TOP, 2), wanted(BOTTOM, 3)], "planted", Trained(), kept)
    assert (top.accuracy, top.dev_accuracy, top.manner, top.n_neurons) == (1, 1, "retrained", 2)
    assert top.correct.tolist() == [1.0] * 40
    assert bottom.accuracy < 0.85
    assert bottom.accuracy == pytest.approx(bottom.correct.mean())


def test_probes_of_one_width_are_trained_together_and_equal_ones_once(kept):
    train = Trained()
    points = retrained_points([wanted(TOP, 2), wanted(BOTTOM, 3), wanted(SAME_SET, 2)], "planted", train, kept)
    assert train.widths == [[16, 16]]
    assert points[0].correct.tolist() == points[2].correct.tolist()
    assert [point.ranking for point in points] == ["weights", "weights", "probeless"]


def test_what_was_trained_before_is_not_trained_again(kept):
    before = retrained_points([wanted(TOP, 2)], "planted", Trained(), kept)
    train = Trained()
    again = retrained_points([wanted(TOP, 2), wanted(TOP, 3)], "planted", train, kept)
    assert train.widths == [[16]]
    assert again[0].correct.tolist() == before[0].correct.tolist()


def test_another_source_and_other_labels_are_trained_anew(kept):
    train = Trained()
    probed = planted()
    turned = replace(probed, label_ids={split: 1 - ids for split, ids in probed.label_ids.items()})
    for one, source in [(probed, "planted"), (probed, "others"), (turned, "planted")]:
        retrained_points([wanted(TOP, 2, one)], source, train, kept)
    assert train.widths == [[16], [16], [16]]


def test_each_seed_has_a_probe_and_the_accuracy_is_their_mean(kept):
    train = Trained()
    (point,) = retrained_points([wanted(BOTTOM, 3, planted(seeds=(1, 2)))], "planted", train, kept)
    alone = [
        retrained_points([wanted(BOTTOM, 3, planted(seeds=(seed,)))], "planted", train, kept)[0] for seed in (1, 2)
    ]
    assert point.n_seeds == 2
    assert train.widths == [[16, 16]]  # those alone are kept
    assert point.correct.tolist() == [(one + two) / 2 for one, two in zip(*(of.correct for of in alone), strict=True)]


def test_a_probe_sees_the_items_of_its_test_alone():
    probed = planted()
    more = torch.cat([torch.full((5, 12), 99.0), probed.vectors])
    moved = replace(probed, vectors=more, rows={split: rows + 5 for split, rows in probed.rows.items()})
    (job,) = wanted(TOP, 2, moved).jobs()
    assert job.data.vectors[:, :2].tolist() == probed.vectors[:, list(PLANTED)].tolist()
    assert job.data.vectors[:, 2:].tolist() == [[0.0] * 14] * 160
    assert job.data.test_rows.tolist() == [[row] for row in range(120, 160)]


def test_control_labels_are_those_that_the_run_drew():
    weights = np.zeros((1, 2, 12), np.float32)
    probed = planted(control_weights=weights, control_biases=np.zeros((1, 2), np.float32))
    control = with_control_labels(probed, 1)
    drawn = control_test(probed.test, 1)
    assert control.label_ids["train"].tolist() == list(drawn.train.label_ids)
    assert control.label_ids["train"].tolist() != probed.label_ids["train"].tolist()
    assert control.weights is weights
