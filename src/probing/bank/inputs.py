"""The inputs of probes in a product with their weights: dense vectors, or rows of few entries."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from src.probing.bank.sparse_rows import SparseRows

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
