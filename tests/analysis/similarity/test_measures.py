"""Measures of similarity, against working by hand, definitions written out, and scipy."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ortho_group

from polyprobe.analysis.similarity.measures import DIRECTED, LEAST
from polyprobe.runs.metric_units import METRICS
from tests.analysis.similarity.made_layers import similarity
from tests.analysis.similarity.plain_measures import plain_similarity

seeds = st.integers(0, 10_000)


def normal(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def rotation(n, seed=0):
    return ortho_group.rvs(n, random_state=seed)


@pytest.mark.parametrize("measure", DIRECTED)
def test_directed_measures_ask_how_well_the_second_covers_the_first(measure):
    x = normal(30, 3)
    more = np.hstack([x, normal(30, 3, seed=1)])
    assert similarity(x, more, "maxcorr") == pytest.approx(1)
    assert similarity(x, more, measure) != pytest.approx(similarity(more, x, measure))


@pytest.mark.parametrize("measure", LEAST)
def test_vectors_are_fully_like_themselves_at_any_scale_and_place(measure):
    x = normal(40, 6)
    assert similarity(x, x, measure) == pytest.approx(1)
    other = normal(40, 5, seed=2)
    found = similarity(x, other, measure)
    assert similarity(1e3 * x + np.arange(6), other, measure) == pytest.approx(found, abs=1e-9)


@pytest.mark.parametrize("n_items", [5, 9, 40, 150])
@pytest.mark.parametrize("measure", LEAST)
def test_every_measure_is_what_its_formula_says(measure, n_items):
    x, y = normal(n_items, 12) + 3, normal(n_items, 7, seed=1)
    y[:, :3] += x[:, :3]
    assert similarity(x, y, measure) == pytest.approx(plain_similarity(x, y, measure), abs=1e-11)


def test_maxcorr_is_the_best_correlation_of_each_neuron():
    x = np.array([[1.0, 1.0], [2.0, 0.0], [3.0, 1.0]])
    y = np.array([[1.0], [2.0], [4.0]])
    # Deviations -1, 0, 1 and 1/3, -2/3, 1/3 against -4/3, -1/3, 5/3: 3 / sqrt(2 * 42/9) and 1/3 / sqrt(6/9 * 42/9).
    first, second = 3 / np.sqrt(28 / 3), (1 / 3) / np.sqrt(28 / 9)
    assert similarity(x, y, "maxcorr") == similarity(x, y, "mincorr") == pytest.approx((first + second) / 2)
    assert similarity(y, x, "maxcorr") == pytest.approx(first)


@given(seeds)
@settings(max_examples=20)
def test_maxcorr_does_not_see_order_sign_or_scale_of_neurons(seed):
    random = np.random.default_rng(seed)
    x, y = random.normal(size=(20, 4)), random.normal(size=(20, 5))
    order, factors = random.permutation(5), random.choice([-1, 1], size=5) * random.uniform(0.1, 10, size=5)
    assert similarity(x, y[:, order] * factors, "maxcorr") == pytest.approx(similarity(x, y, "maxcorr"))


def test_maxcorr_keeps_its_digits_far_from_zero():
    x, y = np.random.default_rng(0).integers(9, size=(2, 30, 4)).astype(np.float64)
    assert similarity(x + 1e9, y - 1e9, "maxcorr") == pytest.approx(similarity(x, y, "maxcorr"), abs=1e-12)


@given(seeds)
@settings(max_examples=20)
def test_cka_does_not_see_rotations_and_one_scale(seed):
    random = np.random.default_rng(seed)
    x, y = random.normal(size=(15, 4)), random.normal(size=(15, 5))
    turned = y @ rotation(5, seed) * random.uniform(0.1, 10)
    for measure in ("lincka", "cka"):
        assert similarity(x, turned, measure) == pytest.approx(similarity(x, y, measure))


def unbiased_hsic(first, second):
    """Song et al. (2012), equation 4: the mean over all quadruples of different items."""
    terms = [
        first[i, j] * second[i, j] + first[i, j] * second[q, r] - 2 * first[i, j] * second[i, q]
        for i, j, q, r in permutations(range(len(first)), 4)
    ]
    return np.mean(terms)


def biased_hsic(first, second):
    every = range(len(first))
    of_pairs = np.mean([first[i, j] * second[i, j] for i, j in product(every, every)])
    of_triples = np.mean([first[i, j] * second[i, q] for i, j, q in product(every, every, every)])
    return of_pairs + first.mean() * second.mean() - 2 * of_triples


KERNELS = {
    "lincka": (biased_hsic, lambda vectors: vectors @ vectors.T),
    "cka": (unbiased_hsic, lambda vectors: vectors @ vectors.T),
}


@pytest.mark.parametrize("measure", KERNELS)
@pytest.mark.parametrize("widths", [(2, 3), (9, 11)])
def test_cka_is_the_share_of_the_hsic_written_out(measure, widths):
    hsic, kernel = KERNELS[measure]
    x, y = normal(7, widths[0]) + 2, normal(7, widths[1], seed=1)
    y[:, 0] += x[:, 0]
    of_x, of_y = kernel(x), kernel(y)
    expected = hsic(of_x, of_y) / np.sqrt(hsic(of_x, of_x) * hsic(of_y, of_y))
    assert similarity(x, y, measure) == pytest.approx(expected, abs=1e-9)


def test_unbiased_cka_of_independent_vectors_is_zero_in_the_mean():
    random = np.random.default_rng(0)
    draws = [(random.normal(size=(20, 30)), random.normal(size=(20, 25))) for _ in range(300)]
    found = np.array([similarity(x, y, "cka") for x, y in draws])
    assert abs(found.mean()) < 3 * found.std() / np.sqrt(300)
    assert similarity(*draws[0], "lincka") > 0.5


def test_every_measure_is_a_metric_of_rows():
    assert set(LEAST) <= set(METRICS)
