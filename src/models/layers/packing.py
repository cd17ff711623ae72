"""Ragged sequences as rows without padding: where each cell lies; what all batches have."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Self

import numpy as np
import torch
from torch import Tensor


class Batch:
    """The base of data classes of tensors and of parts that hold tensors; plain values stay as they are."""

    __slots__ = ()

    def to(self, device: torch.device) -> Self:
        """Returns the batch with all that moves on this device."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return replace(self, **{name: value.to(device) for name, value in values.items() if hasattr(value, "to")})


@dataclass(frozen=True, slots=True)
class Packing(Batch):
    """The order in which a bidirectional recurrent layer reads the cells of several sequences.

    Cells are given sequence after sequence. Rows are time after time, longest sequence first; those of the backward
    direction follow all those of the forward direction:

        cells   a0 a1 a2 b0 c0 c1        rows forward    a0 c0 b0 | a1 c1 | a2
                                         rows backward   a2 c1 b0 | a1 c0 | a0
    """

    sizes: tuple[int, ...]
    """How many sequences are still running at each time step."""
    order: Tensor
    """`[sequences]`, longest first, ties in their order."""
    cell_of_row: Tensor
    """`[2 cells]`, the cell that a row reads."""
    rows_of_cell: Tensor
    """`[cells, 2]`, its row in the forward and in the backward direction."""
    last_rows: Tensor
    """`[sequences, 2]`, the rows that end a sequence in each direction."""

    @classmethod
    def of(cls, lengths: Sequence[int] | np.ndarray) -> "Packing":
        """Packs sequences, at least one, of the given lengths, each at least 1."""
        lengths = np.asarray(lengths, dtype=np.int64)
        order = np.argsort(-lengths, kind="stable")
        falling, starts = lengths[order], (np.cumsum(lengths) - lengths)[order]
        times = np.arange(falling[0])[:, None]
        is_running = times < falling
        cell_of_row = np.stack([(starts + times)[is_running], (starts + falling - 1 - times)[is_running]])
        sizes = is_running.sum(1)
        last_rows = np.empty_like(order)
        last_rows[order] = (np.cumsum(sizes) - sizes)[falling - 1] + np.arange(len(order))
        backward = np.array([0, cell_of_row.shape[1]])
        rows_of_cell = np.argsort(cell_of_row, axis=1).T + backward
        arrays = (order, cell_of_row.reshape(-1), rows_of_cell, last_rows[:, None] + backward)
        return cls(tuple(sizes.tolist()), *map(torch.from_numpy, arrays))
