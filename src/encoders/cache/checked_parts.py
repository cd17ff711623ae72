"""Vectors as an encoder yields them, in parts of any size: checked, rounded, cut into blocks."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from src.display.shown import cut
from src.encoders.base.encoder import Encoder, Layer, check_items
from src.errors import PolyprobeError
from src.items import Item
from src.named import faults_told


def cut_into_blocks(parts: Iterable[Sequence[np.ndarray]], size: int) -> Iterator[tuple[int, list[np.ndarray]]]:
    """Joins and cuts parts into blocks of `size` items, the last one smaller; holds about a block in memory.

    Yields:
        The number of each block's first item, and one array `[block items, width]` for each layer.
    """
    start, waiting, n_waiting = 0, [], 0
    for part in parts:
        waiting.append(part)
        n_waiting += len(part[0])
        if n_waiting >= size:
            joined = _joined(waiting)
            whole = n_waiting - n_waiting % size
            for first in range(0, whole, size):
                yield start + first, [layer[first : first + size] for layer in joined]
            start, waiting, n_waiting = start + whole, [[layer[whole:] for layer in joined]], n_waiting - whole
    if n_waiting:
        yield start, _joined(waiting)


def _joined(parts: Sequence[Sequence[np.ndarray]]) -> list[np.ndarray]:
    return [np.concatenate(layer) for layer in zip(*parts, strict=True)]


def checked_parts(encoder: Encoder, items: Sequence[Item], number: str) -> Iterator[list[np.ndarray]]:
    """Rounds the vectors of an encoder after a check against its declarations: a user's own encoder may have faults.

    Args:
        number: "float32" or "float16".
    """
    check_items(encoder.name_in_messages, encoder.accepts, items)
    n_given = 0
    for part in _encoded_parts(encoder, items):
        _check_arrays(part)
        n_given += len(part[0])
        yield _checked(encoder, part, number)
    if n_given != len(items):
        raise PolyprobeError(f"the encoder gives {n_given:,} vectors for {len(items):,} items. Expected one for each.")


def _encoded_parts(encoder: Encoder, items: Sequence[Item]) -> Iterator[Any]:
    own = type(getattr(encoder, "own", encoder))
    if own.__module__.startswith("src."):
        yield from encoder.encode(items)
        return
    with faults_told(own.__module__, f"{own.__module__}.{own.__qualname__}.encode"):
        yield from encoder.encode(items)


def _check_arrays(part: object) -> None:
    is_several = isinstance(part, tuple | list) and part and all(isinstance(layer, np.ndarray) for layer in part)
    if not (is_several or (isinstance(part, np.ndarray) and part.ndim == 3)):
        found = f"one array {part.shape}" if isinstance(part, np.ndarray) else cut(repr(part), 60)
        raise PolyprobeError(
            f"the encoder yields {found}. Expected a tuple of arrays [items, width], one for each layer."
        )


def _checked(encoder: Encoder, part: Sequence[np.ndarray], number: str) -> list[np.ndarray]:
    shapes = [layer.shape for layer in part]
    declared = [(len(part[0]), layer.width) for layer in encoder.layers]
    if shapes != declared:
        raise PolyprobeError(f"the encoder gives arrays of shape {shapes}. Expected {declared}, as its layers declare.")
    return [_rounded(layer, matrix, number) for layer, matrix in zip(encoder.layers, part, strict=True)]


def _rounded(layer: Layer, matrix: np.ndarray, number: str) -> np.ndarray:
    if not np.isfinite(matrix).all():
        raise PolyprobeError(f'layer "{layer.name}" (epoch {layer.epoch}) gives vectors that are not finite.')
    with np.errstate(over="ignore"):
        rounded = matrix.astype(number, copy=False)
    if not np.isfinite(rounded).all():
        largest = np.abs(matrix).max()
        raise PolyprobeError(f'layer "{layer.name}": {largest:g} is beyond {number}. Take cache.number=float32.')
    return rounded
