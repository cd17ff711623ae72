import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from polyprobe.analysis.neurons.ablations import (
    full_point,
    kept_orders,
    kept_sizes,
    predicted_from_first,
    studied_test,
    with_control_labels,
    zeroed_points,
)
from polyprobe.analysis.neurons.rankings import Ranking
from polyprobe.probing.baselines.columns import control_test
from tests.analysis.neurons.handmade_neurons import PLANTED, planted
from tests.analysis.neurons.neuron_options import settings

OTHERS = [neuron for neuron in range(12) if neuron not in PLANTED]
BEST_FIRST = Ranking("weights", np.array([*PLANTED, *OTHERS]), None)


def points(*rankings, sizes=(1, 2, 5, 10)):
    probed = planted()
    return {
        (point.ranking, point.kept, point.n_neurons): point
        for point in zeroed_points(probed, list(kept_orders(rankings)), sizes)
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
    assert (point.ranking, point.kept, point.n_neurons, point.n_seeds) == ("weights", "top", 5, 1)


def test_a_random_ranking_has_one_end():
    drawn = Ranking("random", np.arange(12), None)
    ends = [(order.name, order.kept) for order in kept_orders([BEST_FIRST, drawn])]
    assert ends == [("weights", "top"), ("weights", "bottom"), ("random", "random")]


def test_the_bottom_begins_with_the_last_neuron():
    _, bottom = kept_orders([BEST_FIRST])
    assert bottom.order.tolist() == [*reversed(OTHERS), 9, 6]


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
    (top,) = zeroed_points(probed, list(kept_orders([BEST_FIRST]))[:1], [2])
    for point in (full, top):
        assert (point.accuracy, point.dev_accuracy, point.n_seeds) == (
            pytest.approx((1 + 26 / 40) / 2),
            pytest.approx((1 + 27 / 40) / 2),
            2,
        )
        assert point.correct.tolist() == [0.5 if row % 3 == 0 else 1.0 for row in range(120, 160)]


def test_control_labels_are_those_that_the_run_drew():
    weights = np.zeros((1, 2, 12), np.float32)
    probed = planted(control_weights=weights, control_biases=np.zeros((1, 2), np.float32))
    control = with_control_labels(probed, 1)
    drawn = control_test(probed.test, 1)
    assert control.label_ids["train"].tolist() == list(drawn.train.label_ids)
    assert control.label_ids["train"].tolist() != probed.label_ids["train"].tolist()
    assert control.weights is weights


@pytest.mark.parametrize(("is_kept", "names", "n_points"), [(True, ["weights", "random"], 6), (False, ["weights"], 0)])
def test_neurons_are_ranked_by_weights_alone_where_none_are_kept(is_kept, names, n_points):
    asked = settings(rankings=["weights", "random"], shares=[0.16, 0.5])
    found = studied_test(planted(), asked, 1, is_kept)
    assert [ranking.name for ranking in found.rankings] == names
    assert len(found.points) == n_points
    assert (found.by_weights.name, found.full.accuracy, found.full_control) == ("weights", 1, None)
