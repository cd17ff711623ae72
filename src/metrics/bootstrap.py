"""Percentile bootstrap of means and ratios over items; Wilson's interval at 0 and 1."""

import math
from statistics import NormalDist

import numpy as np

RESAMPLES = 10_000
CONFIDENCE = 0.95
RESAMPLES_PER_BLOCK = 500  # bounds the memory where every item has another value
DRAWN_PER_BLOCK = 500_000  # items
_Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


def bootstrap_interval(values: np.ndarray, seed: int) -> tuple[float, float]:
    """Returns the 95 % percentile interval of the mean over items, from 10,000 resamples.

    A resample draws as many items as there are, with replacement. Only how often each distinct value is drawn matters,
    so these counts are drawn at once (multinomial): cheap for scores, which have few values. Where all items are right,
    or none, all resamples are alike: the interval is Wilson's.

    Args:
        values: a fraction per test item, such as 1 where the probe is right and 0 elsewhere; with several seeds their
            mean, so that the items are the only thing resampled.
        seed: the same values and seed give the same interval.

    Returns:
        The lower and the upper end.
    """
    if values.min() == values.max() and values[0] in (0, 1):
        return _wilson(float(values[0]), len(values))
    return interval(resampled_means(values, seed))


def resampled_means(values: np.ndarray, seed: int) -> np.ndarray:
    """Returns the mean of each of 10,000 resamples: float64 `[resamples]`. Arguments as for `bootstrap_interval`."""
    assert values.ndim == 1, f"one number per item expected, found shape {values.shape}"
    return _resampled_sums(values[:, None], seed)[:, 0] / len(values)


def ratio_interval(parts: np.ndarray, seed: int) -> tuple[float, float]:
    """Returns the 95 % percentile interval of a ratio of sums over items, from 10,000 resamples.

    Args:
        parts: `[items, 2]`, the contribution of each item to numerator and denominator: for a sentence its right words
            and its words, or twice its right spans and the sum of gold's and the system's. Where the ratio of all
            items is 0 or 1, the interval is Wilson's, over those that have a denominator.
        seed: the same parts and seed give the same interval.

    Returns:
        The lower and the upper end; a resample whose denominator is 0 counts as 0.
    """
    assert parts.shape[1:] == (2,), f"two numbers per item expected, found shape {parts.shape}"
    n_items = np.count_nonzero(parts[:, 1])
    for share in (0, 1):
        if n_items and np.allclose(parts[:, 0], share * parts[:, 1]):
            return _wilson(share, n_items)
    numerators, denominators = _resampled_sums(parts, seed).T
    return interval(numerators / np.maximum(denominators, 1))


def resampled_sums(values: np.ndarray, seed: int) -> np.ndarray:
    """Returns the sums over each of 10,000 resamples of items, for scores that are no ratio of two of them.

    The items are drawn one by one: faster than the distinct values where nearly every item has its own.

    Args:
        values: int64 or float64 `[items, columns]`, at least one item.
        seed: the same values and seed give the same sums.

    Returns:
        float64 `[resamples, columns]`.
    """
    n_items, generator = len(values), np.random.default_rng(seed)
    per_block = max(1, DRAWN_PER_BLOCK // n_items)
    sizes = (min(per_block, RESAMPLES - start) for start in range(0, RESAMPLES, per_block))
    return np.concatenate([resampled_counts(n_items, size, generator) @ values.astype(np.float64) for size in sizes])


def resampled_counts(n_items: int, n_resamples: int, generator: np.random.Generator) -> np.ndarray:
    """Draws as many items as there are, with replacement; returns how often each is drawn: `[resamples, items]`."""
    drawn = generator.integers(n_items, size=(n_resamples, n_items)) + n_items * np.arange(n_resamples)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=n_resamples * n_items)
    return counts.reshape(n_resamples, n_items).astype(np.float64)


def _wilson(share: float, n_items: int) -> tuple[float, float]:
    """Returns the 95 % score interval of a share of independent items (Wilson 1927): never without width."""
    shrunk = n_items + _Z**2
    middle = (share * n_items + _Z**2 / 2) / shrunk
    half = _Z * math.sqrt(share * (1 - share) * n_items + _Z**2 / 4) / shrunk
    return max(0.0, middle - half), min(1.0, middle + half)


def interval(means: np.ndarray) -> tuple[float, float]:
    """Returns the lower and the upper end that leave 2.5 % of the resampled means on either side."""
    low, high = np.quantile(means, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)


def _resampled_sums(values: np.ndarray, seed: int) -> np.ndarray:
    """Sums the columns of `values`, `[items, columns]`, over every resample: float64 `[resamples, columns]`."""
    assert len(values) > 0, "no item to resample"
    levels, counts = np.unique(values.astype(np.float64), axis=0, return_counts=True)
    generator = np.random.default_rng(seed)
    shares = counts / len(values)
    blocks = range(0, RESAMPLES, RESAMPLES_PER_BLOCK)
    drawn = [generator.multinomial(len(values), shares, size=RESAMPLES_PER_BLOCK) @ levels for _ in blocks]
    return np.concatenate(drawn)
