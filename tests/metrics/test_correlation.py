"""Correlations and their resamples, against counting by hand and scipy."""

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

from polyprobe.metrics.bootstrap import RESAMPLES, RESAMPLES_PER_BLOCK
from polyprobe.metrics.correlation import correlation, resampled_correlations

SCIPY = {"pearson": pearsonr, "spearman": spearmanr}


def lists(n, n_values):
    random = np.random.default_rng(n)
    first = random.integers(n_values, size=n).astype(float)
    return first, first + random.normal(size=n).round(1)


def test_a_line_correlates_fully_and_ranks_see_no_bend():
    first, squares = np.array([1.0, 2.0, 3.0]), np.array([1.0, 4.0, 9.0])
    assert correlation("pearson", first, -2 * first + 7) == pytest.approx(-1)
    # Means 2 and 14/3: 8 / sqrt(2 * 98/3).
    assert correlation("pearson", first, squares) == pytest.approx(8 / np.sqrt(2 * 98 / 3))
    assert correlation("spearman", first, squares) == pytest.approx(1)


@pytest.mark.parametrize("name", SCIPY)
@pytest.mark.parametrize(("n", "n_values"), [(5, 2), (40, 6), (300, 1000)])
def test_correlations_are_those_of_scipy_with_equal_numbers_too(name, n, n_values):
    first, second = lists(n, n_values)
    assert correlation(name, first, second) == pytest.approx(SCIPY[name](first, second)[0])


@pytest.mark.parametrize("name", SCIPY)
def test_a_constant_list_has_no_correlation(name):
    assert np.isnan(correlation(name, np.full(7, 0.1), np.arange(7.0)))
    assert np.isnan(correlation(name, np.arange(7.0), np.full(7, 1 / 3)))


@pytest.mark.parametrize("name", SCIPY)
def test_a_resample_has_the_correlation_of_the_items_it_draws(name):
    first, second = lists(30, 5)
    found = resampled_correlations(name, first, second, 3)
    drawn = np.random.default_rng(3).integers(30, size=(RESAMPLES_PER_BLOCK, 30))[:4]
    for value, rows in zip(found, drawn, strict=False):
        assert value == pytest.approx(SCIPY[name](first[rows], second[rows])[0])
    assert len(found) == RESAMPLES


def test_a_resample_of_one_value_has_no_correlation():
    found = resampled_correlations("pearson", np.array([1.0, 2.0]), np.array([1.0, 2.0]), 1)
    # Of two items a resample draws one of them twice in half of all cases.
    assert 0.47 < np.isnan(found).mean() < 0.53
    assert np.allclose(found[~np.isnan(found)], 1)
