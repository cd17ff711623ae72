from pathlib import Path

from polyprobe.encoders.checkpoint import CheckpointEncoder
from tests.encoders.kind import Kind
from tests.encoders.saved_run import opened, write_run


def build(folder: Path, **changes) -> CheckpointEncoder:
    return opened(**{"run": write_run(folder, (0, 2)), "epochs": None, "layers": None, "level": "token", **changes})


KIND = Kind("checkpoint", build, ({"epochs": [0]}, {"epochs": [2]}, {"layers": ["bilstm"]}), nfc_equals_nfd=False)
