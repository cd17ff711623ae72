"""Encoders as a configuration says, a user's own among them: built, and checked at the door."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from src.encoders.base.count_encoder import CountEncoder
from src.encoders.base.encoder import Encoder
from src.errors import PolyprobeError
from src.items import Item
from src.named import built

_NEEDED = ("layers", "accepts", "fingerprint", "encode")


def make_encoder(settings: Mapping[str, Any]) -> Encoder | CountEncoder:
    """Builds the encoder that a configuration says.

    Raises:
        PolyprobeError: its class is unknown, does not take these options, or is no encoder.
    """
    return checked_encoder(built(settings, "encoder"))


def checked_encoder(made: object) -> Encoder | CountEncoder:
    """Returns what a user's class made as an encoder.

    An instance of `Encoder` or `CountEncoder` stays as it is; another object is wrapped, so that `known` and
    `randomised` are there.

    Raises:
        PolyprobeError: it lacks a part of what an encoder is.
    """
    if isinstance(made, CountEncoder):
        return made
    absent = [name for name in _NEEDED if not hasattr(made, name)]
    if absent:
        raise PolyprobeError(
            f"{type(made).__name__} is no encoder: it has no {' and no '.join(absent)}. Expected {', '.join(_NEEDED)} "
            "(docs/adding.md has one in ten lines)."
        )
    return made if isinstance(made, Encoder) else _Wrapped(made)


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
