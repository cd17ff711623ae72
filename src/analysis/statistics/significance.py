"""Whether what was found could be chance: paired bootstrap over items, and corrections for many tests.

Rank correlation with p-values by Student's t and by all permutations of a few numbers; shares of evenly drawn neurons.
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from polyprobe.metrics.bootstrap import CONFIDENCE, RESAMPLES, interval, resampled_means

SIGNIFICANT = 0.05
SMALLEST_P = 1 / (RESAMPLES + 1)  # that resampling can show
ROUNDING = 1e-9  # what sums of thirds may be off by; differences of scores are far larger


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The difference of two mean scores on the same items, second minus first."""

    difference: float
    """A fraction, -1 to 1."""
    interval_low: float
    interval_high: float
    """The 95 % percentile interval."""
    p: float
    """Two-sided."""


def paired_difference(first: np.ndarray, second: np.ndarray, seed: int) -> PairedDifference:
    """Compares two scores of the same items; an item is drawn with both its scores.

    The p-value is the share of resamples whose difference lies at least as far from the observed one as that lies from
    zero, the observed data counted as one resample more: never 0, and 1 where both are right on the same items.

    Args:
        first, second: a number per item, seeds averaged: float64 `[items]`.
        seed: the same data and seed give the same numbers.
    """
    differences = second - first
    return resampled_difference(float(differences.mean()), resampled_means(differences, seed))


def resampled_difference(observed: float, resampled: np.ndarray) -> PairedDifference:
    """Judges the difference of two scores by that in resamples of their items; p as of `paired_difference`.

    Args:
        observed: second minus first; NaN where one of them is not defined.
        resampled: the same in each resample: float64 `[resamples]`; those in which it is not defined are left out.
    """
    resampled = resampled[np.isfinite(resampled)]
    if math.isnan(observed) or not len(resampled):
        return PairedDifference(math.nan, math.nan, math.nan, math.nan)
    n_as_far = np.count_nonzero(np.abs(resampled - observed) >= abs(observed) - ROUNDING)
    return PairedDifference(observed, *interval(resampled), p=float(n_as_far + 1) / (len(resampled) + 1))


def rise_p(before: np.ndarray, after: np.ndarray, seed: int) -> float:
    """Returns the one-sided p-value that `after` is no better than `before` (Berg-Kirkpatrick et al. 2012).

    It is the share of resamples whose difference is more than twice the observed one, the observed data counted as one
    resample more (Phipson and Smyth 2010): never 0, which no number of draws can show. The helper that RuSentEval
    released counts those below twice the observed one, which is 1 - p; we follow the paper. Without any differing item
    no resample can exceed anything: p is 1 then.

    Args:
        before, after: a number per item, seeds averaged: float64 `[items]`.
        seed: the same data and seed give the same number.
    """
    differences = after - before
    if not differences.any():
        return 1.0
    resampled = resampled_means(differences, seed)
    n_beyond = np.count_nonzero(resampled > 2 * differences.mean() + ROUNDING)
    return float(n_beyond + 1) / (len(resampled) + 1)


def bonferroni(p_values: Sequence[float]) -> list[float]:
    """Corrects p-values for multiple testing by their number; none exceeds 1. NaN is no p-value, as for `holm`."""
    p, places = _ascending(p_values)
    return np.minimum(1, len(places) * p).tolist()


def holm(p_values: Sequence[float]) -> list[float]:
    """Corrects p-values for multiple testing (Holm 1979); a larger one stays the larger, none exceeds 1.

    NaN is no p-value: it stays, and the others are corrected as if it were absent.
    """
    p, places = _ascending(p_values)
    p[places] = np.maximum.accumulate(np.minimum(1, np.arange(len(places), 0, -1) * p[places]))
    return p.tolist()


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Corrects p-values so that a level bounds the expected share of false ones (Benjamini and Hochberg 1995).

    A larger one stays the larger, none exceeds 1. NaN is no p-value, as for `holm`.
    """
    p, places = _ascending(p_values)
    factors = len(places) / np.arange(1, len(places) + 1)
    p[places] = np.minimum(1, np.minimum.accumulate((factors * p[places])[::-1])[::-1])
    return p.tolist()


# By the name that correction=… has; each takes all p-values and returns them corrected, in their order.
CORRECTIONS: Mapping[str, Callable[[Sequence[float]], list[float]]] = {
    "bonferroni": bonferroni,
    "holm": holm,
    "benjamini_hochberg": benjamini_hochberg,
}


def written_p(p: float) -> str:
    """Writes a p-value with four decimals; a smaller one as "<0.0001", never as 0."""
    return "<0.0001" if p < 0.00005 else f"{p:.4f}"


def _ascending(p_values: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Returns p-values as float64 `[n]`, and the places of those that are no NaN, the smallest first."""
    p = np.array(p_values, dtype=np.float64)
    return p, np.argsort(p, kind="stable")[: np.count_nonzero(~np.isnan(p))]


def even_draws(sizes: np.ndarray, n_drawn: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Says how many of the drawn lie in each of some groups, each set of so many as probable as any other.

    That is without replacement (hypergeometric distribution).

    Args:
        sizes: of each group, int64 `[groups]`, together at least 1.

    Returns:
        their means, float64 `[groups]`, and both ends of the 95 % range, int64 `[groups]` each: in at most 2.5 % of the
        draws they are fewer, in at most 2.5 % more.
    """
    from scipy.stats import hypergeom

    n_all = sizes.sum()
    low, high = hypergeom.interval(CONFIDENCE, n_all, sizes, n_drawn)
    return n_drawn * sizes / n_all, low.astype(np.int64), high.astype(np.int64)


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


def written_rho(rho: float) -> str:
    """Writes a coefficient with two decimals; "-" for none."""
    return "-" if math.isnan(rho) else f"{round(rho, 2) + 0.0:.2f}"  # no -0.00


def _centred_ranks(numbers: np.ndarray) -> np.ndarray:
    """Returns twice the ranks, minus their mean: whole numbers, so that sums are exact: int64 `[n]`."""
    from scipy.stats import rankdata

    return (2 * rankdata(numbers)).astype(np.int64) - (len(numbers) + 1)


def _t_p(rho: float, n: int) -> float:
    from scipy.special import stdtr

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
