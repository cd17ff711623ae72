"""Trains jobs in the bank on a trainer's device, with a bar."""

from collections.abc import Sequence

import pytorch_lightning as pl

from src.display.progress import watched
from src.probing.bank.bank import Progress, train_bank
from src.probing.bank.jobs import ProbeJob, ProbeOutcome

# Probes trained together: few enough for a CPU's cache, many enough to fill a GPU.
CHUNK_SIZES = {"cpu": 8, "gpu": 256}


def trained(
    jobs: Sequence[ProbeJob], trainer: pl.Trainer, chunk_size: int | None, watch: Progress | None = None
) -> list[ProbeOutcome]:
    """Trains probes and returns their outcomes, outcome i for job i.

    Args:
        trainer: see `train_bank`.
        chunk_size: probes trained together at most; None: what suits the device.
        watch: called after each block with the epochs that are over and those due at most.
    """
    on_gpu = trainer.strategy.root_device.type == "cuda"
    n_epochs = sum(job.spec.max_epochs for job in jobs)
    with watched(f"training {len(jobs)} probes", "epochs", n_epochs) as progress:

        def reach(done: int, due: int) -> None:
            progress.reach(done, due)
            if watch is not None:
                watch(done, due)

        return train_bank(jobs, chunk_size or CHUNK_SIZES["gpu" if on_gpu else "cpu"], trainer, reach)
