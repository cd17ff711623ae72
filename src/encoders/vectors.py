"""Vectors that another program wrote into a folder, or a function of the user's, as the library keeps them."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from polyprobe.display.shown import last_parts
from polyprobe.encoders.base.encoder import (
    BLOCK_ITEMS,
    Encoder,
    Layer,
    check_items,
    chosen_layers,
    fingerprint,
    path_of,
)
from polyprobe.errors import PolyprobeError
from polyprobe.formats.vectors.vectors_folder import NamedLayer, VectorsFolder, elsewhere
from polyprobe.items import Form, Item, Sentence, TokenInContext

_VERSION = 1


class Vectors(Encoder):
    """Looks whole items up in a folder (src/formats/vectors/vectors_folder.py); one that it lacks is refused.

    Nothing is normalised: NFC and NFD spellings are two items.

    Args:
        path: of the folder.
        layers: names of layers; None for all.

    Raises:
        NothingComputed: there is no file yet.
        PolyprobeError: a file is absent or damaged, or layers have different numbers of items.
    """

    accepts = frozenset({Form, TokenInContext, Sentence})

    def __init__(self, path: str | Path, layers: Sequence[str] | None):
        self._folder = VectorsFolder.of(path_of("encoder.path", path))
        self.model_name = last_parts(path)
        names = chosen_layers(list(dict.fromkeys(name for name, _ in self._folder.layers)), layers)
        _check_epochs(path, [layer for layer in self._folder.layers if layer[0] in names])
        self._matrices = {layer: self._folder.matrix(layer) for layer in self._folder.layers if layer[0] in names}
        self.layers = tuple(Layer(name, matrix.shape[1], epoch) for (name, epoch), matrix in self._matrices.items())
        self.provenance = {"files": self._folder.digests()}
        self.fingerprint = fingerprint("vectors", _VERSION, layers=names, **self.provenance)

    @cached_property
    def _row_of(self) -> dict[Item, int]:
        rows = self._folder.rows()
        for (name, _), matrix in self._matrices.items():
            if len(matrix) != len(rows):
                found = f"{self._folder.path} has {len(rows):,} items, and {len(matrix):,} vectors of layer {name}"
                raise PolyprobeError(f"{found}. Expected as many.")
        return rows

    def check_there(self, items: Iterable[Item]) -> None:
        distinct = dict.fromkeys(items)
        if absent := self._absent(distinct):
            raise elsewhere(self._folder.path).listed_as_lacking(absent, len(distinct))

    def _absent(self, items: Iterable[Item]) -> list[Item]:
        return [item for item in items if item not in self._row_of]

    def encode(self, items: Sequence[Item]) -> Iterator[tuple[np.ndarray, ...]]:
        """See `Encoder`.

        Raises:
            PolyprobeError: the folder lacks items; says how many, and names three. `check_there` lists all in a file.
        """
        check_items("vectors", self.accepts, items)
        distinct = dict.fromkeys(items)
        if absent := self._absent(distinct):
            raise elsewhere(self._folder.path).lacking(absent, len(distinct))
        for start in range(0, len(items), BLOCK_ITEMS):
            rows = [self._row_of[item] for item in items[start : start + BLOCK_ITEMS]]
            yield tuple(matrix[rows] for matrix in self._matrices.values())


def _check_epochs(path: str | Path, layers: Sequence[NamedLayer]) -> None:
    """Refuses layers of checkpoints beside others: results have an epoch for all, or for none."""
    without = [name for name, epoch in layers if epoch is None]
    if without and len(without) < len(layers):
        of_epochs = dict.fromkeys(name for name, epoch in layers if epoch is not None)
        raise PolyprobeError(
            f"encoder.path={path} has layers of epochs ({', '.join(of_epochs)}) beside layers without an epoch "
            f"({', '.join(without)}). Expected either: choose them with encoder.layers=[…], or rename the files."
        )
