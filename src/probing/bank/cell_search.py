"""A grid's search for the cell that counts, while its cells are trained: the weights of one of them are held.

A cell whose training is over is scored without the weights of most of its inputs, too.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from polyprobe.metrics.neurons import STRIDE, ordering


@dataclass(frozen=True, slots=True)
class CellScores:
    """How many dev examples the probe of a cell has right."""

    n_dev: int
    whole: int
    """Right with all weights."""
    top: int
    bottom: int
    """Right with the weights of all but the top (bottom) neurons of its own ranking set to zero."""


class CellSearch:
    """The scores of the cells whose training is over, and the weights of the best so far.

    Cells may end in any order, and in several threads: of equals the one that stands first in the grid counts.

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
        self._lock = Lock()
        self.weights, self.biases = np.empty((0, 0), np.float32), np.empty(0, np.float32)

    def take(self, place: int, scores: CellScores, weights: np.ndarray, biases: np.ndarray) -> None:
        """Takes a cell whose training is over."""
        with self._lock:
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


# Columns of a product are padded to a multiple of this, as those in training are.
UNIT = 16


@dataclass(frozen=True, eq=False, slots=True)
class EndedCell:
    """A probe whose training is over, and the search that asks for it."""

    cell: SearchedCell
    weights: Tensor
    """`[inputs, labels]`."""
    biases: Tensor
    """`[labels]`."""
    dev_predictions: Tensor
    """int64 `[examples]`, with all weights."""
    train_labels: Tensor
    """Those that train has, rising: int64 `[train labels]`."""


def tell_searches(ended: Sequence[EndedCell], dev_vectors: Iterable[Tensor], dev_labels: Tensor) -> None:
    """Scores cells with all but their top (their bottom) neurons set to zero, and tells their searches.

    Args:
        ended: of one test and one layer.
        dev_vectors: `[examples, inputs]` a block; each is read once.
        dev_labels: int64 `[examples]`.
    """
    layers = [_ablated(one) for one in ended]
    n_right = torch.zeros(len(ended), 2, dtype=torch.int64, device=dev_labels.device)
    start = 0
    for vectors in dev_vectors:
        labels = dev_labels[start : start + len(vectors), None]
        for place, (weights, biases) in enumerate(layers):
            scores = torch.addmm(biases, vectors, weights)[:, : 2 * len(ended[place].biases)]
            n_right[place] += (scores.unflatten(1, (2, -1)).argmax(2) == labels).sum(0)
        start += len(vectors)
    for one, (top, bottom) in zip(ended, n_right.tolist(), strict=True):
        whole = int((one.dev_predictions == dev_labels).sum())
        scores = CellScores(len(dev_labels), whole, top, bottom)
        # Copies: a view would hold the weights of all cells beside this one.
        weights, biases = (tensor.cpu().numpy().copy() for tensor in (one.weights.T, one.biases))
        one.cell.search.take(one.cell.place, scores, weights, biases)


def _ablated(ended: EndedCell) -> tuple[Tensor, Tensor]:
    """Returns the probe twice side by side, first with the top neurons alone, then with the bottom neurons alone."""
    # A label that train lacks is never learnt: what it weighs was drawn, and ranks nothing.
    learnt = ended.weights[:, ended.train_labels].T.cpu().numpy()
    order = torch.from_numpy(ordering(learnt, STRIDE)).to(ended.weights.device)
    n_kept = max(1, round(ended.cell.search.ablated_share * len(order)))
    sides = [
        torch.zeros_like(ended.weights).index_copy_(0, kept, ended.weights[kept])
        for kept in (order[:n_kept], order[-n_kept:])
    ]
    n_none = -2 * len(ended.biases) % UNIT
    return F.pad(torch.cat(sides, 1), (0, n_none)), F.pad(ended.biases.repeat(2), (0, n_none))
