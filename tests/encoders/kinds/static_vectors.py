from pathlib import Path

from polyprobe.encoders.static_vectors import StaticVectors
from tests.encoders.kind import Kind

# The composed spelling of the second word is there, the decomposed one is not; "Paloi" is found as it is alone.
ROWS = """7 4
talo 0.5 -0.25 0.125 1
pöly 0.1 0.2 -0.3 0.4
paloi -1 0.5 0.75 0.25
. 0.01 0.02 0.03 -0.04
eilen 0.3 -0.6 0.9 0.2
Talo 0.7 0.1 0.2 -0.5
w1 2 -1 0.5 0.25
"""


def build(folder: Path, rows: str = ROWS, **changes) -> StaticVectors:
    path = folder / "words.vec"
    path.write_text(rows, encoding="utf-8")
    options = {"path": path, "format": None, "unknown": "own", "seed": 1, "lowercase": False, "dotless_i": False}
    return StaticVectors(**{**options, **changes})


KIND = Kind(
    "static_vectors",
    build,
    (
        {"unknown": "shared"},
        {"seed": 2},
        {"lowercase": True},
        {"lowercase": True, "dotless_i": True},
        {"rows": ROWS.replace("0.01", "0.02")},
    ),
    nfc_equals_nfd=False,
)
