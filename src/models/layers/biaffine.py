"""Bilinear scores of pairs of vectors, with biases on both sides (Dozat and Manning 2017)."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional as F

from polyprobe.models.layers.full_precision import full_precision, widened

ROW = 8
"""Dependents that share a product with their head; few heads have more."""


class Biaffine(nn.Module):
    """Scores a dependent d and a head h by `[d 1] W [h 1]`, one W for each output.

    Args:
        width: of each of the two vectors.
    """

    def __init__(self, width: int, n_outputs: int):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(n_outputs, width + 1, width + 1))

    def all_pairs(self, dependents: Tensor, heads: Tensor) -> Tensor:
        """Scores every dependent with every head, for the first output.

        Args:
            dependents: `[batch, dependents, width]`.
            heads: `[batch, heads, width]`.

        Returns:
            `[batch, dependent, head]`.
        """
        with full_precision(heads.device):
            return with_one(widened(dependents)) @ self.weight[0] @ with_one(widened(heads)).transpose(1, 2)

    def pairs(self, dependents: Tensor, heads: Tensor, head_of_dependent: Tensor) -> Tensor:
        """Scores every dependent with one head: `[dependents, outputs]`.

        Args:
            dependents: `[dependents, width]`.
            heads: `[heads, width]`.
            head_of_dependent: `[dependents]`, rows of `heads`.
        """
        with full_precision(heads.device):
            inner, of_heads = self.weight.split([self.weight.shape[2] - 1, 1], dim=2)
            return _pairs(
                with_one(widened(dependents)), widened(heads), head_of_dependent, inner.contiguous(), of_heads.flatten()
            )

    @torch.no_grad()
    def initialise(self, generator: torch.Generator) -> None:
        """Draws each W from Xavier's uniform distribution, and zeros for the biases."""
        self.weight.zero_()
        for matrix in self.weight:
            inner = torch.empty(matrix.shape[0] - 1, matrix.shape[1] - 1)
            matrix[:-1, :-1] = nn.init.xavier_uniform_(inner, generator=generator)


def _pairs(dependents: Tensor, heads: Tensor, head_of_dependent: Tensor, weight: Tensor, biases: Tensor) -> Tensor:
    """Scores every dependent with one head: `[dependents, outputs]`.

    A head meets W once for all its dependents (that is most of the work), as one row:

        head_of_dependent  2 1 2 2        rows  1: dependent 1        2: dependents 0 2 3

    Args:
        dependents: `[dependents, width of dependents]`.
        heads: `[heads, width of heads]`.
        head_of_dependent: `[dependents]`, rows of `heads`.
        weight: `[outputs, width of dependents, width of heads]`.
        biases: `[outputs * width of dependents]`, added to what W makes of a head.
    """
    head_of_row, slot_of_dependent = _rows_of_heads(head_of_dependent)
    rows = dependents.new_zeros(len(head_of_row) * ROW, weight.shape[1])
    rows = rows.index_copy(0, slot_of_dependent, dependents).view(-1, ROW, weight.shape[1])
    scores = _RowScores.apply(rows, heads.index_select(0, head_of_row), weight, biases)
    return scores.flatten(0, 1).index_select(0, slot_of_dependent)


class _RowScores(torch.autograd.Function):
    """Scores the dependents of a row with its head. What W makes of the heads, by far the largest of all tensors, and
    its gradients lie in the same memory, which autograd would lay out anew twice."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, heads: Tensor, weight: Tensor, biases: Tensor) -> Tensor:
        """Returns `[rows, ROW, outputs]`.

        Args:
            rows: `[rows, ROW, width of dependents]`, the dependents.
            heads: `[rows, width of heads]`.
            weight, biases: see `_pairs`.
        """
        ctx.met = F.linear(heads, weight.flatten(0, 1), biases).view(len(rows), *weight.shape[:2])
        ctx.save_for_backward(rows, heads, weight)
        return rows @ ctx.met.transpose(1, 2)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, by_score: Tensor) -> tuple[Tensor | None, ...]:
        rows, heads, weight = ctx.saved_tensors
        met, ctx.met = ctx.met, None
        by_rows = by_score @ met
        by_met = torch.bmm(by_score.transpose(1, 2), rows, out=met).flatten(1)
        return by_rows, by_met @ weight.flatten(0, 1), (by_met.t() @ heads).view_as(weight), by_met.sum(0)


def with_one(vectors: Tensor) -> Tensor:
    """Appends a 1 to every vector: `[..., width + 1]`."""
    return F.pad(vectors, (0, 1), value=1.0)


def _rows_of_heads(head_of_dependent: Tensor) -> tuple[Tensor, Tensor]:
    """Puts the dependents of a head next to each other, in as many rows of `ROW` slots as necessary.

    Returns:
        `[rows]`, the head of each, and `[dependents]`, the slot of each, counted through all rows.
    """
    heads, order = head_of_dependent.sort(stable=True)
    places = torch.arange(len(heads), device=heads.device)
    place_in_head = places - torch.searchsorted(heads, heads)
    starts_row = place_in_head % ROW == 0
    slots = torch.empty_like(order)
    slots[order] = (starts_row.cumsum(0) - 1) * ROW + place_in_head % ROW
    return heads[starts_row], slots
