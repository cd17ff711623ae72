from pathlib import Path

import numpy as np

from polyprobe.encoders.vectors import Vectors
from polyprobe.formats.vectors.vectors_folder import write
from polyprobe.items import Form
from tests.encoders.contract_items import ITEMS, NFD
from tests.encoders.kind import Kind


def build(folder: Path, seed: int = 1, layers: list[str] | None = None) -> Vectors:
    """Every item that the contract asks for is there: a folder has no unknown words."""
    extra = [Form(form) for form in ("talo", "auto", "ζζζζ", "\U0001f600", NFD)]
    items = list(dict.fromkeys([*ITEMS, *extra]))
    drawn = np.random.default_rng(seed).normal(size=(2, len(items), 5)).astype(np.float32)
    return Vectors(write(folder, "drawn", items, {"low": drawn[0], "high": drawn[1]}), layers)


KIND = Kind("vectors", build, ({"seed": 2}, {"layers": ["high"]}), nfc_equals_nfd=False)
