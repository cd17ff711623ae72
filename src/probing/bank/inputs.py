"""The inputs of probes in a product with their weights: dense vectors, or rows of few entries, such as counts.

A row of few entries is multiplied by the weights of its own entries alone.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
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


Rows = Tensor | SparseRows


class Inputs(ABC):
    """Examples of every family of a stack, `[families, examples, input width]`."""

    @abstractmethod
    def expand(self, n_families: int) -> "Inputs":
        """Returns the inputs of one family for so many, or those of all families as they are."""

    @abstractmethod
    def split(self, n_examples: int) -> Iterator["Inputs"]:
        """Yields views of so many examples of each family at a time."""

    @abstractmethod
    def sums(self, bias: Tensor, weights: Tensor) -> Tensor:
        """Returns the product with weights `[families, input width, outputs]`, and the bias `[families, 1, outputs]`.

        Returns:
            `[families, examples, outputs]`, in memory of its own.
        """

    @abstractmethod
    def sums_of_wide(self, bias: Tensor, weights: Tensor) -> Tensor:
        """Returns `sums` with the same bits for a family alone and in company, also where inputs are wide."""

    @abstractmethod
    def write_slopes(self, errors: Tensor, out: Tensor) -> None:
        """Writes the gradient of the weights, from that of the sums `[families, examples, outputs]`."""

    @abstractmethod
    def add_slopes(self, errors: Tensor, out: Tensor) -> None:
        """Adds it to what is there."""


@dataclass(frozen=True, slots=True)
class DenseInputs(Inputs):
    """Vectors: float32 `[families, examples, input width]`."""

    vectors: Tensor

    def expand(self, n_families: int) -> "DenseInputs":
        return DenseInputs(self.vectors.expand(n_families, -1, -1))

    def split(self, n_examples: int) -> Iterator["DenseInputs"]:
        return map(DenseInputs, self.vectors.split(n_examples, 1))

    def sums(self, bias: Tensor, weights: Tensor) -> Tensor:
        return torch.baddbmm(bias, self.vectors, weights)

    def sums_of_wide(self, bias: Tensor, weights: Tensor) -> Tensor:
        """One product alone is split over two threads along wide inputs, where two are not split.

        With threads it is computed twice side by side, so that a family's numbers do not depend on whether it is alone.
        """
        if len(weights) > 1 or weights.device.type != "cpu" or torch.get_num_threads() == 1:
            return self.sums(bias, weights)
        return torch.baddbmm(*(factor.expand(2, -1, -1) for factor in (bias, self.vectors, weights)))[:1]

    def write_slopes(self, errors: Tensor, out: Tensor) -> None:
        torch.bmm(self.vectors.mT, errors, out=out)

    def add_slopes(self, errors: Tensor, out: Tensor) -> None:
        out.baddbmm_(self.vectors.mT, errors)


@dataclass(frozen=True, slots=True)
class SparseInputs(Inputs):
    """Rows of few entries, of one family after another: no family's numbers depend on its company."""

    of_families: Sequence[SparseRows]

    def expand(self, n_families: int) -> "SparseInputs":
        return self if len(self.of_families) == n_families else SparseInputs(list(self.of_families) * n_families)

    def split(self, n_examples: int) -> Iterator["SparseInputs"]:
        return map(SparseInputs, zip(*(rows.split(n_examples) for rows in self.of_families), strict=True))

    def sums(self, bias: Tensor, weights: Tensor) -> Tensor:
        products = [rows.times(of_family) for rows, of_family in zip(self.of_families, weights, strict=True)]
        return torch.stack(products).add_(bias)

    def sums_of_wide(self, bias: Tensor, weights: Tensor) -> Tensor:
        return self.sums(bias, weights)

    def write_slopes(self, errors: Tensor, out: Tensor) -> None:
        out.zero_()
        for rows, of_family, slopes in zip(self.of_families, errors, out, strict=True):
            slopes.index_copy_(0, *rows.transposed_times(of_family.contiguous()))

    def add_slopes(self, errors: Tensor, out: Tensor) -> None:
        for rows, of_family, slopes in zip(self.of_families, errors, out, strict=True):
            slopes.index_add_(0, *rows.transposed_times(of_family.contiguous()))


def sums_of_rows(bias: Tensor, rows: Rows, weights: Tensor) -> Tensor:
    """Returns the product of rows `[examples, input width]` with weights `[input width, outputs]`, and the bias."""
    if isinstance(rows, SparseRows):
        return rows.times(weights).add_(bias)
    return torch.addmm(bias, rows, weights)
