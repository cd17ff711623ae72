"""Batches of sequences of pieces, alike in length, no more positions than a budget, and how they are pooled."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

NO_ROW = -1


@dataclass(frozen=True, eq=False, slots=True)
class PieceSequence:
    """A sequence of pieces for the model, special tokens included; all `[pieces]`, int64."""

    ids: np.ndarray
    word_rows: np.ndarray
    """The row of the word vector that the piece adds to; `NO_ROW` for none."""
    sentence_rows: np.ndarray
    """The same for vectors of sentences."""


@dataclass(frozen=True, eq=False, slots=True)
class PieceBatch:
    """Sequences padded on the right to the longest; all `[batch, pieces]`."""

    ids: Tensor
    """Int64."""
    is_real: Tensor | None
    """True at pieces, False at padding; None where there is no padding."""
    word_rows: Tensor
    sentence_rows: Tensor
    """Both int64, see `PieceSequence`."""


def batches(sequences: Sequence[PieceSequence], token_budget: int, padding_id: int) -> Iterator[PieceBatch]:
    """Yields all sequences, the longest first, in batches of at most `token_budget` positions, padding included.

    A sequence that is longer than the budget is a batch of its own.
    """
    for numbers in within_budget([len(sequence.ids) for sequence in sequences], token_budget):
        yield _padded([sequences[number] for number in numbers], padding_id)


def within_budget(lengths: Sequence[int], token_budget: int) -> Iterator[list[int]]:
    """Yields the numbers of the sequences of each batch, by falling length."""
    batch: list[int] = []
    for number in sorted(range(len(lengths)), key=lambda number: -lengths[number]):
        if batch and (len(batch) + 1) * lengths[batch[0]] > token_budget:
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch


def _padded(sequences: Sequence[PieceSequence], padding_id: int) -> PieceBatch:
    lengths = np.array([len(sequence.ids) for sequence in sequences])
    is_real = np.arange(lengths.max()) < lengths[:, None]
    ids = _filled(is_real, [sequence.ids for sequence in sequences], padding_id)
    word_rows = _filled(is_real, [sequence.word_rows for sequence in sequences], NO_ROW)
    sentence_rows = _filled(is_real, [sequence.sentence_rows for sequence in sequences], NO_ROW)
    return PieceBatch(ids, None if is_real.all() else torch.from_numpy(is_real), word_rows, sentence_rows)


def _filled(is_real: np.ndarray, values: Sequence[np.ndarray], padding: int) -> Tensor:
    matrix = np.full(is_real.shape, padding, np.int64)
    matrix[is_real] = np.concatenate(values)
    return torch.from_numpy(matrix)


class PooledRows:
    """Means or maxima of pieces that come in any number of batches: one row a word or sentence, in every layer.

    Args:
        widths: of the layers.
        maximum: whether rows are maxima, not means.
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
