"""Each neuron's best correlation with a neuron of another layer, for all pairs of layers (maxcorr, Wu et al. 2020)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
import torch

from polyprobe.analysis.similarity.centred_layer import CentredLayer
from polyprobe.analysis.similarity.half_samples import HalfSamples
from polyprobe.analysis.similarity.measures import MeasuredPairs
from polyprobe.analysis.similarity.products import BUFFER_NUMBERS, subsets
from polyprobe.display.progress import each

SMALLEST_SHARE = 1e-9  # of a column's variance: below it the column is constant within a half


@dataclass(frozen=True, eq=False)
class StandardisedLayer:
    """A layer's columns, each of mean 0 and length 1, and what they are within halves; in the layer's numbers."""

    vectors: torch.Tensor
    """`[rows, columns]`."""
    sums: torch.Tensor
    """Of each column over the items of each half, over the root of their number: `[halves, columns]`."""
    scales: torch.Tensor
    """One over the length of each column centred within the half, 0 where it is constant: `[halves, columns]`."""


def best_correlations(
    layers: Sequence[CentredLayer], samples: HalfSamples, orders: Sequence[np.ndarray]
) -> MeasuredPairs:
    """Returns the mean over neurons of x of the largest |correlation| with one of y (Wu et al. 2020, section 3).

    The released code takes covariances in one pass, E[ab] - E[a] E[b]; here columns are centred first, which keeps the
    digits of columns far from 0. Its `mincorr` differs in the order of neurons over several models, not in this number.
    Columns are standardised once; a pair is one product of matrices, which serves both directions.

    Args:
        layers: without constant columns.
        samples: halves; a column that is constant within a half does not count there.
        orders: of the rows of one side, int64 `[items]` each; each is shared by all pairs.
    """
    standardised = [_standardised(layer, samples) for layer in layers]
    n_layers, n_halves = len(layers), len(samples.is_drawn)
    values = np.empty((n_layers, n_layers))
    halves = np.empty((n_halves, n_layers, n_layers))
    for x, y in each(list(combinations_with_replacement(range(n_layers), 2)), "correlating", "pairs of layers"):
        first, second = standardised[x], standardised[y]
        of_groups = _group_covariances(first.vectors, second.vectors, samples)
        values[x, y], values[y, x] = _mean_best(of_groups.sum(dim=0))
        _fill_halves(halves[:, x, y], halves[:, y, x], of_groups, first, second, samples)
    shuffled = [_shuffled_values(standardised, samples, order) for order in orders]
    permuted = np.mean(shuffled, axis=0) if shuffled else np.full_like(values, np.nan)
    return MeasuredPairs(values, permuted, halves)


def _group_covariances(first: torch.Tensor, second: torch.Tensor, samples: HalfSamples) -> torch.Tensor:
    """Returns X'Y of each group: `[groups, columns of first, columns of second]`."""
    shape = samples.n_groups, samples.group_size, -1
    return torch.bmm(first.view(shape).transpose(1, 2), second.view(shape))


def _standardised(layer: CentredLayer, samples: HalfSamples) -> StandardisedLayer:
    number = layer.vectors.dtype
    lengths = layer.vectors.double().square().sum(dim=0).sqrt()
    vectors = (layer.vectors / lengths).to(number)
    in_groups = vectors.view(samples.n_groups, samples.group_size, -1).double()
    drawn = subsets(samples)[1:]
    sums = drawn @ in_groups.sum(dim=1)
    counts = torch.tensor([int(samples.items(half).sum()) for half in range(len(drawn))]).double()
    variances = drawn @ in_groups.square().sum(dim=1) - sums.square() / counts[:, None]
    scales = torch.where(variances > SMALLEST_SHARE, variances.clamp_min(SMALLEST_SHARE).rsqrt(), 0)
    return StandardisedLayer(vectors, (sums / counts.sqrt()[:, None]).to(number), scales.to(number))


def _mean_best(correlations: torch.Tensor) -> tuple[float, float]:
    """Returns the mean over rows of the largest size in a row, and the same over columns."""
    sizes = correlations.abs()
    return float(sizes.amax(dim=1).mean(dtype=torch.float64)), float(sizes.amax(dim=0).mean(dtype=torch.float64))


def _fill_halves(
    forth: np.ndarray,
    back: np.ndarray,
    of_groups: torch.Tensor,
    first: StandardisedLayer,
    second: StandardisedLayer,
    samples: HalfSamples,
) -> None:
    """Writes the values of a pair in each half: from x to y, and from y to x; `[halves]` each."""
    drawn = subsets(samples)[1:].to(of_groups.dtype)
    at_once = max(1, BUFFER_NUMBERS // of_groups[0].numel())
    for start in range(0, len(drawn), at_once):
        part = slice(start, start + at_once)
        products = (drawn[part] @ of_groups.flatten(1)).view(-1, *of_groups.shape[1:])
        products.baddbmm_(first.sums[part, :, None], second.sums[part, None, :], alpha=-1)
        products.abs_().mul_(first.scales[part, :, None]).mul_(second.scales[part, None, :])
        forth[part] = _mean_over(products.amax(dim=2), first.scales[part])
        back[part] = _mean_over(products.amax(dim=1), second.scales[part])


def _mean_over(best: torch.Tensor, scales: torch.Tensor) -> np.ndarray:
    """Returns the mean over the columns that vary in a half: float64 `[halves]`."""
    return (best.sum(dim=1, dtype=torch.float64) / (scales > 0).sum(dim=1)).numpy()


def _shuffled_values(layers: Sequence[StandardisedLayer], samples: HalfSamples, order: np.ndarray) -> np.ndarray:
    """Returns all pairs with the rows of one side in another order: float64 `[layers, layers]`."""
    values = np.empty((len(layers), len(layers)))
    places = torch.from_numpy(samples.places)
    for y, second in enumerate(layers):
        shuffled = torch.zeros_like(second.vectors)
        shuffled[places] = second.vectors[places[torch.from_numpy(order)]]
        for x, first in enumerate(layers[: y + 1]):
            forth, back = _mean_best(first.vectors.T @ shuffled)
            values[y, x], values[x, y] = back, forth
    return values
