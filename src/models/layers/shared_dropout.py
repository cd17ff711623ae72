"""Dropout that drops the same numbers at all words of a sentence."""

from collections.abc import Sequence
from typing import Annotated

import torch
from annotated_types import Ge, Lt
from torch import Tensor, nn
from torch.nn import functional as F

from polyprobe.section import Expected, Number

DropShare = Annotated[Number, Ge(0), Lt(1), Expected("at least 0 and below 1")]
"""Of the numbers, that is dropped in training."""


class SharedDropout(nn.Module):
    """Draws one mask for each sequence (Gal and Ghahramani 2016); does nothing in evaluation.

    Args:
        share: of the numbers that are dropped, at least 0 and below 1.
    """

    def __init__(self, share: float):
        super().__init__()
        self.share = share

    def forward(self, cells: Tensor, sequence_of_cell: Tensor, n_sequences: int) -> Tensor:
        """Returns `[cells, width]`, with the kept numbers scaled up.

        Args:
            cells: `[cells, width]`.
            sequence_of_cell: `[cells]`, which sequence a cell belongs to.
        """
        if not self.training or self.share == 0:
            return cells
        masks = drawn_masks(self.share, (n_sequences, cells.shape[1]), cells.device)
        return cells * masks.index_select(0, sequence_of_cell)


def drawn_masks(share: float, shape: Sequence[int], device: torch.device) -> Tensor:
    """Draws 0 for a share of all numbers, and what scales up the kept ones for the others."""
    return F.dropout(torch.ones(*shape, device=device), share)
