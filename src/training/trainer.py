"""The Lightning Trainer of a training run: quiet where users need no word, each step seeded."""

import signal
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import ProgressBar, RichModelSummary

from polyprobe.errors import PolyprobeError
from polyprobe.models.base.lightning_process import make_profiler, own_environment, trainer_on
from polyprobe.seeds import derived_seed
from polyprobe.training.settings import TrainerSettings


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
    precision = str(settings.precision)
    if precision.startswith("16") and trainer.precision == "bf16-mixed":  # which Lightning takes in its place
        raise PolyprobeError(f"trainer.precision={precision}: a CPU does not train in float16. Choose bf16-mixed.")
    return trainer


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
