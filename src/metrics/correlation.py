"""Pearson's and Spearman's correlation of predicted and gold scores, also over resamples of the items."""

import numpy as np

from polyprobe.metrics.bootstrap import RESAMPLES, RESAMPLES_PER_BLOCK, resampled_counts

PEARSON, SPEARMAN = "pearson", "spearman"
CORRELATIONS = (PEARSON, SPEARMAN)


def correlation(name: str, first: np.ndarray, second: np.ndarray) -> float:
    """Returns a correlation, -1 to 1; NaN where one list is constant or there are fewer than two items.

    Args:
        name: "pearson", or "spearman": Pearson's of the ranks, equal numbers sharing the mean of theirs.
        first, second: float64 `[items]`.
    """
    weights = np.ones((1, len(first)))
    return float(_weighted(name, first, second, weights)[0])


def resampled_correlations(name: str, first: np.ndarray, second: np.ndarray, seed: int) -> np.ndarray:
    """Returns the correlation in each of 10,000 resamples of the items: float64 `[resamples]`.

    A resample draws as many items as there are, with replacement; ranks are those within the resample. NaN where a
    list is constant in it.

    Args:
        name, first, second: see `correlation`.
        seed: the same number of items and seed give the same resamples, so that two predictions of the same items can
            be compared resample by resample.
    """
    generator = np.random.default_rng(seed)
    blocks = range(0, RESAMPLES, RESAMPLES_PER_BLOCK)
    drawn = (resampled_counts(len(first), RESAMPLES_PER_BLOCK, generator) for _ in blocks)
    return np.concatenate([_weighted(name, first, second, counts) for counts in drawn])


def _weighted(name: str, first: np.ndarray, second: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Correlates items that each occur so often, `[resamples, items]`: float64 `[resamples]`."""
    covary = _covariances if name == PEARSON else _covariances_of_ranks
    of_both, of_first, of_second = covary(first, second, weights)
    # Rounding leaves a constant list a remainder, which is no variance.
    is_constant = _is_constant(first, weights) | _is_constant(second, weights)
    lengths = np.sqrt(np.maximum(of_first, 0) * np.maximum(of_second, 0))
    return np.divide(of_both, lengths, out=np.full(len(weights), np.nan), where=~is_constant & (lengths > 0))


def _covariances(first: np.ndarray, second: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, ...]:
    """Returns n times the covariance of both, and the variance of either: float64 `[resamples]` each."""
    first, second = first - first.mean(), second - second.mean()
    sums = weights @ np.stack([first, second, first * second, first**2, second**2], axis=1)
    n = weights.sum(axis=1)
    one, other, of_both, of_first, of_second = sums.T
    return of_both - one * other / n, of_first - one**2 / n, of_second - other**2 / n


def _covariances_of_ranks(first: np.ndarray, second: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, ...]:
    """As `_covariances`, of the ranks: their mean is known, for those of equals sum to the same."""
    middle = (weights.sum(axis=1, keepdims=True) + 1) / 2
    one, other = (_ranks(values, weights) - middle for values in (first, second))
    weighted = weights * one
    of_both, of_first = np.einsum("ri,ri->r", weighted, other), np.einsum("ri,ri->r", weighted, one)
    return of_both, of_first, np.einsum("ri,ri->r", np.multiply(weights, other, out=weighted), other)


def _is_constant(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Says in which resamples all drawn values are equal: bool `[resamples]`."""
    codes = np.unique(values, return_inverse=True)[1].astype(np.float64)
    sums, squares = (weights @ np.stack([codes, codes**2], axis=1)).T
    return weights.sum(axis=1) * squares == sums**2  # whole numbers, hence exact


def _ranks(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Returns the rank of each item among those drawn, equal ones sharing their mean: `[resamples, items]`."""
    _, groups = np.unique(values, return_inverse=True)
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    counts = np.add.reduceat(weights[:, order], starts, axis=1)
    middles = np.cumsum(counts, axis=1) - (counts - 1) / 2
    return middles[:, groups]
