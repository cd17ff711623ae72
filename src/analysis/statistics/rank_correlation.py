"""Spearman's rank correlation, with p-values by Student's t and by all permutations of a few numbers."""

import itertools
import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import stdtr, stdtrit
from scipy.stats import rankdata

MOST_PERMUTED = 8  # numbers; 40,320 orders


@dataclass(frozen=True, slots=True)
class RankCorrelation:
    """How far two lists of numbers rise together."""

    rho: float
    """Spearman's coefficient, -1 to 1; NaN where one list is constant."""
    p: float
    """Two-sided, by Student's t with n - 2 degrees of freedom; 0 at a rho of 1 or -1, whatever n is."""
    p_exact: float
    """Two-sided: the share of all orders of one list whose coefficient lies at least as far from zero. NaN for more
    than `MOST_PERMUTED` numbers."""


def rank_correlation(first: np.ndarray, second: np.ndarray) -> RankCorrelation:
    """Correlates the ranks of two lists; equal numbers share the mean of their ranks.

    Args:
        first, second: float64 `[n]`, n at least 3.
    """
    one, other = _centred_ranks(first), _centred_ranks(second)
    length = math.sqrt(int(one @ one) * int(other @ other))
    if length == 0:
        return RankCorrelation(math.nan, math.nan, math.nan)
    product = int(one @ other)
    return RankCorrelation(product / length, _t_p(product / length, len(one)), _exact_p(product, one, other))


def needed_rho(n: int, level: float) -> float:
    """Returns what a coefficient must exceed, in size, for its p-value by Student's t to be below a level.

    Args:
        n: numbers in each list, at least 3.
        level: such as 0.05.
    """
    t = -float(stdtrit(n - 2, level / 2))
    return t / math.sqrt(n - 2 + t**2)


def least_significant_rho(n: int, level: float) -> float:
    """Returns the coefficient nearest to zero whose exact p-value is below a level; NaN where none is.

    Args:
        n: numbers without equals among them, at most `MOST_PERMUTED`.
        level: such as 0.05.
    """
    ranks = _centred_ranks(np.arange(n))
    products = np.abs(ranks[_orders(n)] @ ranks)
    values, counts = np.unique(products, return_counts=True)
    p_values = np.cumsum(counts[::-1])[::-1] / len(products)
    below = values[p_values < level]
    return float(below.min() / (ranks @ ranks)) if len(below) else math.nan


def written_rho(rho: float) -> str:
    """Writes a coefficient with two decimals; "-" for none."""
    return "-" if math.isnan(rho) else f"{round(rho, 2) + 0.0:.2f}"  # no -0.00


def _centred_ranks(numbers: np.ndarray) -> np.ndarray:
    """Returns twice the ranks, minus their mean: whole numbers, so that sums are exact: int64 `[n]`."""
    return (2 * rankdata(numbers)).astype(np.int64) - (len(numbers) + 1)


def _t_p(rho: float, n: int) -> float:
    if abs(rho) == 1:
        return 0.0
    t = abs(rho) * math.sqrt((n - 2) / (1 - rho**2))
    return float(2 * stdtr(n - 2, -t))


def _exact_p(product: int, one: np.ndarray, other: np.ndarray) -> float:
    if len(one) > MOST_PERMUTED:
        return math.nan
    return float(np.mean(np.abs(one[_orders(len(one))] @ other) >= abs(product)))


@cache
def _orders(n: int) -> np.ndarray:
    """Returns every order of n places: int64 `[n!, n]`."""
    return np.array(list(itertools.permutations(range(n))))
