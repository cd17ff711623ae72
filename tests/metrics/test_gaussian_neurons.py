"""Neurons chosen by a Gaussian probe, against densities of scipy for every candidate at every step."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyprobe.errors import BadValue, Impossible, UnknownChoice
from polyprobe.metrics.gaussian_neurons import COVARIANCES, LabelledVectors, gaussian_order
from tests.metrics.plain_gaussians import examples, information, log_posteriors


def assert_best_at_each_step(train, judged, n_labels, order, bits, covariance):
    """Compares what is chosen with all that could be: by their information, for two may tell the same."""
    for step, value in enumerate(bits):
        before, others = list(order[:step]), set(range(train.vectors.shape[1])) - set(order[:step])
        values = {one: information(train, judged, n_labels, [*before, one], covariance) for one in others}
        assert values[order[step]] == pytest.approx(max(values.values()), abs=1e-6)
        assert value == pytest.approx(values[order[step]], abs=1e-6)


@pytest.mark.parametrize("covariance", COVARIANCES)
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(10, 60), st.integers(1, 6), st.integers(2, 4))
def test_each_neuron_is_the_best_of_all_candidates(covariance, seed, n_items, width, n_labels):
    train = examples(seed, n_items, width, n_labels)
    order, bits = gaussian_order(train.vectors, train.label_ids, n_labels, width, covariance=covariance)
    assert sorted(order) == list(range(width))
    assert_best_at_each_step(train, train, n_labels, order, bits, covariance)


@pytest.mark.parametrize("covariance", COVARIANCES)
def test_neurons_are_chosen_by_other_examples_where_these_are_given(covariance):
    everything = examples(4, 150, 8, 3)
    train, dev = (
        LabelledVectors(everything.vectors[part], everything.label_ids[part]) for part in (slice(90), slice(90, 150))
    )
    order, bits = gaussian_order(train.vectors, train.label_ids, 3, 6, dev, covariance)
    assert_best_at_each_step(train, dev, 3, order, bits, covariance)
    assert list(order) != list(gaussian_order(train.vectors, train.label_ids, 3, 6, None, covariance)[0])


def planted(n_items, width, informative):
    random = np.random.default_rng(n_items)
    label_ids = random.integers(3, size=n_items)
    vectors = random.normal(size=(n_items, width)).astype(np.float32)
    for neuron, strength in informative.items():
        vectors[:, neuron] += strength * random.permutation(3)[label_ids]
    return vectors, label_ids


def test_planted_neurons_are_found_among_many_the_strongest_first():
    vectors, label_ids = planted(3000, 300, {17: 2.0, 250: 1.2, 299: 0.7})
    before = vectors.copy()
    order, bits = gaussian_order(vectors, label_ids, 3, 4)
    assert list(order[:3]) == [17, 250, 299]
    assert bits[3] - bits[2] < 0.01 < bits[2] - bits[1]
    assert np.array_equal(vectors, before)


def test_a_neuron_known_by_its_variance_alone_is_found():
    random = np.random.default_rng(3)
    label_ids = random.integers(2, size=500)
    vectors = random.normal(size=(500, 20))
    vectors[:, 11] *= 1 + 3 * label_ids
    assert gaussian_order(vectors, label_ids, 2, 1)[0] == [11]


def test_a_copy_tells_nothing_more():
    vectors, label_ids = planted(400, 12, {2: 1.5, 7: 0.5})
    vectors[:, 9] = vectors[:, 2]
    order, _ = gaussian_order(vectors, label_ids, 3, 2)
    assert list(order) == [2, 7]  # of equals the first


def test_linear_functions_of_chosen_neurons_and_constants_break_nothing():
    vectors, label_ids = planted(300, 6, {0: 1.0, 1: 1.0})
    vectors[:, 2] = 3 * vectors[:, 0] - vectors[:, 1]
    vectors[:, 3] = 0.1
    vectors[:, 4] = 1e4 * vectors[:, 1] + 7
    _, bits = gaussian_order(vectors, label_ids, 3, 6)
    assert np.isfinite(bits).all()
    constant_order, constant_bits = gaussian_order(vectors[:, [3, 0]], label_ids, 3, 2)
    assert list(constant_order) == [1, 0]
    assert constant_bits[1] == pytest.approx(constant_bits[0], abs=1e-12)
    # Without the copies and the constant all that is known is there after 0, 1 and 5.
    _, independent = gaussian_order(vectors[:, [0, 1, 5]], label_ids, 3, 3)
    assert bits[5] == pytest.approx(independent[2], abs=0.05)


def test_a_neuron_constant_within_a_label_alone_tells_that_label():
    vectors, label_ids = planted(200, 5, {0: 1.0})
    vectors[label_ids == 1, 3] = 0.25
    order, bits = gaussian_order(vectors, label_ids, 3, 1)
    assert order[0] == 3
    # Whether it is label 1 is known: the entropy of that alone, nearly.
    share = (label_ids == 1).mean()
    assert bits[0] == pytest.approx(-share * np.log2(share) - (1 - share) * np.log2(1 - share), abs=0.05)


def test_an_item_far_from_its_label_is_counted_as_it_is():
    # One of 2,000 items has its label's odds lowered by more than e to the 88th, which float32 does not hold; its
    # neuron is the best nonetheless.
    random = np.random.default_rng(8)
    label_ids = np.tile([0, 1], 1000)
    vectors = random.normal(size=(2000, 4)) + 0.3 * label_ids[:, None]
    vectors[:, 2] += 4 * label_ids
    vectors[:, 2] *= 1 + label_ids
    train = LabelledVectors(vectors, label_ids)
    dev = LabelledVectors(vectors.copy(), label_ids)
    dev.vectors[0, 2] = 25
    order, bits = gaussian_order(vectors, label_ids, 2, 4, dev)
    assert order[0] == 2
    assert -log_posteriors(train, dev, 2, [2], "posterior_mean")[0, 0] > 200
    assert_best_at_each_step(train, dev, 2, order, bits, "posterior_mean")


def test_the_order_is_that_of_the_items_in_any_order_of_labels_in_any_order_and_of_other_units():
    train = examples(5, 400, 40, 3)
    order, bits = gaussian_order(train.vectors, train.label_ids, 3, 10)
    shuffled = np.random.default_rng(1).permutation(len(train.label_ids))
    renamed = np.array([2, 0, 1])[train.label_ids]
    rescaled = train.vectors * np.linspace(-3, 50, 40) + 4
    for vectors, label_ids in [
        (train.vectors[shuffled], train.label_ids[shuffled]),
        (train.vectors, renamed),
        (rescaled, train.label_ids),
    ]:
        other_order, other_bits = gaussian_order(vectors, label_ids, 3, 10)
        assert list(other_order) == list(order)
        assert other_bits == pytest.approx(bits, abs=1e-6)


def test_float16_is_read_as_the_numbers_it_holds():
    vectors, label_ids = planted(300, 20, {3: 1.0, 8: 0.5})
    halves = vectors.astype(np.float16)
    order, bits = gaussian_order(halves, label_ids, 3, 5)
    exact_order, exact_bits = gaussian_order(halves.astype(np.float64), label_ids, 3, 5)
    assert list(order) == list(exact_order)
    assert np.array_equal(bits, exact_bits)


def test_one_label_is_refused():
    with pytest.raises(Impossible, match="at least two labels; found 1"):
        gaussian_order(np.ones((4, 3)), np.zeros(4, int), 1, 2)


def test_a_label_with_one_example_is_refused():
    with pytest.raises(Impossible, match="label number 1 has 1 of 4"):
        gaussian_order(np.ones((4, 3)), np.array([0, 0, 1, 0]), 2, 2)


def test_more_neurons_than_there_are_and_unknown_covariances_are_refused():
    vectors, label_ids = planted(30, 4, {})
    with pytest.raises(BadValue, match="must be 1 to 4, the number of neurons, got 5"):
        gaussian_order(vectors, label_ids, 3, 5)
    with pytest.raises(UnknownChoice, match="Did you mean released"):
        gaussian_order(vectors, label_ids, 3, 2, covariance="release")


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_value_that_is_no_finite_number_is_refused(value):
    vectors, label_ids = planted(30, 4, {})
    damaged = vectors.copy()
    damaged[3, 2] = value
    with pytest.raises(Impossible, match="not a finite number"):
        gaussian_order(damaged, label_ids, 3, 2)
    with pytest.raises(Impossible, match="not a finite number"):
        gaussian_order(vectors, label_ids, 3, 2, LabelledVectors(damaged, label_ids))
