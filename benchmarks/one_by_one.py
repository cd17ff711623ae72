"""The probe as one would train it without a bank: by a Lightning Trainer, and in a tight torch loop.

Both do what the bank does: the same epochs and patience, dev accuracy after each epoch, the best epoch's weights on
test, and each component of the gradient clamped.
"""

import copy
from dataclasses import dataclass

import numpy as np
import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import EarlyStopping
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

from src.probing.jobs import ProbeData, ProbeJob
from src.probing.probes import ProbeSpec


@dataclass(frozen=True, slots=True)
class Trained:
    """Epochs that a probe took, and its accuracy on test."""

    epochs: int
    accuracy: float


class Splits:
    """The vectors of each split, gathered once: `[examples, input width]`, and labels `[examples]`."""

    def __init__(self, data: ProbeData):
        self.train, self.dev, self.test = (
            (data.vectors[getattr(data, f"{split}_rows")].flatten(1), getattr(data, f"{split}_labels"))
            for split in ("train", "dev", "test")
        )


class LightningProbe(pl.LightningModule):
    """The probe as a plain LightningModule."""

    def __init__(self, input_width: int, n_labels: int, spec: ProbeSpec):
        super().__init__()
        self.spec, self.best_accuracy, self.best_weights = spec, -1.0, {}
        self.network = nn.Sequential(
            nn.Linear(input_width, spec.hidden_size),
            nn.ReLU(),
            nn.Dropout(spec.dropout),
            nn.Linear(spec.hidden_size, n_labels),
        )

    def training_step(self, batch: list[Tensor], batch_idx: int) -> Tensor:
        vectors, labels = batch
        return F.cross_entropy(self.network(vectors), labels)

    def validation_step(self, batch: list[Tensor], batch_idx: int) -> None:
        vectors, labels = batch
        self.log("accuracy", (self.network(vectors).argmax(1) == labels).float().mean())

    def on_validation_epoch_end(self) -> None:
        accuracy = self.trainer.callback_metrics["accuracy"].item()
        if accuracy > self.best_accuracy:
            self.best_accuracy, self.best_weights = accuracy, copy.deepcopy(self.network.state_dict())

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return _adam(self.parameters(), self.spec)


def train_by_lightning(job: ProbeJob, spec: ProbeSpec) -> Trained:
    """Trains one probe with a Trainer that has no logger, bar or checkpoints."""
    torch.manual_seed(job.seed)
    splits = Splits(job.data)
    probe = LightningProbe(job.data.input_width, job.data.n_labels, spec)
    trainer = pl.Trainer(
        accelerator="cpu",
        max_epochs=spec.max_epochs,
        gradient_clip_val=spec.gradient_clamp,
        gradient_clip_algorithm="value",
        logger=False,
        enable_progress_bar=False,
        enable_checkpointing=False,
        enable_model_summary=False,
        num_sanity_val_steps=0,
        callbacks=[EarlyStopping("accuracy", mode="max", patience=spec.patience)],
    )
    train = DataLoader(TensorDataset(*splits.train), spec.batch_size, shuffle=True)
    trainer.fit(probe, train, DataLoader(TensorDataset(*splits.dev), 1000))
    probe.network.load_state_dict(probe.best_weights)
    probe.eval()
    with torch.no_grad():
        accuracy = _accuracy(probe.network(splits.test[0]), splits.test[1])
    return Trained(trainer.current_epoch, accuracy)


class TightProbe:
    """Parameters and forward pass of the probe as bare tensors."""

    def __init__(self, input_width: int, n_labels: int, spec: ProbeSpec):
        layers = nn.Linear(input_width, spec.hidden_size), nn.Linear(spec.hidden_size, n_labels)
        self.parameters = [parameter for layer in layers for parameter in layer.parameters()]
        self._dropout = spec.dropout

    def scores(self, vectors: Tensor, is_training: bool) -> Tensor:
        hidden_weights, hidden_bias, weights, bias = self.parameters
        hidden = F.relu(F.linear(vectors, hidden_weights, hidden_bias))
        return F.linear(F.dropout(hidden, self._dropout, is_training), weights, bias)


def train_by_tight_loop(job: ProbeJob, spec: ProbeSpec) -> Trained:
    """Trains one probe with autograd and fused Adam, rows gathered once per epoch, nothing else in the loop."""
    torch.manual_seed(job.seed)
    splits = Splits(job.data)
    probe = TightProbe(job.data.input_width, job.data.n_labels, spec)
    optimizer = _adam(probe.parameters, spec)
    best_accuracy, best_epoch, test_accuracy = -1.0, 0, np.nan
    for epoch in range(1, spec.max_epochs + 1):
        _tight_epoch(probe, optimizer, *splits.train, spec)
        with torch.no_grad():
            accuracy = _accuracy(probe.scores(splits.dev[0], False), splits.dev[1])
            if accuracy > best_accuracy:
                best_accuracy, best_epoch = accuracy, epoch
                test_accuracy = _accuracy(probe.scores(splits.test[0], False), splits.test[1])
        if epoch - best_epoch >= spec.patience:
            break
    return Trained(epoch, test_accuracy)


def _tight_epoch(
    probe: TightProbe, optimizer: torch.optim.Optimizer, vectors: Tensor, labels: Tensor, spec: ProbeSpec
) -> None:
    order = torch.randperm(len(labels))
    vectors, labels = vectors[order], labels[order]
    for start in range(0, len(labels), spec.batch_size):
        scores = probe.scores(vectors[start : start + spec.batch_size], True)
        loss = F.cross_entropy(scores, labels[start : start + spec.batch_size])
        optimizer.zero_grad()
        loss.backward()
        for parameter in probe.parameters:
            parameter.grad.clamp_(-spec.gradient_clamp, spec.gradient_clamp)
        optimizer.step()


def _adam(parameters, spec: ProbeSpec) -> torch.optim.Adam:
    return torch.optim.Adam(parameters, spec.learning_rate, tuple(spec.adam_betas), spec.adam_epsilon, fused=True)


def _accuracy(scores: Tensor, labels: Tensor) -> float:
    return (scores.argmax(1) == labels).double().mean().item()
