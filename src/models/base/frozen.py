"""Running a trained network without training it."""

from collections.abc import Callable
from typing import TypeVar

import pytorch_lightning as pl
import torch

Batch = TypeVar("Batch")
Answer = TypeVar("Answer")


@torch.no_grad()
def run_frozen(model: pl.LightningModule, function: Callable[[Batch], Answer], batch: Batch) -> Answer:
    """Applies a method of a model to a batch in evaluation mode, on its device; leaves the mode as it was."""
    was_training = model.training
    model.eval()
    try:
        return function(batch.to(model.device))
    finally:
        model.train(was_training)
