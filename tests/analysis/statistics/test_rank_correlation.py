import itertools
import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from polyprobe.analysis.statistics.significance import rank_correlation

PAIRS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=3, max_size=12)


@settings(max_examples=60, deadline=None)
@given(PAIRS)
def test_rho_and_p_are_those_of_scipy(pairs):
    first, second = np.array(pairs, dtype=float).T
    found = rank_correlation(first, second)
    if len(set(first)) == 1 or len(set(second)) == 1:
        assert math.isnan(found.rho)
        return
    theirs = scipy.stats.spearmanr(first, second)
    assert found.rho == pytest.approx(theirs.statistic)
    assert found.p == pytest.approx(theirs.pvalue, abs=1e-6)


@pytest.mark.parametrize(
    ("second", "rho", "p", "p_exact"),
    [
        ([1, 2, 3, 4, 5], 1.0, 0.0, 0.0167),
        ([1, 2, 3, 5, 4], 0.9, 0.0374, 0.0833),
        ([2, 1, 3, 5, 4], 0.8, 0.1041, 0.1333),
        ([1, 2, 5, 3, 4], 0.7, 0.1881, 0.2333),
        ([5, 4, 3, 2, 1], -1.0, 0.0, 0.0167),
    ],
)
def test_five_numbers_have_the_p_values_of_tables(second, rho, p, p_exact):
    found = rank_correlation(np.arange(5.0), np.array(second, dtype=float))
    assert found.rho == rho
    assert (round(found.p, 4), round(found.p_exact, 4)) == (p, p_exact)


def test_the_exact_p_counts_orders_with_equal_numbers_too():
    first, second = np.array([1.0, 1, 2, 3]), np.array([4.0, 5, 5, 9])
    observed = abs(scipy.stats.spearmanr(first, second).statistic)
    others = [abs(scipy.stats.spearmanr(order, second).statistic) for order in itertools.permutations(first)]
    assert rank_correlation(first, second).p_exact == np.mean(np.array(others) >= observed - 1e-9)


def test_more_than_eight_numbers_have_no_exact_p():
    numbers = np.arange(9.0)
    assert math.isnan(rank_correlation(numbers, numbers).p_exact)
    assert not math.isnan(rank_correlation(numbers[:8], numbers[:8]).p_exact)


def test_a_constant_list_has_no_coefficient():
    found = rank_correlation(np.ones(4), np.arange(4.0))
    assert all(map(math.isnan, (found.rho, found.p, found.p_exact)))
