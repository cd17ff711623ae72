"""Layers as all pairs need them: read once, centred in float64, kept as float32, group by group.

Vectors that are given in float64 stay so.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch

from polyprobe.analysis.similarity.half_samples import LEAST_ITEMS, HalfSamples
from polyprobe.analysis.similarity.measures import NoSimilarity, NotDefined

BLOCK_ROWS = 4096


class Representation(Protocol):
    """One layer's vectors of the items; all that are compared have the same items in the same order."""

    name: str
    """As messages call it ("minilm, layer 3")."""
    n_items: int
    width: int

    def block(self, start: int, stop: int) -> np.ndarray:
        """Returns the vectors of items `start` to `stop`: `[items, width]` in float64, 32 or 16; a copy or a view."""


@dataclass(frozen=True, eq=False)
class MatrixRepresentation:
    """Rows of a matrix, in memory or mapped from a file."""

    name: str
    matrix: np.ndarray
    """float64, float32 or float16 `[rows, width]`."""
    rows: np.ndarray
    """int64 `[items]`, the row of each item."""

    @property
    def n_items(self) -> int:
        return len(self.rows)

    @property
    def width(self) -> int:
        return self.matrix.shape[1]

    def block(self, start: int, stop: int) -> np.ndarray:
        return self.matrix[self.rows[start:stop]]


@dataclass(frozen=True, eq=False)
class CentredLayer:
    """A layer's vectors minus their mean, over one scale, so that their mean squared length is 1."""

    name: str
    vectors: torch.Tensor
    """`[rows, columns]`, in the order of groups; rows of padding are 0. Constant columns are absent."""
    n_constant: int
    """How many columns have the same number for all items."""


def check_comparable(layers: Sequence[Representation]) -> None:
    """Refuses layers of different numbers of items, and fewer items than a half-sample needs."""
    if not layers:
        raise NoSimilarity("there is no layer to compare. Expected at least one")
    n_items = layers[0].n_items
    for layer in layers:
        if layer.n_items != n_items:
            raise NoSimilarity(
                f"{layer.name} has {layer.n_items} items, {layers[0].name} {n_items}. Expected the same items in all "
                "layers"
            )
    if n_items < LEAST_ITEMS:
        raise NoSimilarity(
            f"{layers[0].name} has {n_items} items. Expected at least {LEAST_ITEMS}: halves of fewer "
            "are not informative"
        )


def centred_layer(layer: Representation, samples: HalfSamples) -> CentredLayer:
    """Reads a layer, each block once; refuses numbers that are not finite, and a layer of one vector for all items."""
    vectors = np.zeros((samples.n_rows, layer.width), _number(layer))
    sums = np.zeros(layer.width)
    for start, block in _blocks(layer):
        vectors[samples.places[start : start + len(block)]] = block
        sums += block.sum(axis=0, dtype=np.float64)
    first = vectors[samples.places[0]]
    is_constant = np.all(vectors[samples.places] == first, axis=0)
    if is_constant.all():
        raise NotDefined(
            layer.name, f"{layer.name} has the same vector for all {layer.n_items} items: its similarity is undefined"
        )
    if is_constant.any():
        vectors, sums = vectors[:, ~is_constant], sums[~is_constant]
    _centre(vectors, sums / layer.n_items, samples)
    return CentredLayer(layer.name, torch.from_numpy(vectors), int(is_constant.sum()))


def _number(layer: Representation) -> np.dtype:
    """Returns float32, or float64 where vectors are given so."""
    return np.promote_types(layer.block(0, 0).dtype, np.float32)


def _blocks(layer: Representation) -> Iterator[tuple[int, np.ndarray]]:
    """Yields the first row and the vectors of block after block: `[items, width]`."""
    for start in range(0, layer.n_items, BLOCK_ROWS):
        block = np.asarray(layer.block(start, min(start + BLOCK_ROWS, layer.n_items)), dtype=_number(layer))
        if not np.isfinite(block).all():
            raise NoSimilarity(f"{layer.name} has values that are not finite. Expected finite vectors: encode again")
        yield start, block


def _centre(vectors: np.ndarray, means: np.ndarray, samples: HalfSamples) -> None:
    """Takes the means from the rows of items and divides by one scale, in place."""
    total = 0.0
    for start in range(0, len(samples.places), BLOCK_ROWS):
        places = samples.places[start : start + BLOCK_ROWS]
        centred = vectors[places] - means
        total += np.square(centred).sum()
        vectors[places] = centred
    vectors *= vectors.dtype.type(np.sqrt(len(samples.places) / total))
