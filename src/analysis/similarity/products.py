"""Linear CKA of all pairs of layers, from inner products of their Gram matrices: of all items and of halves of them.

Linear CKA (Kornblith et al. 2019, section 3) needs of two Gram matrices K and L no more than the sum of K_ij L_ij over
i and j, which is of the pair, and row sums and diagonals, which are of the layer. K_ij of all layers are made block by
block, used for all pairs and forgotten: with n items, P columns of all layers and l layers n² P + n² l² operations.

No n x n matrix is held, nor anything else that grows with the number of pairs, but the l x l sums themselves. Products
are made in the layers' float32 (float64 where they are), sums of more than a few thousand in float64.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from polyprobe.analysis.similarity.centred_layer import CentredLayer
from polyprobe.analysis.similarity.half_samples import HalfSamples
from polyprobe.analysis.similarity.measures import MeasuredPairs
from polyprobe.display.progress import each

BUFFER_NUMBERS = 2**22  # of Gram blocks or of covariances in halves held at a time: 16 MiB in float32
SUBSETS_AT_ONCE = 8  # whose row sums are held, a float64 for each item and layer
ROUNDING = {
    torch.float32: 2e-5,  # up to 7e-6 was measured with 5,000 items of which one differs
    torch.float64: 1e-13,
}
"""The share of a kernel's squared norm that rounding may leave where nothing is left, by the numbers it is made in."""


@dataclass(frozen=True, eq=False)
class GramSums:
    """What alignment needs of the Gram matrices, without any centring of theirs."""

    inner: torch.Tensor
    """Sums of K_ij L_ij over two different items: float64 `[1 + halves, layers, layers]`, of all items first."""
    rows: torch.Tensor
    """Sums of a row over each group, without the item itself: float64 `[layers, rows, groups]`."""
    diagonals: torch.Tensor
    """K_ii, float64 `[layers, rows]`, 0 at padding."""
    rounding: float
    """A value of `ROUNDING`."""


def linear_sums(layers: Sequence[CentredLayer], samples: HalfSamples) -> GramSums:
    """Returns the sums of linear kernels."""
    lengths = np.empty((len(layers), samples.n_rows))
    for of_layer, layer in zip(lengths, layers, strict=True):
        vectors = layer.vectors.numpy()
        np.einsum("rc,rc->r", vectors, vectors, dtype=np.float64, out=of_layer)  # without a copy in float64
    diagonals, number = torch.from_numpy(lengths), layers[0].vectors.dtype
    of_groups = _group_inner_products([layer.vectors for layer in layers], samples, number)
    inner = torch.stack([torch.einsum("g,h,ghxy->xy", one, one, of_groups) for one in subsets(samples)])
    return GramSums(inner, _row_sums(layers, diagonals, samples), diagonals, ROUNDING[number])


def unbiased_alignment(sums: GramSums, samples: HalfSamples) -> MeasuredPairs:
    """Returns unbiased CKA: of the estimator of HSIC without terms of an item with itself (Song et al. 2012, eq. 5).

    About 0 for vectors that have nothing to do with each other, however many neurons there are (Nguyen et al. 2021,
    section 3); it may fall below. With the rows of one side shuffled its mean over all shuffles is exactly 0: the
    estimator is the inner product of two U-centred matrices, whose entries off the diagonal add up to 0.

    It is NaN for a layer whose HSIC with itself is 0: at most one item differs from the others.
    """
    values = []
    own = _own_products(sums.diagonals, samples)
    for inner, of_items, (rows, weights) in zip(sums.inner, own, _rows_of_subsets(sums, samples), strict=True):
        n_items, totals = int(weights.sum()), rows.sum(dim=1)
        of_totals = torch.outer(totals, totals) / ((n_items - 1) * (n_items - 2))
        products = inner - 2 / (n_items - 2) * rows @ rows.T + of_totals
        whole = (inner + of_items).diagonal()
        products[products.diagonal() <= sums.rounding * whole] = torch.nan
        values.append(_cosines(products))
    return MeasuredPairs(values[0], np.zeros_like(values[0]), np.array(values[1:]).reshape(-1, *values[0].shape))


def biased_alignment(sums: GramSums, samples: HalfSamples) -> MeasuredPairs:
    """Returns CKA as released by Wu et al. (2020): the cosine of the two centred Gram matrices.

    It rises with neurons per item, also between vectors that have nothing to do with each other: see
    `unbiased_alignment`. With the rows of one side shuffled its mean over all shuffles is known: the product of the
    traces of the two centred matrices over n - 1, over the product of their lengths (Kazi-Aoual et al. 1995).
    """
    values, shuffled = [], []
    own = _own_products(sums.diagonals, samples)
    for inner, of_items, (others, weights) in zip(sums.inner, own, _rows_of_subsets(sums, samples), strict=True):
        n_items = int(weights.sum())
        diagonals = sums.diagonals * weights
        rows = others + diagonals
        totals = rows.sum(dim=1)
        centred = inner + of_items - 2 / n_items * rows @ rows.T + torch.outer(totals, totals) / n_items**2
        traces = diagonals.sum(dim=1) - totals / n_items
        lengths = centred.diagonal().sqrt()
        values.append(_cosines(centred))
        shuffled.append((torch.outer(traces, traces) / (n_items - 1) / torch.outer(lengths, lengths)).numpy())
    return MeasuredPairs(values[0], shuffled[0], np.array(values[1:]).reshape(-1, *values[0].shape))


def _rows_of_subsets(sums: GramSums, samples: HalfSamples) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Yields the row sums over all items, then those over each half, without the item itself, and which items count.

    Returns:
        float64 `[layers, rows]`, 0 at other items; float64 `[rows]`, 1 at the items of the subset, else 0.
    """
    of_all = torch.from_numpy(samples.weights)
    for several in subsets(samples).split(SUBSETS_AT_ONCE):
        rows = (sums.rows @ several.T).unbind(dim=2)
        for of_layers, drawn in zip(rows, several, strict=True):
            weights = of_all * torch.repeat_interleave(drawn, samples.group_size)
            yield of_layers * weights, weights


def _cosines(products: torch.Tensor) -> np.ndarray:
    lengths = products.diagonal().sqrt()
    return (products / torch.outer(lengths, lengths)).numpy()


def subsets(samples: HalfSamples) -> torch.Tensor:
    """Returns which groups are in all items and in each half: float64 `[1 + halves, groups]`, 1 or 0."""
    drawn = np.concatenate([np.ones((1, samples.n_groups)), samples.is_drawn])
    return torch.from_numpy(drawn)


def _group_inner_products(vectors: Sequence[torch.Tensor], samples: HalfSamples, number: torch.dtype) -> torch.Tensor:
    """Returns the sums of K_ij L_ij over two different items of two groups each.

                      group 0   1   2   3
        of group 1:     .     [ 1 | 2 | 3 ]     symmetric: what stands left of the diagonal is copied

    Args:
        vectors: of each layer, `[rows, columns]`, 0 at padding.
        number: torch.float32 or torch.float64, theirs.

    Returns:
        float64 `[groups, groups, layers, layers]`.
    """
    n_layers, size, n_groups = len(vectors), samples.group_size, samples.n_groups
    sums = torch.zeros(n_groups, n_groups, n_layers, n_layers, dtype=torch.float64)
    at_once = max(1, min(n_groups, BUFFER_NUMBERS // (n_layers * size**2)))
    buffer = torch.empty(n_layers, at_once * size, size, dtype=number)
    for group in each(range(n_groups), "multiplying", "groups of items"):
        columns = slice(group * size, (group + 1) * size)
        for first in range(group, n_groups, at_once):
            last = min(first + at_once, n_groups)
            held = buffer[:, : (last - first) * size]
            for of_layer, gram in zip(vectors, held, strict=True):
                torch.mm(of_layer[first * size : last * size], of_layer[columns].T, out=gram)
            if first == group:
                held[:, :size].diagonal(dim1=1, dim2=2).zero_()
            products = _products_of_groups(held, last - first, size)
            sums[group, first:last] = products
            sums[first:last, group] = products
    return sums


def _products_of_groups(held: torch.Tensor, n_held: int, size: int) -> torch.Tensor:
    """Multiplies all layers' blocks with one another, group by group: float64 `[groups, layers, layers]`.

    A group's block is cut so that no product of float32 adds up more than a few thousand numbers.

    Args:
        held: `[layers, groups * size, size]`.
    """
    n_layers = len(held)
    length = size * size if size <= 64 else 4 * size
    pieces = held.reshape(n_layers, -1, length).transpose(0, 1)
    products = torch.bmm(pieces, pieces.transpose(1, 2))
    return products.view(n_held, -1, n_layers, n_layers).sum(dim=1, dtype=torch.float64)


def _own_products(of_items: torch.Tensor, samples: HalfSamples) -> torch.Tensor:
    """Returns the sums of K_ii L_ii, of which `of_items` has one factor: float64 `[1 + halves, layers, layers]`."""
    in_groups = of_items.view(len(of_items), samples.n_groups, samples.group_size).transpose(0, 1)
    products = torch.bmm(in_groups, in_groups.transpose(1, 2))
    return torch.einsum("sg,gxy->sxy", subsets(samples), products)


def _row_sums(layers: Sequence[CentredLayer], of_items: torch.Tensor, samples: HalfSamples) -> torch.Tensor:
    """Returns the sums of each row of K over the items of each group, the item itself (`of_items`) left out.

    Returns:
        float64 `[layers, rows, groups]`.
    """
    n_groups, size = samples.n_groups, samples.group_size
    rows = torch.arange(samples.n_rows)
    sums = torch.empty(len(layers), samples.n_rows, n_groups, dtype=torch.float64)
    for of_layer, layer, own in zip(sums, layers, of_items, strict=True):
        of_groups = layer.vectors.view(n_groups, size, -1).sum(dim=1)  # of float32: torch adds up in a tree
        of_layer.copy_(layer.vectors @ of_groups.T)
        of_layer[rows, rows // size] -= own
    return sums
