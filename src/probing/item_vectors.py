"""The vectors of items, as probes see them: of each layer, of all layers side by side, or counts."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
import torch
from scipy.sparse import csr_matrix, vstack
from torch import Tensor

from polyprobe.encoders.base.encoder import CountEncoder, Layer
from polyprobe.encoders.cache.encoding_blocks import release
from polyprobe.encoders.cache.store import EncodedItems
from polyprobe.items import Item
from polyprobe.probing.bank.inputs import SparseRows
from polyprobe.probing.suites.tests import Examples, ProbingTest

ALL = "all"


@dataclass(frozen=True, eq=False)
class LayerVectors:
    """The vectors of one encoder."""

    encoded: EncodedItems
    source: str
    """What the vectors are of: it names outcomes that are kept."""

    @property
    def layers(self) -> Sequence[Layer]:
        """The layers of the encoder."""
        return self.encoded.layers

    @cached_property
    def matrices(self) -> list[torch.Tensor]:
        """The vectors of each layer: float32 `[items, width]`; they share the memory of the cache's files."""
        return [_read_only_tensor(self.encoded.matrix(number)) for number in range(len(self.layers))]

    def rows(self, examples: Examples) -> torch.Tensor:
        """Returns the rows of `matrices` that are the items of examples: int64 `[examples, parts]`."""
        flat = self.encoded.rows(item for items in examples.items for item in items)
        return torch.from_numpy(flat.reshape(len(examples.items), -1))


class LayersTogether(LayerVectors):
    """The vectors of all layers of an epoch side by side, as one layer.

    Other than those of single layers, `matrices` are copies: one of all items for each epoch, built at the first look
    and held as long as this is. The probes of all epochs are trained in one bank, which needs them all.
    """

    @cached_property
    def layers(self) -> Sequence[Layer]:
        """One for each epoch."""
        return list(layers_together(self.encoded.layers))

    @cached_property
    def matrices(self) -> list[torch.Tensor]:
        """The vectors of each epoch: float32 or float16 `[items, neurons]`."""
        numbers = layers_together(self.encoded.layers).values()
        return [side_by_side(self.encoded, of_epoch) for of_epoch in numbers]


class CountVectors:
    """The counts of the examples of one test, learned from its train; a pair of items has one row."""

    def __init__(self, encoder: CountEncoder, test: ProbingTest):
        self.source, self.layers = encoder.fingerprint, encoder.layers
        self._encoder, self._splits = encoder, [split.items for split in (test.train, test.dev, test.test)]

    @cached_property
    def matrices(self) -> list[SparseRows]:
        """The counts of each example that is another: float32 `[examples, features]`."""
        features = vstack([csr_matrix(split) for split in self._encoder.features(*self._splits)], format="csr")
        return [SparseRows.of(features[list(self._places.values())])]

    def rows(self, examples: Examples) -> torch.Tensor:
        """Returns the rows of `matrices` that are the items of examples: int64 `[examples, 1]`."""
        row_of = {items: row for row, items in enumerate(self._places)}
        return torch.tensor([row_of[items] for items in examples.items])[:, None]

    @cached_property
    def _places(self) -> dict[tuple[Item, ...], int]:
        """Where each row first stands among the examples of all splits."""
        places: dict[tuple[Item, ...], int] = {}
        for place, items in enumerate(chain.from_iterable(self._splits)):
            places.setdefault(items, place)
        return places


ItemVectors = LayerVectors | CountVectors


def layers_together(layers: Sequence[Layer]) -> dict[Layer, list[int]]:
    """Returns for each epoch a layer as wide as all of that epoch together, with their numbers, lowest first."""
    numbers: dict[int | None, list[int]] = {}
    for number, layer in enumerate(layers):
        numbers.setdefault(layer.epoch, []).append(number)
    return {
        Layer(ALL, sum(layers[one].width for one in of_epoch), epoch): of_epoch for epoch, of_epoch in numbers.items()
    }


def side_by_side(encoded: EncodedItems, numbers: Sequence[int]) -> Tensor:
    """Copies layers into the columns of one matrix, a block of the cache at a time.

    Returns:
        `[items, neurons]` in the cache's number type, float32 or float16.
    """
    widths = [encoded.layers[number].width for number in numbers]
    matrix = np.empty((len(encoded), sum(widths)), encoded.blocks[0].vectors[0].dtype.newbyteorder("="))
    for rows, block, places in encoded.parts():
        column = 0
        for number, width in zip(numbers, widths, strict=True):
            matrix[rows, column : column + width] = block.vectors[number][places]
            column += width
        release(block)
    return torch.from_numpy(matrix)


def _read_only_tensor(matrix: np.ndarray) -> torch.Tensor:
    """Shares the memory of a mapped file; nobody writes to features, so torch's warning is beside the point."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The given NumPy array is not writable")
        return torch.from_numpy(matrix)
