from pathlib import Path

from polyprobe.encoders.char_ngrams import CharNgrams
from tests.encoders.kind import Kind


def build(folder: Path, **changes) -> CharNgrams:
    options = {"width": 70, "min_n": 3, "max_n": 5, "lowercase": True, "dotless_i": False, "seed": 1}
    return CharNgrams(**{**options, **changes})


KIND = Kind(
    "char_ngrams",
    build,
    ({"width": 71}, {"min_n": 2}, {"max_n": 4}, {"lowercase": False}, {"dotless_i": True}, {"seed": 2}),
    nfc_equals_nfd=False,
)
