from pathlib import Path

from polyprobe.encoders.untrained import UntrainedEncoder
from tests.encoders.kind import Kind
from tests.encoders.kinds.static_vectors import ROWS


def build(folder: Path, rows: str = ROWS, **changes) -> UntrainedEncoder:
    path = folder / "words.vec"
    path.write_text(rows, encoding="utf-8")
    small = {"hidden_size": 6, "n_layers": 1}
    options = {"model": "bilstm_max", "network": small, "seed": 1, "lowercase": False, "dotless_i": False}
    return UntrainedEncoder(**{**options, "path": path, "cache": folder / "cache", **changes})


KIND = Kind(
    "untrained",
    build,
    (
        {"model": "bilstm_last"},
        {"model": "gated_convnet", "network": {"hidden_size": 6, "n_layers": 2}},
        {"network": {"hidden_size": 7, "n_layers": 1}},
        {"seed": 2},
        {"lowercase": True},
        {"rows": ROWS.replace("0.01", "0.02")},
    ),
    nfc_equals_nfd=False,
)
