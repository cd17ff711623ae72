"""Similarities that rest on distances between items: CKA of Gaussian kernels, and representational similarity."""

from collections.abc import Sequence

import numpy as np
import torch
from scipy.stats import rankdata

from polyprobe.analysis.similarity.half_samples import HalfSamples
from polyprobe.analysis.similarity.layers import CentredLayer
from polyprobe.analysis.similarity.measures import NotDefined
from polyprobe.analysis.similarity.products import ROUNDING, GramSums, group_inner_products, summed_over_halves

SMALLEST_MEDIAN = 1e-12  # of squared distances, where the mean squared length is 1: below it they are rounding
DISTANCE_DECIMALS = 12  # of `rsa`: what is equal but for rounding is a tie


def gaussian_sums(layers: Sequence[CentredLayer], samples: HalfSamples) -> GramSums:
    """Returns the sums of Gaussian kernels, made in float64: entries are alike, and what counts are differences."""
    kernels = GaussianKernels(layers, samples)
    of_groups = group_inner_products(len(layers), samples, kernels, torch.float64)
    inner = summed_over_halves(of_groups, samples)
    return GramSums(inner, kernels.row_sums, kernels.weights.expand(len(layers), -1), ROUNDING[torch.float64])


class GaussianKernels:
    """Kernels exp(-d^2 / 2 m) of squared distances d^2 with their lower median m, as released by Wu et al. (2020).

    The median is that of all items, those of each item to itself among them, and stays so in halves of them. It takes
    the distances of one layer at a time: a float64 for every two items, 4 MB for 1,000 items and 400 MB for 10,000.

    Raises:
        NotDefined: the median is 0: at least half of the pairs of items are equal.
    """

    def __init__(self, layers: Sequence[CentredLayer], samples: HalfSamples):
        self.row_sums = torch.zeros(len(layers), samples.n_rows, samples.n_groups, dtype=torch.float64)
        self.weights = torch.from_numpy(samples.weights)
        self._layers = layers
        self._group_size = samples.group_size
        self._lengths = [layer.vectors.double().square().sum(dim=1) for layer in layers]
        self._medians = [self._median(layer, samples) for layer in range(len(layers))]

    def __call__(self, layer: int, rows: slice, columns: slice, out: torch.Tensor) -> None:
        """Writes a block of a layer's kernel, and notes its row sums.

        Args:
            rows: of one group or of several.
            columns: of one group, the first of `rows` or one before them.
            out: float64 `[rows, columns]`.
        """
        torch.exp(self._distances(layer, rows, columns).div_(-2 * self._medians[layer]), out=out)
        out.mul_(self.weights[rows, None]).mul_(self.weights[columns])
        if rows.start == columns.start:
            out.diagonal().zero_()
        first, size = columns.start // self._group_size, self._group_size
        in_groups = slice(rows.start // size, rows.stop // size)
        self.row_sums[layer, rows, first] = out.sum(dim=1)
        self.row_sums[layer, columns, in_groups] = out.view(-1, size, size).sum(dim=1).T

    def _distances(self, layer: int, rows: slice, columns: slice) -> torch.Tensor:
        """Returns squared distances: float64 `[rows, columns]`."""
        vectors, lengths = self._layers[layer].vectors, self._lengths[layer]
        products = vectors[rows].double() @ vectors[columns].double().T
        return (lengths[rows, None] + lengths[columns] - 2 * products).clamp_min_(0)

    def _median(self, layer: int, samples: HalfSamples) -> float:
        """Returns the lower median of all n^2 squared distances, the n of items to themselves included."""
        n_items = len(samples.places)
        distances = np.empty(n_items * (n_items - 1) // 2)
        end = 0
        for group in range(samples.n_groups):
            columns = slice(group * self._group_size, (group + 1) * self._group_size)
            block = self._distances(layer, slice(columns.start, None), columns).numpy()
            is_counted = np.tri(len(block), block.shape[1], -1, dtype=bool)  # each pair of items once
            is_counted &= (self.weights[columns.start :, None] * self.weights[columns]).numpy() > 0
            found = block[is_counted]
            distances[end : end + len(found)] = found
            end += len(found)
        assert end == len(distances), f"{end} distances of {n_items} items"
        place = ((n_items**2 - 1) // 2 - n_items) // 2  # after n zeros each distance comes twice
        distances.partition(place)
        if distances[place] < SMALLEST_MEDIAN:
            name = self._layers[layer].name
            raise NotDefined(
                name,
                f"at least half of the pairs of {n_items} items are equal in {name}: a Gaussian kernel has no width",
            )
        return float(distances[place])


def ranked_distances(name: str, vectors: torch.Tensor) -> tuple[torch.Tensor]:
    """Ranks the distances between the items of a layer for RSA (Kriegeskorte et al. 2008).

    The distance of two items is 1 minus the correlation of their vectors over the neurons; each pair of items counts
    once; equal distances share the mean of their ranks. All of this is assumed, for the article leaves it open.
    Constant columns count, as they do in an item's own mean and deviation.

    Args:
        name: of the layer.
        vectors: `[items, neurons]`; ranks have their type of number.

    Returns:
        The ranks, centred, of length 1: `[items * (items - 1) / 2]`; 2 MB for 1,000 items in float32, 200 MB for
        10,000.

    Raises:
        NotDefined: an item's neurons all have one value, or all distances are equal.
    """
    is_flat = vectors.amax(dim=1) == vectors.amin(dim=1)
    if is_flat.any():
        raise NotDefined(
            name,
            f"{int(is_flat.sum())} of {len(vectors)} items have one value in all {vectors.shape[1]} neurons of {name}, "
            f"the first is item {int(is_flat.nonzero()[0])}: rsa correlates items over neurons",
        )
    centred = vectors.double()
    centred = centred - centred.mean(dim=1, keepdim=True)
    centred /= centred.norm(dim=1, keepdim=True)
    correlations = (centred @ centred.T).numpy()[np.triu_indices(len(vectors), 1)]
    ranks = rankdata(np.round(1 - correlations, DISTANCE_DECIMALS))
    ranks -= ranks.mean()
    length = np.linalg.norm(ranks)
    if not length:
        raise NotDefined(name, f"all pairs of items have the same distance in {name}: rsa has nothing to rank")
    return (torch.from_numpy(ranks / length).to(vectors.dtype),)


def rank_correlation(x: tuple[torch.Tensor], y: tuple[torch.Tensor]) -> tuple[float, float]:
    """Returns Spearman's correlation of the distances, for both directions."""
    found = float(torch.dot(x[0].double(), y[0].double()))
    return found, found
