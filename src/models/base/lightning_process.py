"""Makes Trainers, their callbacks and profilers, and silences Lightning."""

import inspect
import logging
import os
import sys
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
from pytorch_lightning.plugins.environments import ClusterEnvironment, LightningEnvironment, SLURMEnvironment
from pytorch_lightning.profilers import AdvancedProfiler, PyTorchProfiler, SimpleProfiler

from polyprobe.errors import PolyprobeError, check_choice
from polyprobe.named import built
from polyprobe.runs.trainer_settings import TrainerSettings

# Those that are set by other keys, or that exact numbers rest on.
ARGUMENTS_SET_HERE = {
    "accumulate_grad_batches": "trainer.accumulate accumulates gradients",
    "barebones": "every run keeps checkpoints and metrics",
    "callbacks": "callbacks=… and +callbacks.<name>._target_=… add callbacks",
    "default_root_dir": "paths.work is the folder of runs",
    "enable_checkpointing": "trainer.keep says which checkpoints stay",
    "inference_mode": "counts on dev are added up outside of it",
    "logger": "logger=… chooses a logger",
    "plugins": "checkpoints and processes have plugins of polyprobe",
    "use_distributed_sampler": "datamodules divide batches among processes, no example twice",
}
PROFILERS = {"simple": SimpleProfiler, "advanced": AdvancedProfiler, "pytorch": PyTorchProfiler}


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


def chosen_callbacks(settings: Mapping[str, Any]) -> list[pl.Callback]:
    """Makes the callbacks of the section `callbacks`: Lightning's and a user's own; null leaves one out."""
    made = [built(one, f"callbacks.{name}") for name, one in settings.items() if one is not None]
    for name, one in zip(settings, made, strict=False):
        if not isinstance(one, pl.Callback):
            raise PolyprobeError(f"callbacks.{name}: {type(one).__name__} is not a pytorch_lightning.Callback.")
    return made


def make_profiler(setting: Any, folder: Path) -> Any:
    """Makes a profiler by its name in Lightning, which writes into a folder, or by its `_target_`."""
    if isinstance(setting, Mapping):
        return built(setting, "trainer.profiler")
    if setting is None:
        return None
    check_choice("trainer.profiler", setting, PROFILERS)
    return PROFILERS[setting](dirpath=folder, filename="profile")


def check_arguments(names: Iterable[str]) -> None:
    """Checks names of further arguments against those of Lightning's Trainer.

    Raises:
        PolyprobeError: another key sets it.
        UnknownChoice: it has no such argument; names the nearest.
    """
    known = {*inspect.signature(pl.Trainer).parameters, *TrainerSettings.own_keys()} - ARGUMENTS_SET_HERE.keys()
    for name in names:
        if name in ARGUMENTS_SET_HERE:
            raise PolyprobeError(f"trainer.{name} cannot be set: {ARGUMENTS_SET_HERE[name]}.")
        check_choice("The argument of trainer", name, sorted(known))
