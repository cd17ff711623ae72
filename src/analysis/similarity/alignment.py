"""Centred kernel alignment of all pairs of layers, unbiased and biased (Kornblith et al. 2019; Song et al. 2012)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from src.analysis.similarity.centred_layers import CentredLayer
from src.analysis.similarity.half_samples import HalfSamples
from src.analysis.similarity.inner_products import (
    diagonals,
    inner_products,
    own_products,
    row_sums,
    subsets,
)
from src.analysis.similarity.pair_values import MeasuredPairs

FLOAT32_ROUNDING = 2e-5  # up to 7e-6 was measured with 5,000 items of which one differs
SUBSETS_AT_ONCE = 8  # whose row sums are held, a float64 for each item and layer


@dataclass(frozen=True, eq=False)
class GramSums:
    """What alignment needs of the Gram matrices, without any centring of theirs.

    Attributes:
        inner: sums of K_ij L_ij over two different items: float64 `[1 + halves, layers, layers]`, of all items first.
        rows: sums of a row over each group, without the item itself: float64 `[layers, rows, groups]`.
        diagonals: K_ii, float64 `[layers, rows]`, 0 at padding.
        rounding: share of a kernel's squared norm that rounding may leave where nothing is left.
    """

    inner: torch.Tensor
    rows: torch.Tensor
    diagonals: torch.Tensor
    rounding: float


def linear_sums(layers: Sequence[CentredLayer], samples: HalfSamples) -> GramSums:
    """Returns the sums of linear kernels."""
    of_items = diagonals(layers)
    return GramSums(inner_products(layers, samples), row_sums(layers, of_items, samples), of_items, FLOAT32_ROUNDING)


def unbiased_alignment(sums: GramSums, samples: HalfSamples) -> MeasuredPairs:
    """Returns unbiased CKA: of the estimator of HSIC without terms of an item with itself (Song et al. 2012, eq. 5).

    With the rows of one side shuffled its mean over all shuffles is exactly 0: the estimator is the inner product of
    two U-centred matrices, whose entries off the diagonal add up to 0.

    It is NaN for a layer whose HSIC with itself is 0: at most one item differs from the others.
    """
    values = []
    own = own_products(sums.diagonals, samples)
    for inner, of_items, of_subset in zip(sums.inner, own, _rows_of_subsets(sums, samples), strict=True):
        n_items, totals = of_subset.n_items, of_subset.rows.sum(dim=1)
        of_totals = torch.outer(totals, totals) / ((n_items - 1) * (n_items - 2))
        products = inner - 2 / (n_items - 2) * of_subset.rows @ of_subset.rows.T + of_totals
        whole = (inner + of_items).diagonal()
        products[products.diagonal() <= sums.rounding * whole] = torch.nan
        values.append(_cosines(products))
    return MeasuredPairs(values[0], np.zeros_like(values[0]), np.array(values[1:]).reshape(-1, *values[0].shape))


def biased_alignment(sums: GramSums, samples: HalfSamples) -> MeasuredPairs:
    """Returns CKA as released by Wu et al. (2020): the cosine of the two centred Gram matrices.

    With the rows of one side shuffled its mean over all shuffles is known: the product of the traces of the two centred
    matrices over n - 1, over the product of their lengths (Kazi-Aoual et al. 1995).
    """
    values, shuffled = [], []
    own = own_products(sums.diagonals, samples)
    for inner, of_items, of_subset in zip(sums.inner, own, _rows_of_subsets(sums, samples), strict=True):
        n_items = of_subset.n_items
        diagonals = sums.diagonals * of_subset.weights
        rows = of_subset.rows + diagonals
        totals = rows.sum(dim=1)
        centred = inner + of_items - 2 / n_items * rows @ rows.T + torch.outer(totals, totals) / n_items**2
        traces = diagonals.sum(dim=1) - totals / n_items
        lengths = centred.diagonal().sqrt()
        values.append(_cosines(centred))
        shuffled.append((torch.outer(traces, traces) / (n_items - 1) / torch.outer(lengths, lengths)).numpy())
    return MeasuredPairs(values[0], shuffled[0], np.array(values[1:]).reshape(-1, *values[0].shape))


@dataclass(frozen=True, eq=False)
class SubsetRows:
    """Row sums of the Gram matrices of a subset of the items.

    Attributes:
        rows: without the item itself: float64 `[layers, rows]`, 0 at other items.
        weights: float64 `[rows]`, 1 at the items of the subset, else 0.
    """

    rows: torch.Tensor
    weights: torch.Tensor

    @property
    def n_items(self) -> int:
        return int(self.weights.sum())


def _rows_of_subsets(sums: GramSums, samples: HalfSamples) -> Iterator[SubsetRows]:
    """Yields the row sums over all items, then those over each half."""
    of_all = torch.from_numpy(samples.weights)
    for several in subsets(samples).split(SUBSETS_AT_ONCE):
        rows = (sums.rows @ several.T).unbind(dim=2)
        for of_layers, drawn in zip(rows, several, strict=True):
            weights = of_all * torch.repeat_interleave(drawn, samples.group_size)
            yield SubsetRows(of_layers * weights, weights)


def _cosines(products: torch.Tensor) -> np.ndarray:
    lengths = products.diagonal().sqrt()
    return (products / torch.outer(lengths, lengths)).numpy()
