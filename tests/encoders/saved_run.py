"""The checkpoints of a tiny training run, as train.py leaves them."""

from pathlib import Path

import torch

from polyprobe.datamodules.base.word_inputs import TrigramInputs
from polyprobe.encoders.checkpoint import CheckpointEncoder
from polyprobe.formats.files.digest import file_digest
from polyprobe.models.base.checkpoint_file import build_model, write_digest

SETTINGS = {
    "_target_": "polyprobe.models.role_labeller.RoleLabeller",
    "word_size": 5,
    "hidden_size": 6,
    "n_layers": 1,
    "dropout": 0.5,
    "clip_norm": 2.0,
    "optimizer": {"_target_": "torch.optim.SGD", "_partial_": True, "lr": 1.0},
    "rate_decay": {
        "_target_": "polyprobe.models.base.rate_decay.HalvedAfterSmallGains",
        "smallest_gain": 0.01,
        "patience": 3,
        "first_epoch": 4,
        "factor": 0.5,
    },
}


def write_run(folder: Path, epochs=(0, 2, 10)) -> Path:
    """Writes a run whose model of epoch k is initialised with seed k."""
    run = folder / "run"
    (run / "epochs").mkdir(parents=True, exist_ok=True)
    reader, _ = TrigramInputs(trigram_size=4, hidden_size=6, trigram_start="normal").read(
        [("talo", "taloissa", "paloi", ".")], []
    )
    inputs = {"reader": reader, "roles": ["_", "A0", "A1"]}
    for epoch in epochs:
        settings = {**SETTINGS, "seed": epoch}
        content = {
            "polyprobe": {"model": settings, "inputs": inputs},
            "state_dict": build_model(settings, inputs).state_dict(),
        }
        path = run / "epochs" / f"{epoch:02}.ckpt"
        torch.save(content, path)
        write_digest(path, file_digest(path))
    return run


def opened(run: Path, epochs, layers, level: str) -> CheckpointEncoder:
    """Opens a run whose model learns its inputs: there are no frozen vectors to find again."""
    return CheckpointEncoder(run, epochs, layers, level, {}, "no cache")
