"""Vectors of few entries, such as counts: a row is multiplied by the weights of its own entries alone."""

from dataclasses import dataclass
from itertools import pairwise

import torch
from scipy.sparse import csr_matrix
from torch import Tensor
from torch.nn import functional as F


@dataclass(frozen=True, eq=False)
class SparseRows:
    """A matrix row by row (CSR), in place of the dense vectors of a `ProbeData`."""

    starts: Tensor
    """int64 `[rows + 1]`: the entries of row i are those from `starts[i]` to `starts[i + 1]`."""
    columns: Tensor
    """int32 `[entries]`."""
    values: Tensor
    """float32 `[entries]`."""
    width: int
    """Number of columns."""

    @classmethod
    def of(cls, matrix: csr_matrix) -> "SparseRows":
        """Copies a matrix of scipy; entries of one place are added up."""
        matrix = matrix.tocsr(copy=True)
        matrix.sum_duplicates()
        starts, columns = torch.from_numpy(matrix.indptr).long(), torch.from_numpy(matrix.indices).int()
        return cls(starts, columns, torch.from_numpy(matrix.data).float(), matrix.shape[1])

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), self.width

    @property
    def device(self) -> torch.device:
        return self.values.device

    def to(self, device: torch.device) -> "SparseRows":
        """Returns the rows on a device."""
        return SparseRows(self.starts.to(device), self.columns.to(device), self.values.to(device), self.width)

    def taken(self, rows: Tensor, n_rows: int) -> "SparseRows":
        """Returns the given rows, int64 `[rows]`, and empty ones after them up to `n_rows`."""
        counts = self.starts[rows + 1] - self.starts[rows]
        starts = F.pad(counts.cumsum(0), (1, n_rows - len(rows)), value=int(counts.sum()))
        starts[0] = 0
        shifts = (self.starts[rows] - starts[: len(rows)]).repeat_interleave(counts)
        entries = torch.arange(len(shifts), device=self.device) + shifts
        return SparseRows(starts, self.columns[entries], self.values[entries], self.width)

    def split(self, n_rows: int) -> list["SparseRows"]:
        """Cuts the rows into blocks of so many; the last may have fewer."""
        bounds = self.starts[::n_rows].tolist()
        if (len(self) % n_rows) > 0:
            bounds.append(int(self.starts[-1]))
        return [
            SparseRows(
                self.starts[number * n_rows : (number + 1) * n_rows + 1] - start,
                self.columns[start:stop],
                self.values[start:stop],
                self.width,
            )
            for number, (start, stop) in enumerate(pairwise(bounds))
        ]

    def times(self, weights: Tensor) -> Tensor:
        """Multiplies by weights `[width, outputs]`, row by row: `[rows, outputs]`."""
        if len(self.columns) == 0:
            return weights.new_zeros(len(self), weights.shape[1])
        starts = self.starts.to(self.columns.dtype)
        return F.embedding_bag(
            self.columns, weights, starts, mode="sum", per_sample_weights=self.values, include_last_offset=True
        )

    def transposed_times(self, errors: Tensor) -> tuple[Tensor, Tensor]:
        """Multiplies the transposed matrix by errors `[rows, outputs]`.

        Returns:
            The columns that have an entry, int64 and rising, and their products `[those columns, outputs]`; those of
            all others are zero. Each is added up in the order of the rows, so that it is the same each time.
        """
        columns, order = torch.sort(self.columns, stable=True)
        found, counts = torch.unique_consecutive(columns, return_counts=True)
        rows = torch.arange(len(self), device=self.device, dtype=torch.int32).repeat_interleave(self.starts.diff())
        starts = F.pad(counts.cumsum(0), (1, 0))
        return found.long(), SparseRows(starts, rows[order], self.values[order], len(self)).times(errors)
