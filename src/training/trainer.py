"""The Lightning Trainer of a training run: quiet where users need no word, each step seeded."""

import inspect
import signal
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import ProgressBar, RichModelSummary
from pytorch_lightning.profilers import AdvancedProfiler, PyTorchProfiler, SimpleProfiler

from polyprobe.errors import PolyprobeError, check_choice
from polyprobe.models.base.lightning_process import own_environment, trainer_on
from polyprobe.named import built
from polyprobe.seeds import derived_seed
from polyprobe.training.settings import TrainerSettings

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


def check_arguments(names: Iterable[str]) -> None:
    """Checks names of further arguments against those of Lightning's Trainer.

    Raises:
        PolyprobeError: another key sets it.
        UnknownChoice: it has no such argument; names the nearest.
    """
    known = {*inspect.signature(pl.Trainer).parameters, *TrainerSettings.own_keys()} - {"progress", *ARGUMENTS_SET_HERE}
    for name in names:
        if name in ARGUMENTS_SET_HERE:
            raise PolyprobeError(f"trainer.{name} cannot be set: {ARGUMENTS_SET_HERE[name]}.")
        check_choice("The argument of trainer", name, sorted(known))


def make_trainer(
    settings: TrainerSettings, folder: Path, callbacks: Sequence[pl.Callback], plugins: Sequence[Any] = ()
) -> pl.Trainer:
    """Makes the Trainer that the settings say; what else Lightning's Trainer takes is passed on.

    Sharding of batches is ours (`use_distributed_sampler=False`): Lightning's sampler repeats examples to fill the last
    batch, which would be counted twice.

    Args:
        folder: of the run; a profiler of Lightning writes `fit-profile.txt` there.
    """
    environment = own_environment(settings.num_nodes) if settings.several_processes else []
    machine = {key: getattr(settings, key) for key in ("accelerator", "devices", "strategy", "precision")}
    arguments = {"num_sanity_val_steps": 0, "enable_progress_bar": True, **settings.arguments}
    arguments["profiler"] = make_profiler(arguments.get("profiler"), folder)
    if arguments.get("enable_model_summary"):  # Lightning's other one is a message of its log, which is silent
        callbacks = [*callbacks, RichModelSummary()]
    bars = [one for one in callbacks if isinstance(one, ProgressBar)]
    bar = bars[:1] if arguments["enable_progress_bar"] else []  # that of the user stands before ours
    arguments["enable_progress_bar"] = bool(bar)
    trainer = trainer_on(
        machine,
        max_epochs=settings.max_epochs,
        accumulate_grad_batches=settings.accumulate,
        default_root_dir=folder,
        callbacks=[OwnSignalHandlers(), *bar, *(one for one in callbacks if one not in bars)],
        plugins=[*plugins, *environment],
        num_nodes=settings.num_nodes,
        use_distributed_sampler=False,
        inference_mode=False,  # counts made in inference mode cannot be added to outside of it
        **arguments,
    )
    _check_not_replaced(str(settings.precision), trainer)
    return trainer


def make_profiler(setting: Any, folder: Path) -> Any:
    """Makes a profiler by its name in Lightning, which writes into a folder, or by its `_target_`."""
    if isinstance(setting, Mapping):
        return built(setting, "trainer.profiler")
    if setting is None:
        return None
    check_choice("trainer.profiler", setting, PROFILERS)
    return PROFILERS[setting](dirpath=folder, filename="profile")


def _check_not_replaced(precision: str, trainer: pl.Trainer) -> None:
    """Refuses float16 on a CPU, in whose place Lightning takes bfloat16."""
    if precision.startswith("16") and trainer.precision == "bf16-mixed":
        raise PolyprobeError(f"trainer.precision={precision}: a CPU does not train in float16. Choose bf16-mixed.")


class OwnSignalHandlers(pl.Callback):
    """Keeps the handler of SIGTERM that the process had: Lightning's first sends to all ranks, and waits for them."""

    def __init__(self):
        self.handler = signal.getsignal(signal.SIGTERM)

    def _keep(self, *_: Any) -> None:
        if threading.current_thread() is threading.main_thread() and self.handler is not None:
            signal.signal(signal.SIGTERM, self.handler)

    on_sanity_check_start = on_train_start = on_validation_start = on_test_start = _keep


class StepSeeds(pl.Callback):
    """Seeds torch before every training batch from (seed, step, rank, accumulated piece).

    So a resumed run draws what it would have drawn, and dropout needs no saved generator state.
    """

    def __init__(self, seed: int):
        self.seed = seed

    def on_train_batch_start(
        self, trainer: pl.Trainer, module: pl.LightningModule, batch: Any, batch_index: int
    ) -> None:
        piece = batch_index % trainer.accumulate_grad_batches
        names = ("step", trainer.global_step, trainer.global_rank, *([piece] if piece else []))
        seed = derived_seed(self.seed, *names)
        if module.device.type == "cpu":  # else torch notes the seed and a traceback for GPUs: half a millisecond
            torch.default_generator.manual_seed(seed)
        else:
            torch.manual_seed(seed)
