"""Tests whether two scores on the same items differ: paired bootstrap over items; corrections for many tests."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from src.metrics.bootstrap import RESAMPLES, interval, resampled_means

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
    n_known = sum(not math.isnan(p) for p in p_values)
    return [p if math.isnan(p) else min(1.0, n_known * p) for p in p_values]


def holm(p_values: Sequence[float]) -> list[float]:
    """Corrects p-values for multiple testing (Holm 1979); a larger one stays the larger, none exceeds 1.

    NaN is no p-value: it stays, and the others are corrected as if it were absent.
    """
    ascending = _places_of_known(p_values)
    corrected, largest = [math.nan] * len(p_values), 0.0
    for rank, place in enumerate(ascending):
        largest = max(largest, min(1.0, (len(ascending) - rank) * p_values[place]))
        corrected[place] = largest
    return corrected


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Corrects p-values so that a level bounds the expected share of false ones (Benjamini and Hochberg 1995).

    A larger one stays the larger, none exceeds 1. NaN is no p-value, as for `holm`.
    """
    ascending = _places_of_known(p_values)
    corrected, smallest = [math.nan] * len(p_values), 1.0
    for rank, place in reversed(list(enumerate(ascending, start=1))):
        smallest = min(smallest, len(ascending) / rank * p_values[place])
        corrected[place] = smallest
    return corrected


# By the name that correction=… has; each takes all p-values and returns them corrected, in their order.
CORRECTIONS: Mapping[str, Callable[[Sequence[float]], list[float]]] = {
    "bonferroni": bonferroni,
    "holm": holm,
    "benjamini_hochberg": benjamini_hochberg,
}


def written_p(p: float) -> str:
    """Writes a p-value with four decimals; a smaller one as "<0.0001", never as 0."""
    return "<0.0001" if p < 0.00005 else f"{p:.4f}"


def _places_of_known(p_values: Sequence[float]) -> list[int]:
    """Returns the places of the p-values that are no NaN, the smallest first."""
    return sorted((place for place, p in enumerate(p_values) if not math.isnan(p)), key=lambda place: p_values[place])
