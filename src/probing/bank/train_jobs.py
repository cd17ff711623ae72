"""Trains jobs in the bank on a trainer's device, with a bar."""

from collections.abc import Sequence

import pytorch_lightning as pl

from src.display.progress import watched
from src.probing.bank.bank import train_bank
from src.probing.bank.jobs import ProbeJob, ProbeOutcome

# Probes trained together: few enough for a CPU's cache, many enough to fill a GPU.
CHUNK_SIZES = {"cpu": 8, "gpu": 256}


def trained(jobs: Sequence[ProbeJob], trainer: pl.Trainer, chunk_size: int | None) -> list[ProbeOutcome]:
    """Trains probes and returns their outcomes, outcome i for job i.

    Args:
        trainer: see `train_bank`.
        chunk_size: probes trained together at most; None: what suits the device.
    """
    on_gpu = trainer.strategy.root_device.type == "cuda"
    n_epochs = sum(job.spec.max_epochs for job in jobs)
    with watched(f"training {len(jobs)} probes", "epochs", n_epochs) as progress:
        return train_bank(jobs, chunk_size or CHUNK_SIZES["gpu" if on_gpu else "cpu"], trainer, progress.reach)
