"""The bootstrap interval, against resampling item by item and against SciPy."""

import numpy as np
import pytest
from scipy import stats

from polyprobe.metrics.bootstrap import RESAMPLES, bootstrap_interval, interval, ratio_interval, resampled_sums


def scores(n_items: int, n_seeds: int) -> np.ndarray:
    """The share of seeds that are right, for items of different difficulty."""
    generator = np.random.default_rng(n_items)
    difficulty = generator.beta(2, 1, size=n_items)
    return (generator.random((n_seeds, n_items)) < difficulty).mean(0)


@pytest.mark.parametrize(("n_items", "n_seeds"), [(40, 1), (1000, 3)])
def test_the_interval_equals_that_of_scipy(n_items, n_seeds):
    values = scores(n_items, n_seeds)
    expected = stats.bootstrap(
        (values,), np.mean, n_resamples=RESAMPLES, batch=500, method="percentile", rng=np.random.default_rng(7)
    ).confidence_interval
    # Two runs of 10,000 resamples differ at the 2.5 % point by about 0.03 standard errors.
    tolerance = 0.15 * values.std() / n_items**0.5
    found = bootstrap_interval(values, seed=1)
    np.testing.assert_allclose(found, expected, rtol=0, atol=max(tolerance, 1 / n_items / n_seeds / 2))


def test_the_interval_equals_that_of_resampling_item_by_item():
    values = np.random.default_rng(3).normal(size=60)
    generator = np.random.default_rng(4)
    means = [generator.choice(values, size=60).mean() for _ in range(RESAMPLES)]
    expected = np.quantile(means, [0.025, 0.975])
    np.testing.assert_allclose(bootstrap_interval(values, seed=1), expected, rtol=0, atol=0.15 * values.std() / 60**0.5)


@pytest.mark.parametrize(("value", "n_items"), [(1.0, 30), (0.0, 30), (1.0, 1)])
def test_where_all_items_are_right_or_wrong_the_interval_is_that_of_wilson(value, n_items):
    """Thirty right items of thirty: 88.6 to 100, where resampling says 100 to 100."""
    expected = stats.binomtest(round(value * n_items), n_items).proportion_ci(method="wilson")
    assert bootstrap_interval(np.full(n_items, value), seed=1) == pytest.approx(expected)
    n_words = np.arange(2, 2 * n_items + 2, 2)
    sentences = np.stack([n_words * value, n_words], axis=1)
    without_spans = np.zeros((5, 2))
    assert ratio_interval(np.concatenate([sentences, without_spans]), seed=1) == pytest.approx(expected)


def test_equal_items_between_right_and_wrong_keep_the_interval_of_resampling():
    """Two seeds that err by turns: each item is 0.5 in every resample."""
    assert bootstrap_interval(np.full(12, 0.5), seed=1) == (0.5, 0.5)
    assert ratio_interval(np.tile([1, 2], (12, 1)), seed=1) == (0.5, 0.5)


def test_the_interval_depends_on_the_seed_and_not_on_the_order_of_items():
    values = scores(200, 3)
    assert bootstrap_interval(values, seed=1) == bootstrap_interval(values[::-1], seed=1)
    assert bootstrap_interval(values, seed=1) != bootstrap_interval(values, seed=2)


def test_the_interval_of_a_ratio_equals_that_of_resampling_sentence_by_sentence():
    generator = np.random.default_rng(5)
    n_words = generator.integers(1, 30, size=80)
    parts = np.stack([generator.binomial(n_words, 0.8), n_words], axis=1)
    drawn = generator.integers(0, 80, size=(RESAMPLES, 80))
    ratios = parts[drawn, 0].sum(1) / parts[drawn, 1].sum(1)
    low, high = np.quantile(ratios, [0.025, 0.975])
    np.testing.assert_allclose(ratio_interval(parts, seed=1), (low, high), rtol=0, atol=0.1 * (high - low))


def test_a_ratio_of_items_that_count_once_is_a_mean():
    values = scores(200, 1)
    parts = np.stack([values, np.ones(200)], axis=1)
    assert ratio_interval(parts, seed=1) == bootstrap_interval(values, seed=1)


def test_resamples_without_anything_to_count_are_zero():
    assert ratio_interval(np.zeros((5, 2)), seed=1) == (0.0, 0.0)


def test_sums_of_items_drawn_one_by_one_have_the_interval_of_a_ratio():
    generator = np.random.default_rng(6)
    n_words = generator.integers(1, 30, size=80)
    parts = np.stack([generator.binomial(n_words, 0.8), n_words], axis=1)
    sums = resampled_sums(parts, seed=2)
    assert sums.shape == (RESAMPLES, 2)
    low, high = ratio_interval(parts, seed=1)
    np.testing.assert_allclose(interval(sums[:, 0] / sums[:, 1]), (low, high), rtol=0, atol=0.1 * (high - low))


def test_each_resample_has_as_many_items_as_there_are(monkeypatch):
    monkeypatch.setattr(
        "polyprobe.metrics.bootstrap.DRAWN_PER_BLOCK", 1_000
    )  # 10,000 resamples are not full blocks of 142
    assert (resampled_sums(np.ones((7, 1), dtype=np.int64), seed=1) == 7).all()
