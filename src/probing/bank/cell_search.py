"""A grid's search for the cell that counts, while its cells are trained: the weights of one of them are held."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class CellScores:
    """How many dev examples the probe of a cell has right."""

    n_dev: int
    """Dev examples."""
    whole: int
    """Right with all weights."""
    top: int
    bottom: int
    """Right with the weights of all but the top (bottom) neurons of its own ranking set to zero."""


class CellSearch:
    """The scores of the cells whose training is over, and the weights of the best so far.

    Cells may end in any order: of equals the one that stands first in the grid counts.

    Args:
        ablated_share: how many neurons are the top (the bottom): this share of their number.
        merit: what a cell is chosen by; the highest counts.

    Attributes:
        scores: by the cell's place in the grid.
        best: the place of the best so far; None before any has ended.
        weights, biases: of that cell: float32 `[labels, inputs]` and `[labels]`.
    """

    def __init__(self, ablated_share: float, merit: Callable[[CellScores], float]):
        self.ablated_share, self._merit = ablated_share, merit
        self.scores: dict[int, CellScores] = {}
        self.best: int | None = None
        self.weights, self.biases = np.empty((0, 0), np.float32), np.empty(0, np.float32)

    def take(self, place: int, scores: CellScores, weights: np.ndarray, biases: np.ndarray) -> None:
        """Takes a cell whose training is over."""
        self.scores[place] = scores
        if self.best is None or self._rank(place) > self._rank(self.best):
            self.best, self.weights, self.biases = place, weights, biases

    def _rank(self, place: int) -> tuple[float, int]:
        return self._merit(self.scores[place]), -place


@dataclass(frozen=True, eq=False, slots=True)
class SearchedCell:
    """A cell and the search that it is part of."""

    search: CellSearch
    """Takes it when its training is over."""
    place: int
    """Of the cell in the grid."""
