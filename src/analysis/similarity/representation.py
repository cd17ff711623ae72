"""What is compared: the vectors that one layer of an encoder gives to items."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np


class Representation(Protocol):
    """One layer's vectors of the items; all that are compared have the same items in the same order.

    Attributes:
        name: as messages call it ("minilm, layer 3").
        n_items: rows.
        width: neurons.
    """

    name: str
    n_items: int
    width: int

    def block(self, start: int, stop: int) -> np.ndarray:
        """Returns the vectors of items `start` to `stop`, `[items, width]`, float32 or float16; a copy or a view."""


@dataclass(frozen=True, eq=False)
class MatrixRepresentation:
    """Rows of a matrix, in memory or mapped from a file.

    Attributes:
        matrix: float32 or float16 `[rows, width]`.
        rows: int64 `[items]`, the row of each item.
    """

    name: str
    matrix: np.ndarray
    rows: np.ndarray

    @property
    def n_items(self) -> int:
        return len(self.rows)

    @property
    def width(self) -> int:
        return self.matrix.shape[1]

    def block(self, start: int, stop: int) -> np.ndarray:
        return self.matrix[self.rows[start:stop]]
