"""Measures that need more of two layers than sums: each layer is made ready once, then taken with each other one."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np
import torch

from src.analysis.similarity.centred_layers import NotDefined, WholeLayer
from src.analysis.similarity.half_samples import HalfSamples
from src.analysis.similarity.pair_values import MeasuredPairs, mean_over_shuffles
from src.display.progress import each


class ReadyLayer(Protocol):
    """All that a measure needs of one layer."""

    def reordered(self, order: torch.Tensor) -> Self:
        """Returns what this is when the layer's items stand in another order; int64 `[items]`."""


@dataclass(frozen=True)
class TwoSteps:
    """A measure of two layers.

    Attributes:
        ready: what of a layer is made once, from its name and its vectors, float64 `[items, neurons]`; raises
            NotDefined where the measure is not defined.
        both_ways: how well y covers x, and x covers y.
        leaves_out_constant: True where `ready` drops constant columns.
        mean_if_shuffled: the mean over all orders of the items of one side, where it is known; None: it is drawn.
    """

    ready: Callable[[str, torch.Tensor], ReadyLayer]
    both_ways: Callable[[ReadyLayer, ReadyLayer], tuple[float, float]]
    leaves_out_constant: bool
    mean_if_shuffled: float | None


def measured_pairs(
    layers: Sequence[WholeLayer], measure: TwoSteps, samples: HalfSamples, orders: Sequence[np.ndarray]
) -> MeasuredPairs:
    """Measures all pairs; in halves each layer is made ready anew.

    Args:
        layers: all are held, as they were read and as made ready.
        measure: in two steps.
        samples: halves; where the measure is not defined for a layer, its pairs have NaN.
        orders: of the rows of one side, int64 `[items]` each; each is shared by all pairs.

    Raises:
        NotDefined: of all items the measure is not defined for a layer.
    """
    every = np.arange(len(samples.places))
    ready = [_ready(layer, measure, every) for layer in layers]
    values = _pairs(ready, measure, every)
    if measure.mean_if_shuffled is None:
        shuffled = mean_over_shuffles([_pairs(ready, measure, order) for order in orders], len(layers))
    else:
        shuffled = np.full_like(values, measure.mean_if_shuffled)
    del ready
    halves = np.empty((len(samples.is_drawn), *values.shape))
    for half in each(range(len(halves)), "measuring halves", "halves"):
        halves[half] = _of_half(layers, measure, np.flatnonzero(samples.items(half)))
    return MeasuredPairs(values, shuffled, halves)


def _of_half(layers: Sequence[WholeLayer], measure: TwoSteps, items: np.ndarray) -> np.ndarray:
    """Returns all pairs in a half, NaN for those of a layer for which the measure is not defined there."""
    ready, places = [], []
    for place, layer in enumerate(layers):
        with suppress(NotDefined):
            ready.append(_ready(layer, measure, items))
            places.append(place)
    values = np.full((len(layers), len(layers)), np.nan)
    values[np.ix_(places, places)] = _pairs(ready, measure, np.arange(len(items)))
    return values


def _ready(layer: WholeLayer, measure: TwoSteps, items: np.ndarray) -> ReadyLayer:
    return measure.ready(layer.name, torch.from_numpy(layer.vectors[items]).double())


def _pairs(ready: Sequence[ReadyLayer], measure: TwoSteps, order: np.ndarray) -> np.ndarray:
    """Returns all pairs, the items of one side in this order: float64 `[layers, layers]`."""
    values = np.empty((len(ready), len(ready)))
    for y, second in enumerate(ready):
        reordered = second.reordered(torch.from_numpy(order))
        for x, first in enumerate(ready[: y + 1]):
            forth, back = measure.both_ways(first, reordered)
            values[y, x], values[x, y] = back, forth
    return values
