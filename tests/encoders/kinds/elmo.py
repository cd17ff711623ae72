from pathlib import Path

from polyprobe.encoders.elmo import ElmoEncoder
from tests.encoders.kind import Kind
from tests.encoders.saved_elmo import allennlp_arrays, many_languages_arrays, write_allennlp, write_many_languages


def build(folder: Path, weights: int = 1, many_languages: bool = False, **changes) -> ElmoEncoder:
    path = folder / f"model-{weights}-{many_languages}"
    if many_languages:
        write_many_languages(path, many_languages_arrays(weights))
    else:
        write_allennlp(path, allennlp_arrays(weights))
    options = {"path": path, "layers": None, "lowercase": True, "dotless_i": False, "batch_words": 32, "device": None}
    return ElmoEncoder(**{**options, **changes})


KIND = Kind(
    "elmo",
    build,
    (
        {"weights": 2},
        {"many_languages": True},
        {"layers": ["average"]},
        {"lowercase": False},
        {"dotless_i": True},
        {"context": "none"},
    ),
    nfc_equals_nfd=False,
)
