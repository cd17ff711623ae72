"""The vectors of items in a layer, read from the blocks of the cache where they lie."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from src.analysis.similarity.compared_runs import ComparedEncoder
from src.analysis.similarity.similarity_grid import LayerPlace
from src.encoders.cache.store import EncodedItems
from src.items import Item


@dataclass(frozen=True, eq=False)
class EncodedLayer:
    """One layer's vectors of the items that are compared (a `Representation`).

    Attributes:
        name: as messages call it.
        place: encoder, layer and epoch, for the rows.
        fingerprint: of the encoder.
        encoded: the vectors of all layers.
        number: of the layer in them.
        rows: of the items in its matrix: int64 `[items]`.
    """

    name: str
    place: LayerPlace
    fingerprint: str
    encoded: EncodedItems
    number: int
    rows: np.ndarray

    @property
    def identity(self) -> str:
        """Which layer of which vectors this is."""
        return f"{self.place.encoder} {self.place.model or ''} {self.place.name} {self.fingerprint}"

    @property
    def n_items(self) -> int:
        """How many there are."""
        return len(self.rows)

    @property
    def width(self) -> int:
        """Of the vectors."""
        return self.encoded.layers[self.number].width

    def block(self, start: int, stop: int) -> np.ndarray:
        """Returns the vectors of items `start` to `stop`: float32 `[items, width]`."""
        rows = self.rows[start:stop]
        blocks = np.searchsorted(self._ends, rows, side="right")
        found = np.empty((len(rows), self.width), np.float32)
        for number in np.unique(blocks):
            matrix = self.encoded.blocks[number].vectors[self.number]
            is_here = blocks == number
            found[is_here] = matrix[rows[is_here] - (self._ends[number] - len(matrix))]
        return found

    @cached_property
    def _ends(self) -> np.ndarray:
        """The row behind the last one of each block: int64 `[blocks]`."""
        return np.cumsum([len(block.vectors[self.number]) for block in self.encoded.blocks])


def encoded_layers(encoders: Sequence[ComparedEncoder], items: Sequence[Item]) -> list[EncodedLayer]:
    """Encodes the items by every encoder, as far as the cache lacks them; returns the layers that are compared.

    Raises:
        PolyprobeError: an encoder does not take such items, or cannot be opened on this machine.
    """
    found = []
    for encoder in encoders:
        encoded = encoder.encoded(items)
        rows = encoded.rows(items)
        for number in encoder.chosen:
            layer = encoder.layers[number]
            place = LayerPlace(encoder.encoder, encoder.model, layer.name, layer.epoch)
            found.append(
                EncodedLayer(f"{encoder.run}, layer {place.name}", place, encoder.fingerprint, encoded, number, rows)
            )
    return found
