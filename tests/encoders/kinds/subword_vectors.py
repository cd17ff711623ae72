from pathlib import Path

from polyprobe.encoders.subword_vectors import SubwordVectors
from tests.encoders.kind import Kind
from tests.encoders.small_pieces import table_of, write_pieces, write_text


def build(folder: Path, seed: int = 1, n_pieces: int = 60, **changes) -> SubwordVectors:
    pieces = write_pieces(folder, n_pieces)
    path = write_text(table_of(pieces, seed), folder / "pieces.vec")
    options = {"model": pieces, "path": path, "normalise_digits": True, "lowercase": False, "dotless_i": False}
    return SubwordVectors(**{**options, **changes})


KIND = Kind(
    "subword_vectors",
    build,
    (
        {"seed": 2},
        {"n_pieces": 61},
        {"normalise_digits": False},
        {"lowercase": True},
        {"lowercase": True, "dotless_i": True},
    ),
    nfc_equals_nfd=True,
)
