"""Makes Trainers and silences Lightning."""

import logging
import os
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
from pytorch_lightning.plugins.environments import ClusterEnvironment, LightningEnvironment, SLURMEnvironment

from polyprobe.errors import PolyprobeError


def quiet_lightning() -> None:
    """Keeps warnings of Lightning that concern the numbers, and silences the rest."""
    for name in ("pytorch_lightning", "lightning_fabric", "pytorch_lightning.utilities.rank_zero"):
        logging.getLogger(name).setLevel(logging.WARNING)
    for message in (
        ".*isinstance\\(treespec, LeafSpec\\).*",  # inside Lightning, with this version of torch
        ".*`configure_optimizers` returned `None`.*",  # the probe bank has its own
        ".*does not have many workers.*",  # batches are made in memory, faster than a worker could send them
        ".*Checkpoint directory .* exists and is not empty.*",
        ".*recommended to use `self.log\\(.*sync_dist=True.*",  # our metrics sum over processes themselves
        ".*number of training batches .* is smaller than the logging interval.*",
        ".*`srun` command is available on your system but is not used.*",  # sweeps start SLURM's jobs (submitit)
    ):
        warnings.filterwarnings("ignore", message=message)


def trainer_on(machine: Mapping[str, Any], **options: Any) -> pl.Trainer:
    """Makes a Trainer.

    Args:
        machine: what the section `trainer` says of it: accelerator, devices, strategy, precision.
        options: what else Lightning's Trainer takes.

    Raises:
        PolyprobeError: the machine has no such device, or cannot compute so.
    """
    quiet_lightning()
    misfits = ValueError, TypeError, RuntimeError, ImportError, pl.utilities.exceptions.MisconfigurationException
    try:
        return pl.Trainer(**{"devices": 1, "logger": False, "enable_model_summary": False, **machine, **options})
    except misfits as error:
        chosen = ", ".join(f"trainer.{key}={value}" for key, value in machine.items())
        raise PolyprobeError(f"This machine cannot train with {chosen}: {' '.join(str(error).split())}") from error


def own_environment(num_nodes: int) -> list[ClusterEnvironment]:
    """Starts several processes in a SLURM job of one task ourselves; with several tasks, SLURM has started them.

    A job is not put into the queue again by Lightning: the same command resumes.

    Others that start all processes, such as torchrun, set RANK. One for each node alone (NODE_RANK) is refused: each
    would take itself for the first.

    Raises:
        PolyprobeError: the processes of other nodes are started by nobody; they would be waited for.
    """
    tasks = os.environ.get("SLURM_NTASKS")
    if num_nodes > 1 and tasks in (None, "1") and "RANK" not in os.environ:
        raise PolyprobeError(
            f"trainer.num_nodes={num_nodes}: got one process. Expected a process for each device, started by "
            f"`srun --nodes={num_nodes} --ntasks-per-node=<trainer.devices> python {Path(sys.argv[0]).name} …`, or by "
            f"a sweep (-m) with hydra/launcher=submitit_slurm hydra.launcher.nodes={num_nodes}."
        )
    if tasks == "1":
        return [LightningEnvironment()]
    return [SLURMEnvironment(auto_requeue=False)] if tasks and SLURMEnvironment.detect() else []
