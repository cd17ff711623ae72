"""The Lightning Trainer of a training run: quiet where users need no word, each step seeded."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import ProgressBar

from polyprobe.errors import PolyprobeError
from polyprobe.models.base.lightning_process import own_environment, trainer_on
from polyprobe.seeds import derived_seed
from polyprobe.training.settings import TrainerSettings


def make_trainer(
    settings: TrainerSettings, folder: Path, callbacks: Sequence[pl.Callback], plugins: Sequence[Any] = ()
) -> pl.Trainer:
    """Makes the Trainer that the settings say.

    Sharding of batches is ours (`use_distributed_sampler=False`): Lightning's sampler repeats examples to fill the last
    batch, which would be counted twice.
    """
    environment = own_environment(settings.num_nodes) if settings.several_processes else []
    machine = {key: getattr(settings, key) for key in ("accelerator", "devices", "strategy", "precision")}
    trainer = trainer_on(
        machine,
        max_epochs=settings.max_epochs,
        accumulate_grad_batches=settings.accumulate,
        default_root_dir=folder,
        callbacks=list(callbacks),
        plugins=[*plugins, *environment],
        num_nodes=settings.num_nodes,
        use_distributed_sampler=False,
        num_sanity_val_steps=0,
        inference_mode=False,  # counts made in inference mode cannot be added to outside of it
        enable_progress_bar=any(isinstance(one, ProgressBar) for one in callbacks),
    )
    _check_not_replaced(str(settings.precision), trainer)
    # Its handler of SIGTERM first sends to all ranks, and waits for them: the process ends by its own handler alone.
    trainer._signal_connector.register_signal_handlers = lambda: None
    return trainer


def _check_not_replaced(precision: str, trainer: pl.Trainer) -> None:
    """Refuses float16 on a CPU, in whose place Lightning takes bfloat16."""
    if precision.startswith("16") and trainer.precision == "bf16-mixed":
        raise PolyprobeError(f"trainer.precision={precision}: a CPU does not train in float16. Choose bf16-mixed.")


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
