"""Selections and rankings of neurons, against working by hand, enumeration and scikit-learn."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import average_precision_score

from polyprobe.errors import PolyprobeError
from polyprobe.metrics import neurons
from polyprobe.metrics.neurons import (
    average_precisions,
    mean_select,
    ordering,
    probeless,
    random_order,
    ranked,
    top_neurons,
    union,
)

# Two classes of 10 each. Falling: 0, 1, 2, 3 (4, 7, 9, 10 together) and 3, then three equal ones (7, 8, 9, 10).
TWO_CLASSES = np.array([[4, -3, 2, -1, 0], [1, 1, -1, 7, 0]], dtype=np.float32)

# Whole weights and eighths as shares: no sum is rounded.
WHOLE_WEIGHTS = arrays(np.int64, st.tuples(st.integers(1, 3), st.integers(1, 6)), elements=st.integers(-9, 9))
EIGHTHS = st.integers(0, 8).map(lambda eighths: eighths / 8)


def sums_of(row, n):
    return [sum(chosen) for chosen in combinations(row, n)]


@pytest.mark.parametrize(
    ("share", "expected"), [(0, [0]), (0.4, [0]), (0.5, [0, 1]), (0.7, [0, 1]), (0.75, [0, 1, 2]), (1, [0, 1, 2, 3])]
)
def test_the_neuron_that_reaches_the_share_is_the_last_one(share, expected):
    assert top_neurons(TWO_CLASSES, share)[0] == expected


@given(WHOLE_WEIGHTS, EIGHTHS)
def test_top_neurons_are_the_fewest_that_hold_the_share(weights, share):
    for row, found in zip(np.abs(weights).tolist(), top_neurons(weights, share), strict=True):
        fewest = next(n for n in range(1, len(row) + 1) if max(sums_of(row, n)) >= share * sum(row))
        assert len(found) == len(set(found)) == fewest
        assert sum(row[neuron] for neuron in found) == max(sums_of(row, fewest))


def test_a_class_without_weights_selects_one_neuron_at_every_share():
    weights = np.array([[0, 0, 0], [1, 2, 3]], dtype=np.float32)
    assert [top_neurons(weights, share)[0] for share in (0, 0.5, 1)] == [[2], [2], [2]]


def test_the_union_has_each_neuron_once():
    assert union([[3, 0], [], [3, 2]]).tolist() == [0, 2, 3]


def test_neurons_stand_in_the_order_in_which_they_enter():
    found = ordering(TWO_CLASSES, 2)
    # At 0: 0 and 3, of which 3 is the larger; at 1/2: 1; at 1: 2; never: 4.
    assert found.tolist() == [3, 0, 1, 2, 4]


def test_within_a_step_the_smaller_share_comes_first_then_the_larger_weight():
    # All but the largest of each class enter between 0 and 1: after 6 of 10 neuron 1, after 9 of 10 neurons 2 and 3.
    weights = np.array([[6, 3, 1, 0], [18, 0, 0, 2]], dtype=np.float32)
    assert ordering(weights, 1).tolist() == [0, 1, 3, 2]


@given(WHOLE_WEIGHTS, st.integers(1, 8))
def test_the_steps_of_an_ordering_are_the_unions_of_top_neurons(weights, stride):
    found = ordering(weights, stride)
    assert sorted(found.tolist()) == list(range(weights.shape[1]))
    for step in range(stride + 1):
        selected = union(top_neurons(weights, step / stride)).tolist()
        assert sorted(found[: len(selected)].tolist()) == selected


def test_an_ordering_of_many_neurons_selects_in_float32_as_top_neurons_does():
    weights = np.random.default_rng(1).normal(size=(2, 5000)).astype(np.float32)
    found = ordering(weights, 7)
    for step in range(8):
        selected = union(top_neurons(weights, step / 7)).tolist()
        assert sorted(found[: len(selected)].tolist()) == selected


def test_probeless_sums_the_distances_of_means():
    # Means 0, 1 and 3 in the first neuron; the second says nothing.
    vectors = np.array([[-1, 5], [1, 5], [1, 5], [3, 5]], dtype=np.float32)
    scores, by_label = probeless(vectors, np.array([0, 0, 1, 2]), 3)
    assert scores.tolist() == [6, 0]
    assert by_label.tolist() == [[4, 0], [3, 0], [5, 0]]


@given(st.integers(2, 5), st.integers(0, 9))
def test_probeless_is_the_sum_over_all_pairs_far_from_zero_too(n_labels, seed):
    random = np.random.default_rng(seed)
    label_ids = np.append(np.arange(n_labels), random.integers(n_labels, size=10))
    vectors = random.normal(size=(len(label_ids), 4)) + 1000
    means = [vectors[label_ids == label].mean(axis=0) for label in range(n_labels)]
    scores, by_label = probeless(vectors, label_ids, n_labels)
    assert scores == pytest.approx(sum(np.abs(one - other) for one, other in combinations(means, 2)), rel=1e-9)
    for label, of_label in enumerate(by_label):
        assert of_label == pytest.approx(sum(np.abs(means[label] - other) for other in means), rel=1e-9)


def test_mean_select_counts_distances_in_ranges():
    # Means 1 and 7 of numbers from 0 to 10, the label's against the rest; the second neuron is constant.
    vectors = np.array([[0, 5], [2, 5], [4, 5], [10, 5]], dtype=np.float32)
    scores, by_label = mean_select(vectors, np.array([0, 0, 1, 1]), 2)
    assert by_label == pytest.approx(np.array([[0.6, 0], [0.6, 0]]))
    assert scores == pytest.approx([0.6, 0])


def test_mean_select_keeps_down_what_is_constant_but_for_rounding():
    noise = np.array([[0.0], [0.0], [1e-9], [1e-9]])
    assert mean_select(noise, np.array([0, 0, 1, 1]), 2)[0] == pytest.approx([1 / 101])


def test_mean_select_holds_a_label_against_all_items_of_the_others():
    # 1 against the mean of 0, 0 and 6, which is 2; ranges are 6.
    _, by_label = mean_select(np.array([[1.0], [0.0], [0.0], [6.0]]), np.array([0, 1, 1, 2]), 3)
    assert by_label[0] == pytest.approx([1 / 6])


@pytest.mark.parametrize("method", [probeless, mean_select, average_precisions])
def test_a_label_without_items_has_no_scores_and_changes_none(method):
    vectors = np.random.default_rng(0).normal(size=(8, 3))
    of_two, by_two = method(vectors, np.array([0, 1] * 4), 2)
    of_three, by_three = method(vectors, np.array([0, 2] * 4), 3)
    assert of_three.tolist() == of_two.tolist()
    assert by_three[[0, 2]].tolist() == by_two.tolist()
    assert np.isnan(by_three[1]).all()


def test_an_average_precision_is_the_mean_precision_at_the_positive_items():
    # Falling: positive, negative, positive; 1 and 2 of 3 are right.
    vectors = np.array([[3.0], [2.0], [1.0]])
    assert average_precisions(vectors, np.array([1, 0, 1]), 2)[1][1] == pytest.approx([(1 + 2 / 3) / 2])


@given(
    arrays(np.int64, st.tuples(st.integers(2, 12), st.integers(1, 4)), elements=st.integers(-6, 6)),
    st.integers(0, 99),
)
def test_average_precisions_are_those_of_scikit_learn_with_ties_too(steps, seed):
    vectors = (steps / 50).astype(np.float32)  # 0.02 and 0.04 are silent, 0.06 is not
    label_ids = np.append([1, 0], np.random.default_rng(seed).integers(2, size=len(steps) - 2))
    heard = np.where(np.abs(vectors) < 0.05, 0, vectors)
    expected = [average_precision_score(label_ids == 1, column) for column in heard.T]
    assert average_precisions(vectors, label_ids, 2)[1][1] == pytest.approx(expected)


def test_average_precisions_leave_the_vectors_of_the_caller_alone():
    vectors = np.full((4, 2), 0.01, dtype=np.float32)
    average_precisions(vectors, np.array([1, 0, 1, 0]), 2)
    assert (vectors == np.float32(0.01)).all()


def test_average_precisions_do_not_depend_on_blocks(monkeypatch):
    vectors, label_ids = np.random.default_rng(2).normal(size=(30, 7)), np.arange(30) % 3
    scores, whole = average_precisions(vectors, label_ids, 3)
    monkeypatch.setattr(neurons, "VALUES_PER_BLOCK", 60)
    _, in_blocks = average_precisions(vectors, label_ids, 3)
    assert in_blocks.tolist() == whole.tolist()
    assert scores == pytest.approx(whole.mean(axis=0))


def test_a_ranking_has_the_highest_score_first():
    assert ranked(np.array([0.5, 2.0, 0.5, 1.0])).tolist() == [1, 3, 0, 2]


@pytest.mark.parametrize("method", [probeless, mean_select, average_precisions])
def test_vectors_that_are_not_finite_are_refused(method):
    vectors = np.ones((4, 3))
    vectors[2, 1] = np.nan
    with pytest.raises(PolyprobeError, match="1 neurons have values that are not finite, the first of them neuron 1"):
        method(vectors, np.array([0, 1, 0, 1]), 2)


def test_a_random_order_has_each_neuron_once():
    assert sorted(random_order(50, np.random.default_rng(0)).tolist()) == list(range(50))
