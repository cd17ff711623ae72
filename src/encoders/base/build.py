"""Encoders of one's own: found from the working directory, checked at the door."""

import importlib
import importlib.util
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from src.encoders.base.count_encoder import CountEncoder
from src.encoders.base.encoder import Encoder
from src.errors import PolyprobeError, nearest
from src.items import Item

_NEEDED = ("layers", "accepts", "fingerprint", "encode")


def check_target(target: str) -> None:
    """Imports what an encoder's `_target_` names; a module in the working directory is found too.

    For what the user names: a name that stands in a file of a run is looked up in `src.runs.names.closed_table`.

    Raises:
        PolyprobeError: there is no such module or no such name in it; names the nearest.
    """
    if str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))
    module_name, _, name = target.rpartition(".")
    try:
        is_there = bool(module_name) and importlib.util.find_spec(module_name) is not None
    except ModuleNotFoundError:  # of a package above it
        is_there = False
    if not is_there:
        raise PolyprobeError(
            f'encoder._target_="{target}": there is no module "{module_name}" in {Path.cwd()} or where Python looks. '
            "Expected module.Class, such as mine.Length for the class Length of mine.py."
        )
    module = importlib.import_module(module_name)
    if not hasattr(module, name):
        known = [one for one in vars(module) if not one.startswith("_")]
        raise PolyprobeError(f'encoder._target_="{target}": {module_name} has no "{name}". {nearest(name, known)}')


def named_class(target: str) -> Any:
    """Returns what the user names; see `check_target`."""
    check_target(target)
    module, _, name = target.rpartition(".")
    return getattr(importlib.import_module(module), name)


def checked_encoder(built: object) -> Encoder | CountEncoder:
    """Returns what a user's class made as an encoder.

    An instance of `Encoder` or `CountEncoder` stays as it is; another object is wrapped, so that `known` and
    `randomised` are there.

    Raises:
        PolyprobeError: it lacks a part of what an encoder is.
    """
    if isinstance(built, CountEncoder):
        return built
    absent = [name for name in _NEEDED if not hasattr(built, name)]
    if absent:
        raise PolyprobeError(
            f"{type(built).__name__} is no encoder: it has no {' and no '.join(absent)}. Expected {', '.join(_NEEDED)} "
            "(docs/adding.md has one in ten lines)."
        )
    return built if isinstance(built, Encoder) else _Wrapped(built)


class _Wrapped(Encoder):
    """An object that has what an encoder must have, and what the base class gives."""

    def __init__(self, own):
        self.own = own
        self.layers, self.accepts, self.fingerprint = tuple(own.layers), frozenset(own.accepts), own.fingerprint
        self.reads_context = getattr(own, "reads_context", True)
        name = getattr(own, "model_name", None)
        self.model_name = name if isinstance(name, str) else None

    def encode(self, items: Sequence[Item]) -> Iterator[tuple[np.ndarray, ...]]:
        return self.own.encode(items)

    def known(self, words: Sequence[str]) -> np.ndarray | None:
        return self.own.known(words) if hasattr(self.own, "known") else super().known(words)

    def randomised(self, seed: int) -> Encoder | None:
        return self.own.randomised(seed) if hasattr(self.own, "randomised") else super().randomised(seed)
