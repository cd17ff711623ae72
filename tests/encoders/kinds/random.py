from pathlib import Path

from polyprobe.encoders.random import RandomVectors
from tests.encoders.kind import Kind


def build(folder: Path, **changes) -> RandomVectors:
    options = {"width": 30, "seed": 1, "lowercase": True, "dotless_i": False}
    return RandomVectors(**{**options, **changes})


KIND = Kind(
    "random", build, ({"width": 31}, {"seed": 2}, {"lowercase": False}, {"dotless_i": True}), nfc_equals_nfd=False
)
