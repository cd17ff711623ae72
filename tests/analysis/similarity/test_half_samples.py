"""Halves of the items, what measures say of them, and the intervals that come of it."""

import numpy as np
import pytest

from polyprobe.analysis.similarity.all_pairs import OF_CENTRED_LAYERS, all_pairs
from polyprobe.analysis.similarity.centred_layer import centred_layer
from polyprobe.analysis.similarity.half_samples import half_samples
from tests.analysis.similarity.made_layers import made_layers, representations
from tests.analysis.similarity.plain_measures import plain_similarity


@pytest.mark.parametrize("n_items", [8, 9, 61, 64, 1000, 2500])
def test_every_half_has_half_of_the_items(n_items):
    samples = half_samples(n_items, 5, 1)
    assert len(set(samples.places.tolist())) == n_items
    assert samples.places.max() < samples.n_rows
    for half in range(5):
        # Groups differ by one item at most.
        assert abs(samples.items(half).sum() - n_items / 2) <= samples.n_groups / 4


def test_halves_differ_and_come_from_the_seed():
    first, second, other = (half_samples(100, 8, seed) for seed in (1, 1, 2))
    assert len({half.tobytes() for half in first.is_drawn}) == 8
    np.testing.assert_array_equal(first.places, second.places)
    np.testing.assert_array_equal(first.is_drawn, second.is_drawn)
    assert (first.places != other.places).any()


@pytest.mark.parametrize(("n_items", "widths"), [(61, (70, 8)), (600, (90, 90)), (2500, (16, 8))])
@pytest.mark.parametrize("measure", ["cka", "lincka", "maxcorr"])
def test_sums_of_groups_give_what_the_items_of_a_half_give(measure, n_items, widths):
    matrices = made_layers(n_items, widths)
    samples = half_samples(n_items, 3, 1)
    layers = [centred_layer(layer, samples) for layer in representations(matrices)]
    halves = OF_CENTRED_LAYERS[measure](layers, samples, ()).halves
    for half in range(3):
        x, y = (matrix[samples.items(half)] for matrix in matrices)
        assert halves[half, 0, 1] == pytest.approx(plain_similarity(x, y, measure), abs=1e-6)
        assert halves[half, 1, 0] == pytest.approx(plain_similarity(y, x, measure), abs=1e-6)


def test_the_interval_reaches_as_far_as_students_t_says():
    samples = half_samples(1000, 3, 1)
    values, halves = np.array([0.5]), np.array([[0.4], [0.5], [0.6]])
    low, high = samples.interval(values, halves)
    # 32 groups: t of 31 degrees of freedom leaves 2.5 % above 2.0395; the deviation of the halves is 0.1.
    assert (low[0], high[0]) == pytest.approx((0.5 - 0.20395, 0.5 + 0.20395), abs=1e-5)


def test_a_half_without_a_value_is_left_out_of_the_interval():
    samples = half_samples(1000, 3, 1)
    halves = np.array([[0.4], [0.5], [0.6]])
    with_missing = np.array([[0.4], [np.nan], [0.5], [0.6]])
    assert samples.interval(np.array([0.5]), with_missing) == samples.interval(np.array([0.5]), halves)


def test_a_pair_that_most_halves_lack_has_no_interval():
    samples = half_samples(1000, 4, 1)
    halves = np.array([[0.4, 0.4], [0.5, 0.6], [0.6, np.nan], [np.nan, np.nan], [0.5, np.nan]])
    low, high = samples.interval(np.array([0.5, 0.5]), halves)
    assert np.isfinite([low[0], high[0]]).all()
    assert np.isnan([low[1], high[1]]).all()


def test_what_all_halves_gain_by_having_fewer_items_does_not_widen_the_interval():
    samples = half_samples(1000, 3, 1)
    low, high = samples.interval(np.array([0.5]), np.array([[0.7], [0.8], [0.9]]))
    assert (low[0], high[0]) == pytest.approx((0.5 - 0.20395, 0.5 + 0.20395), abs=1e-5)


def linear_world(generator: np.random.Generator, shared: np.ndarray, noise: float, n_items: int) -> list[np.ndarray]:
    """Draws items of two layers that are mixtures of the same causes: float32 `[items, 6]` each."""
    causes = generator.standard_normal((n_items, shared.shape[1]))
    own = noise * generator.standard_normal((2, n_items, shared.shape[2]))
    return [(causes @ mixture + rest).astype(np.float32) for mixture, rest in zip(shared, own, strict=True)]


def test_nearly_95_percent_of_the_intervals_hold_the_truth():
    """The truth is known for normal vectors: the covariances that they are drawn from have a CKA without sampling."""
    generator, noise = np.random.default_rng(3), 2.0
    shared = generator.standard_normal((2, 4, 6))
    one, other = (mixture.T @ mixture + noise**2 * np.eye(6) for mixture in shared)
    truth = np.sum((shared[0].T @ shared[1]) ** 2) / np.linalg.norm(one) / np.linalg.norm(other)
    n_held = 0
    for seed in range(200):
        found = all_pairs(representations(linear_world(generator, shared, noise, 200)), "cka", 0, 100, seed)
        n_held += int(found.low[0, 1] <= truth <= found.high[0, 1])
    assert 182 <= n_held <= 199  # of 200; by chance alone 190 with a deviation of 3
