"""The Lightning Trainer of a configuration, quiet where users need no word."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
from pytorch_lightning.callbacks import ProgressBar
from pytorch_lightning.loggers import Logger, WandbLogger
from pytorch_lightning.plugins.environments import LightningEnvironment

from src.errors import BadValue, PolyprobeError
from src.models.base.distributed_processes import watch_each_other
from src.models.base.lightning_process import quiet_lightning
from src.runs.command.sweep_job import runs_several_processes


def make_trainer(
    settings: Mapping[str, Any],
    folder: Path,
    callbacks: Sequence[pl.Callback],
    plugins: Sequence[Any] = (),
    **options: Any,
) -> pl.Trainer:
    """Makes a Trainer from the `trainer` section of a configuration.

    Sharding of batches is ours (`use_distributed_sampler=False`): Lightning's sampler repeats examples to fill the last
    batch, which would be counted twice.

    Raises:
        PolyprobeError: the machine has no such device or precision, or weights would be kept in half precision.
        BadValue: double precision is asked for.
    """
    _check_precision(str(settings["precision"]))
    quiet_lightning()
    if runs_several_processes(settings):
        watch_each_other()
    keys = ("accelerator", "devices", "strategy", "precision")
    try:
        trainer = pl.Trainer(
            **{key: settings[key] for key in keys},
            default_root_dir=folder,
            callbacks=list(callbacks),
            plugins=[*plugins, *_environment(settings)],
            logger=False,
            use_distributed_sampler=False,
            num_sanity_val_steps=0,
            inference_mode=False,  # counts made in inference mode cannot be added to outside of it
            enable_progress_bar=any(isinstance(one, ProgressBar) for one in callbacks),
            enable_model_summary=False,
            **options,
        )
    except (pl.utilities.exceptions.MisconfigurationException, ValueError, RuntimeError, ImportError) as error:
        chosen = ", ".join(f"trainer.{key}={settings[key]}" for key in keys)
        raise PolyprobeError(f"This machine cannot train with {chosen}: {error}") from error
    _check_not_replaced(str(settings["precision"]), trainer)
    # Its handler of SIGTERM first sends to all ranks, and waits for them: the process ends by its own handler alone.
    trainer._signal_connector.register_signal_handlers = lambda: None
    return trainer


def _environment(settings: Mapping[str, Any]) -> list[LightningEnvironment]:
    """Starts the processes of a SLURM job of one task ourselves; with several tasks, SLURM has started them."""
    is_one_task = os.environ.get("SLURM_NTASKS") == "1"
    return [LightningEnvironment()] if is_one_task and runs_several_processes(settings) else []


def _check_precision(precision: str) -> None:
    if precision.endswith("-true") and precision.startswith(("bf16", "16", "transformer-engine")):
        raise PolyprobeError(
            f"trainer.precision={precision} keeps the weights in half precision, where small steps of an optimiser "
            "vanish. Choose bf16-mixed, or 32-true."
        )
    if precision.startswith("64"):
        raise BadValue("trainer.precision", precision, "32-true or bf16-mixed (on a GPU also 16-mixed)")


def _check_not_replaced(precision: str, trainer: pl.Trainer) -> None:
    """Refuses float16 on a CPU, in whose place Lightning takes bfloat16."""
    if precision.startswith("16") and trainer.precision == "bf16-mixed":
        raise PolyprobeError(f"trainer.precision={precision}: a CPU does not train in float16. Choose bf16-mixed.")


def make_logger(settings: Mapping[str, Any], run: Path, config: Mapping[str, Any]) -> Logger | None:
    """Starts the W&B run of a configuration and says where it is; returns its logger, or None where it is off.

    For the first process of a run alone. The run's name is the W&B id: the same command writes to the same dashboard.

    Args:
        settings: the `logger` section of a configuration.
        run: the run's directory; W&B's files lie below its `wandb`.
        config: the whole configuration, shown beside the curves.

    Raises:
        PolyprobeError: `logger.wandb` is neither null, online nor offline, or nobody is logged in.
    """
    mode = settings["wandb"]
    if mode is None:
        return None
    if mode not in ("online", "offline"):
        raise PolyprobeError(f'logger.wandb must be online, offline or null, is "{mode}".')
    import wandb  # half a second that runs without it do not pay

    try:
        dashboard = wandb.init(
            project=settings["project"],
            name=run.name,
            id=run.name,
            dir=run,
            mode=mode,
            resume="allow",
            config=dict(config),
            settings=wandb.Settings(silent=True),  # its summary repeats our tables
        )
    except wandb.errors.Error as error:
        raise PolyprobeError(
            f"logger=wandb cannot start: {error} logger=wandb_offline needs neither login nor network."
        ) from error
    dashboard.define_metric("trainer/global_step")
    dashboard.define_metric("*", step_metric="trainer/global_step", step_sync=True)
    print(f"dashboard {dashboard.url if mode == 'online' else Path(dashboard.dir).parent}")
    return WandbLogger(experiment=dashboard)
