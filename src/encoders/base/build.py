"""Builds the encoder of a configuration, also one of a user's own class, and checks it."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from polyprobe.display.shown import cut
from polyprobe.encoders.base.encoder import CountEncoder, Encoder, Layer
from polyprobe.errors import PolyprobeError
from polyprobe.items import Item
from polyprobe.named import built, object_at

_NEEDED = ("layers", "accepts", "fingerprint", "encode")
_LONGEST = 100  # characters of what stands in place of layers


def make_encoder(settings: Mapping[str, Any]) -> Encoder | CountEncoder:
    """Builds the encoder of a configuration.

    Raises:
        PolyprobeError: its class is unknown, does not take these options, or is not an encoder.
    """
    return checked_encoder(built(settings, "encoder"))


def needs_torch(settings: Mapping[str, Any]) -> bool:
    """Imports the module of the encoder of a configuration, and returns whether torch has come with it.

    Raises:
        PolyprobeError: its class is unknown.
    """
    object_at(settings.get("_target_"), "encoder._target_")
    return "torch" in sys.modules


def checked_encoder(made: object) -> Encoder | CountEncoder:
    """Returns the object of a user's class as an encoder.

    An instance of `Encoder` or `CountEncoder` is returned unchanged; another object is wrapped, so that it has `known`
    and `randomised`.

    Raises:
        PolyprobeError: it lacks what an encoder has, or its layers are no `Layer` objects.
    """
    if isinstance(made, CountEncoder):
        return made
    absent = [name for name in _NEEDED if not hasattr(made, name)]
    if absent:
        raise PolyprobeError(
            f"{type(made).__name__} is no encoder: it has no {' and no '.join(absent)}. Expected {', '.join(_NEEDED)} "
            "(docs/add_encoder.md writes one)."
        )
    layers = made.layers
    if not isinstance(layers, Sequence) or not layers or not all(isinstance(one, Layer) for one in layers):
        expected = "must be Layer objects, such as (Layer(name, width),)"
        raise PolyprobeError(f"layers of {type(made).__name__} {expected}, got {cut(repr(layers), _LONGEST)}.")
    return made if isinstance(made, Encoder) else _Wrapped(made)


class _Wrapped(Encoder):
    """An object with the necessary attributes of an encoder, and the optional methods of the base class."""

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
