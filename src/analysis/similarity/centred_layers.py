"""Layers as all pairs need them: read once, centred in float64, kept as float32, group by group."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from src.analysis.similarity.half_samples import LEAST_ITEMS, HalfSamples
from src.analysis.similarity.representation import Representation
from src.errors import PolyprobeError

BLOCK_ROWS = 4096


class NotComparable(PolyprobeError):
    """Layers cannot be compared: other items, too few of them, or no difference between them."""


class NotDefined(NotComparable):
    """A measure is not defined for one layer.

    Args:
        layer: its name.
        reason: a sentence without its stop.
    """

    def __init__(self, layer: str, reason: str):
        super().__init__(reason)
        self.layer, self.reason = layer, reason


@dataclass(frozen=True, eq=False)
class CentredLayer:
    """A layer's vectors minus their mean, over one scale, so that their mean squared length is 1.

    Attributes:
        name: of the layer.
        vectors: float32 `[rows, columns]`, in the order of groups; rows of padding are 0. Constant columns are absent.
        n_constant: how many columns have the same number for all items.
    """

    name: str
    vectors: torch.Tensor
    n_constant: int


@dataclass(frozen=True, eq=False)
class WholeLayer:
    """A layer's vectors as they were encoded: float32 `[items, width]`."""

    name: str
    vectors: np.ndarray


def check_comparable(layers: Sequence[Representation]) -> None:
    """Refuses layers of different numbers of items, and fewer items than a half-sample needs.

    Raises:
        NotComparable: says which layer has how many.
    """
    if not layers:
        raise NotComparable("there is no layer to compare. Expected at least one")
    n_items = layers[0].n_items
    for layer in layers:
        if layer.n_items != n_items:
            raise NotComparable(
                f"{layer.name} has {layer.n_items} items, {layers[0].name} {n_items}. Expected the same items in all "
                "layers"
            )
    if n_items < LEAST_ITEMS:
        raise NotComparable(
            f"{layers[0].name} has {n_items} items. Expected at least {LEAST_ITEMS}: halves of fewer say nothing"
        )


def _blocks(layer: Representation) -> Iterator[tuple[int, np.ndarray]]:
    """Yields the first row and the vectors of block after block: float32 `[items, width]`.

    Raises:
        NotComparable: a number is not finite.
    """
    for start in range(0, layer.n_items, BLOCK_ROWS):
        block = np.asarray(layer.block(start, min(start + BLOCK_ROWS, layer.n_items)), dtype=np.float32)
        if not np.isfinite(block).all():
            raise NotComparable(f"{layer.name} has numbers that are not finite. Expected finite vectors: encode anew")
        yield start, block


def whole_layer(layer: Representation) -> WholeLayer:
    """Reads a layer, each block once.

    Raises:
        NotComparable: a number is not finite.
    """
    vectors = np.empty((layer.n_items, layer.width), np.float32)
    for start, block in _blocks(layer):
        vectors[start : start + len(block)] = block
    return WholeLayer(layer.name, vectors)


def centred_layer(layer: Representation, samples: HalfSamples) -> CentredLayer:
    """Reads a layer, each block once.

    Raises:
        NotDefined: all items have the same vector.
        NotComparable: a number is not finite.
    """
    vectors = np.zeros((samples.n_rows, layer.width), np.float32)
    sums = np.zeros(layer.width)
    for start, block in _blocks(layer):
        vectors[samples.places[start : start + len(block)]] = block
        sums += block.sum(axis=0, dtype=np.float64)
    first = vectors[samples.places[0]]
    is_constant = np.all(vectors[samples.places] == first, axis=0)
    if is_constant.all():
        raise NotDefined(
            layer.name, f"{layer.name} has the same vector for all {layer.n_items} items: it is like nothing"
        )
    if is_constant.any():
        vectors, sums = vectors[:, ~is_constant], sums[~is_constant]
    _centre(vectors, sums / layer.n_items, samples)
    return CentredLayer(layer.name, torch.from_numpy(vectors), int(is_constant.sum()))


def _centre(vectors: np.ndarray, means: np.ndarray, samples: HalfSamples) -> None:
    """Takes the means from the rows of items and divides by one scale, in place."""
    total = 0.0
    for start in range(0, len(samples.places), BLOCK_ROWS):
        places = samples.places[start : start + BLOCK_ROWS]
        centred = vectors[places] - means
        total += np.square(centred).sum()
        vectors[places] = centred
    vectors *= np.float32(np.sqrt(len(samples.places) / total))
