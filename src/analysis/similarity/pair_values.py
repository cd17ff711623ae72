"""What is found of all pairs of layers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class MeasuredPairs:
    """One measure of all pairs, before intervals are made of its halves.

    Attributes:
        values: float64 `[layers, layers]`, of all items.
        permuted: the same with the rows of one side shuffled, the mean over shuffles; NaN without shuffles.
        halves: float64 `[halves, layers, layers]`, of half of the items each; NaN where a half has no value.
    """

    values: np.ndarray
    permuted: np.ndarray
    halves: np.ndarray


@dataclass(frozen=True, eq=False)
class PairValues:
    """One measure of all pairs of layers; row is x, column is y; symmetric measures are symmetric.

    Attributes:
        values: float64 `[layers, layers]`; NaN for pairs of a layer for which the measure is not defined.
        permuted: what is left where the rows of one side are shuffled, the mean over shuffles: float64
            `[layers, layers]`; NaN where no shuffles were asked for and the mean is not known without them.
        low, high: 95 % interval over items: float64 `[layers, layers]`; NaN with fewer than two resamples.
        left_out: constant columns of each layer, which say nothing about items: int64 `[layers]`; 0 in RSA, whose
            distances count them.
        undefined: why the measure is not defined for a layer, in words; "" where it is: str `[layers]`.
    """

    values: np.ndarray
    permuted: np.ndarray
    low: np.ndarray
    high: np.ndarray
    left_out: np.ndarray
    undefined: np.ndarray


def mean_over_shuffles(values: Sequence[np.ndarray], n_layers: int) -> np.ndarray:
    """Returns the mean of what each shuffle gave, `[layers, layers]`; NaN if there are none."""
    return np.mean(values, axis=0) if len(values) else np.full((n_layers, n_layers), np.nan)
