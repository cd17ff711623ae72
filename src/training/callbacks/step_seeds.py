"""Randomness that depends on the seed and the step alone, so that a resumed run draws what it would have drawn."""

from typing import Any

import pytorch_lightning as pl
import torch

from polyprobe.seeds import derived_seed


class StepSeeds(pl.Callback):
    """Seeds torch before every training batch from (seed, step, rank, accumulated piece).

    So dropout needs no saved generator state.
    """

    def __init__(self, seed: int):
        self.seed = seed

    def on_train_batch_start(
        self, trainer: pl.Trainer, module: pl.LightningModule, batch: Any, batch_index: int
    ) -> None:
        piece = batch_index % trainer.accumulate_grad_batches
        names = ("step", trainer.global_step, trainer.global_rank, *([piece] if piece else []))
        torch.manual_seed(derived_seed(self.seed, *names))
