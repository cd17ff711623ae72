"""Centred kernel alignment of all pairs of layers, unbiased and biased (Kornblith et al. 2019; Song et al. 2012)."""

from collections.abc import Sequence
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


@dataclass(frozen=True, eq=False)
class GramSums:
    """What alignment needs of the Gram matrices, without any centring of theirs.

    Attributes:
        inner: sums of K_ij L_ij over two different items: float64 `[1 + halves, layers, layers]`, of all items first.
        rows: sums of a row over each group, without the item itself: float64 `[layers, rows, groups]`.
        diagonals: K_ii, float64 `[layers, rows]`, 0 at padding.
    """

    inner: torch.Tensor
    rows: torch.Tensor
    diagonals: torch.Tensor


def linear_sums(layers: Sequence[CentredLayer], samples: HalfSamples) -> GramSums:
    """Returns the sums of linear kernels."""
    return GramSums(inner_products(layers, samples), row_sums(layers, samples), diagonals(layers))


def unbiased_alignment(sums: GramSums, samples: HalfSamples) -> MeasuredPairs:
    """Returns unbiased CKA: of the estimator of HSIC without terms of an item with itself (Song et al. 2012, eq. 5).

    With the rows of one side shuffled its mean over all shuffles is exactly 0: the estimator is the inner product of
    two U-centred matrices, whose entries off the diagonal add up to 0.
    """
    values = []
    for inner, drawn in zip(sums.inner, subsets(samples), strict=True):
        of_rows, n_items = _rows_of(sums, samples, drawn)
        totals = of_rows.sum(dim=1)
        whole = torch.outer(totals, totals) / ((n_items - 1) * (n_items - 2))
        values.append(_cosines(inner - 2 / (n_items - 2) * of_rows @ of_rows.T + whole))
    shuffled = np.zeros_like(values[0])
    return MeasuredPairs(values[0], shuffled, np.array(values[1:]))


def biased_alignment(sums: GramSums, samples: HalfSamples) -> MeasuredPairs:
    """Returns CKA as released by Wu et al. (2020): the cosine of the two centred Gram matrices.

    With the rows of one side shuffled its mean over all shuffles is known: the product of the traces of the two centred
    matrices over n - 1, over the product of their lengths (Kazi-Aoual et al. 1995).
    """
    values, shuffled = [], []
    own = own_products(sums.diagonals, samples)
    drawn_rows = torch.repeat_interleave(subsets(samples), samples.group_size, dim=1)
    for inner, of_items, drawn, counts in zip(sums.inner, own, subsets(samples), drawn_rows, strict=True):
        of_rows, n_items = _rows_of(sums, samples, drawn)
        diagonal = sums.diagonals * counts
        of_rows = of_rows + diagonal
        totals = of_rows.sum(dim=1)
        whole = torch.outer(totals, totals) / n_items**2
        centred = inner + of_items - 2 / n_items * of_rows @ of_rows.T + whole
        traces = diagonal.sum(dim=1) - totals / n_items
        values.append(_cosines(centred))
        lengths = centred.diagonal().sqrt()
        shuffled.append((torch.outer(traces, traces) / (n_items - 1) / torch.outer(lengths, lengths)).numpy())
    return MeasuredPairs(values[0], shuffled[0], np.array(values[1:]))


def _rows_of(sums: GramSums, samples: HalfSamples, drawn: torch.Tensor) -> tuple[torch.Tensor, int]:
    """Returns the row sums over the items of a subset, 0 for other items, `[layers, rows]`; and how many items."""
    counts = torch.zeros(samples.n_rows, dtype=torch.float64)
    counts[torch.from_numpy(samples.places)] = 1
    counts *= torch.repeat_interleave(drawn, samples.group_size)
    return (sums.rows @ drawn) * counts, int(counts.sum())


def _cosines(products: torch.Tensor) -> np.ndarray:
    lengths = products.diagonal().sqrt()
    return (products / torch.outer(lengths, lengths)).numpy()
