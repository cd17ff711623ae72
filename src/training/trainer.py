"""The Lightning Trainer of a training run, quiet where users need no word."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
from pytorch_lightning.callbacks import ProgressBar
from pytorch_lightning.plugins.environments import LightningEnvironment

from polyprobe.errors import PolyprobeError
from polyprobe.models.base.distributed_processes import watch_each_other
from polyprobe.models.base.lightning_process import quiet_lightning
from polyprobe.training.settings import TrainerSettings

NODE_NUMBERS = ("NODE_RANK", "GROUP_RANK")  # in one of these whoever starts a process on each node says which it is


def make_trainer(
    settings: TrainerSettings, folder: Path, callbacks: Sequence[pl.Callback], plugins: Sequence[Any] = ()
) -> pl.Trainer:
    """Makes the Trainer that the settings say.

    Sharding of batches is ours (`use_distributed_sampler=False`): Lightning's sampler repeats examples to fill the last
    batch, which would be counted twice.
    """
    quiet_lightning()
    environment = _environment(settings)
    if settings.several_processes:
        watch_each_other()
    machine = {key: getattr(settings, key) for key in ("accelerator", "devices", "strategy", "precision")}
    try:
        trainer = pl.Trainer(
            **machine,
            num_nodes=settings.num_nodes,
            max_epochs=settings.max_epochs,
            accumulate_grad_batches=settings.accumulate,
            default_root_dir=folder,
            callbacks=list(callbacks),
            plugins=[*plugins, *environment],
            logger=False,
            use_distributed_sampler=False,
            num_sanity_val_steps=0,
            inference_mode=False,  # counts made in inference mode cannot be added to outside of it
            enable_progress_bar=any(isinstance(one, ProgressBar) for one in callbacks),
            enable_model_summary=False,
        )
    except (pl.utilities.exceptions.MisconfigurationException, ValueError, RuntimeError, ImportError) as error:
        chosen = ", ".join(f"trainer.{key}={value}" for key, value in machine.items())
        raise PolyprobeError(f"This machine cannot train with {chosen}: {error}") from error
    _check_not_replaced(str(settings.precision), trainer)
    # Its handler of SIGTERM first sends to all ranks, and waits for them: the process ends by its own handler alone.
    trainer._signal_connector.register_signal_handlers = lambda: None
    return trainer


def _environment(settings: TrainerSettings) -> list[LightningEnvironment]:
    """Starts the processes of a SLURM job of one task ourselves; with several tasks, SLURM has started them.

    Raises:
        PolyprobeError: the processes of other nodes are started by nobody; they would be waited for.
    """
    tasks = os.environ.get("SLURM_NTASKS")
    if settings.num_nodes > 1 and tasks in (None, "1") and not any(name in os.environ for name in NODE_NUMBERS):
        raise PolyprobeError(
            f"trainer.num_nodes={settings.num_nodes}: got one process. Expected a process for each device, started by "
            f"`srun --nodes={settings.num_nodes} --ntasks-per-node=<trainer.devices> python train.py …`, or by a sweep "
            f"(-m) with hydra/launcher=submitit_slurm hydra.launcher.nodes={settings.num_nodes}."
        )
    return [LightningEnvironment()] if tasks == "1" and settings.several_processes else []


def _check_not_replaced(precision: str, trainer: pl.Trainer) -> None:
    """Refuses float16 on a CPU, in whose place Lightning takes bfloat16."""
    if precision.startswith("16") and trainer.precision == "bf16-mixed":
        raise PolyprobeError(f"trainer.precision={precision}: a CPU does not train in float16. Choose bf16-mixed.")
