"""Pooling: pieces to the vectors of words and sentences, added up batch by batch."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from src.encoders.transformer.batches import NO_ROW


class PooledRows:
    """Means or maxima of pieces that come in any number of batches: one row a word or sentence, in every layer.

    Args:
        n_rows: how many vectors.
        widths: of the layers.
        maximum: whether rows are maxima, not means.
        device: where the hidden states are.
    """

    def __init__(self, n_rows: int, widths: Sequence[int], maximum: bool, device: torch.device):
        self._maximum = maximum
        start = -torch.inf if maximum else 0.0
        self._layers = [torch.full((n_rows, width), start, device=device) for width in widths]
        self._counts = torch.zeros(n_rows, 1, device=device)

    def add(self, rows: Tensor, layers: Sequence[Tensor]) -> None:
        """Adds the pieces of a batch to their rows, in float32.

        Args:
            rows: `[batch, pieces]`, int64; `NO_ROW` for a piece that does not count.
            layers: `[batch, pieces, width]` each.
        """
        positions = torch.nonzero(rows.flatten() != NO_ROW).squeeze(1).to(self._counts.device)
        if not len(positions):
            return
        rows = rows.flatten().to(self._counts.device)[positions]
        self._counts.index_add_(0, rows, torch.ones(len(rows), 1, device=rows.device))
        for pooled, layer in zip(self._layers, layers, strict=True):
            pieces = layer.flatten(0, 1)[positions].float()
            if self._maximum:
                pooled.scatter_reduce_(0, rows[:, None].expand_as(pieces), pieces, "amax")
            else:
                pooled.index_add_(0, rows, pieces)

    def vectors(self) -> list[np.ndarray]:
        """Returns `[rows, width]`, float32, for each layer."""
        assert bool((self._counts > 0).all()), "a row without pieces"
        counts = torch.ones_like(self._counts) if self._maximum else self._counts
        return [(layer / counts).cpu().numpy() for layer in self._layers]
