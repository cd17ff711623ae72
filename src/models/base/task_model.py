"""The base of the models of all downstream tasks: how they are trained, scored and run."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
import pytorch_lightning as pl
import torch
from torch import Tensor, nn
from torchmetrics import MeanMetric, Metric

from polyprobe.errors import PolyprobeError, check_above_zero
from polyprobe.metrics.task_score import TaskScore
from polyprobe.models.base.task_coder import TaskCoder

Optimizer = Callable[[Iterable[nn.Parameter]], torch.optim.Optimizer]


class Diverged(PolyprobeError):
    """Training has led to NaN or infinity.

    Args:
        what: the infinite or NaN numbers, in the plural ("scores of arcs").
        epoch: in which that was noticed, from 1.
    """

    def __init__(self, what: str, epoch: int):
        super().__init__(
            f"Training has diverged: {what} are not finite in epoch {epoch}. Set model.optimizer.lr lower, or "
            "model.clip_norm."
        )


@runtime_checkable
class RateDecay(Protocol):
    """A rule that lowers the learning rate; see src/models/base/rate_decay.py."""

    def factor_after(self, score: float) -> float:
        """Takes the dev score of the next epoch; returns what to multiply the rate by."""

    def state_dict(self) -> dict[str, float]:
        """Returns what a checkpoint must hold."""

    def load_state_dict(self, state: dict[str, float]) -> None:
        """Goes on from a checkpoint."""


class TaskModel(pl.LightningModule, ABC):
    """A model that is trained on the loss of batches and scored by counts; subclasses define both.

    Of every model `reader` gives the vectors of words, `seed` is that of the initialisation.

    Args:
        optimizer: takes the parameters.
        clip_norm: gradients longer than this, all together, are scaled down to it; None leaves them.
        rate_decay: takes a dev score after each epoch; None leaves the learning rate.

    Attributes:
        coder: turns examples to batches as the datamodule does; set by the subclass.
        dev_metric, test_metric: the counts behind the scores of dev and test; set by the subclass.
    """

    coder: TaskCoder
    dev_metric: Metric
    test_metric: Metric

    def __init__(self, optimizer: Optimizer, clip_norm: float | None, rate_decay: RateDecay | None):
        super().__init__()
        if clip_norm is not None:
            check_above_zero("model.clip_norm", clip_norm)
        self.optimizer, self.clip_norm, self.rate_decay = optimizer, clip_norm, rate_decay
        self.train_loss = MeanMetric(nan_strategy="disable")

    @property
    @abstractmethod
    def exposed_layers(self) -> tuple[tuple[str, int], ...]:
        """Names and widths of the layers that can be probed, lowest first."""

    @property
    def word_layers(self) -> tuple[str, ...]:
        """The layers that read a word without its sentence: the lowest, unless the reader of words reads sentences."""
        reads_context = getattr(getattr(self, "reader", None), "reads_context", False)
        return () if reads_context else (self.exposed_layers[0][0],)

    @property
    def sentence_layers(self) -> tuple[str, ...]:
        """The layers with one vector for a sentence; none, unless a model makes such vectors."""
        return ()

    def parameter_counts(self) -> dict[str, int]:
        """Returns how many trained numbers each part has, by a name to print; empty unless a model tells its parts."""
        return {}

    @abstractmethod
    def loss(self, batch: Any) -> Tensor:
        """Returns the loss of a batch, over its `n_items`."""

    @abstractmethod
    def count(self, metric: Metric, batch: Any) -> None:
        """Counts the right answers of a batch."""

    @abstractmethod
    def measured(self, metric: Metric) -> Mapping[str, Any]:
        """Returns the scores of everything counted, by name; the learning rate depends on the first one."""

    @abstractmethod
    def answered(self, batch: Any) -> Sequence[Any]:
        """Returns what the scores are about, one for each example of a batch; gold labels are ignored."""

    @abstractmethod
    def scores(self, examples: Sequence[Any]) -> list[TaskScore]:
        """Returns the scores of examples with gold labels, those of the whole first."""

    def answers(self, examples: Sequence[Any]) -> list[Any]:
        """Returns what the scores are about, one for each example; gold labels are ignored."""
        batches = self.coder.bare_batches(examples)
        return [answer for batch in batches for answer in run_frozen(self, self.answered, batch)]

    def known(self, words: Sequence[str]) -> np.ndarray | None:
        """Says which words the vocabulary has: bool `[words]`; None where every word has a vector of its own."""
        return self.coder.known(words)

    @abstractmethod
    def bare_batches(self, sentences: Sequence[Sequence[str]]) -> Iterator[Any]:
        """Returns batches of sentences without annotation, in their order."""

    @abstractmethod
    def layers_of(self, batch: Any) -> dict[str, Tensor]:
        """Returns the vectors of all words of a batch: for each exposed layer float32 `[words, width]`, on the CPU.

        A layer of `sentence_layers` has `[sentences, width]`.
        """

    def forget_words(self) -> None:
        """Lets words be numbered anew: in which order their vectors are computed depends on no earlier sentence then.

        What was coded before is of no use any more.
        """
        for module in self.modules():
            if (coder := getattr(module, "coder", None)) is not None:
                coder.forget()

    def layer_vectors(self, sentences: Sequence[Sequence[str]]) -> dict[str, Tensor]:
        """Returns the vectors of all words of all sentences, in order, in evaluation mode.

        Returns:
            For each exposed layer float32 `[words, width]`, of `sentence_layers` `[sentences, width]`, on the CPU. A
            vector does not depend on the other sentences (to rounding).
        """
        parts = [run_frozen(self, self.layers_of, batch) for batch in self.bare_batches(sentences)]
        return {name: torch.cat([part[name] for part in parts]) for name, _ in self.exposed_layers}

    def training_step(self, batch: Any, batch_index: int) -> Tensor:
        """Returns the loss of a batch."""
        loss = self.loss(batch)
        self.train_loss.update(loss.detach(), batch.n_items)
        return loss

    def on_validation_epoch_start(self) -> None:
        """Checks the losses of the epoch, all at once: a check of each would make a GPU wait at every step."""
        if self._is_trained and not self.train_loss.compute().isfinite():
            raise Diverged("losses", self.current_epoch + 1)

    def validation_step(self, batch: Any, batch_index: int) -> None:
        """Counts on dev."""
        self.count(self.dev_metric, batch)

    def test_step(self, batch: Any, batch_index: int) -> None:
        """Counts on test."""
        self.count(self.test_metric, batch)

    def on_train_epoch_start(self) -> None:
        """Drops the losses of the previous epoch."""
        self.train_loss.reset()

    def on_validation_epoch_end(self) -> None:
        """Logs the epoch; inside a training run also adapts the learning rate to the dev score.

        The rate changes here, before any checkpoint of the epoch is taken, so that a resumed run continues exactly.
        """
        score = self._logged("dev", self.dev_metric)
        if not self._is_trained:
            return
        self._log("train/loss", self.train_loss.compute())
        if self.rate_decay is not None:
            groups = self.optimizers().param_groups
            self._log("learning_rate", groups[0]["lr"])
            factor = self.rate_decay.factor_after(score)
            for group in groups:
                group["lr"] *= factor

    def on_test_epoch_end(self) -> None:
        """Logs the scores."""
        self._logged("test", self.test_metric)

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Adds the state of the rate rule."""
        if self.rate_decay is not None:
            checkpoint["rate_decay"] = self.rate_decay.state_dict()

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Restores the rate rule."""
        if self.rate_decay is not None:
            self.rate_decay.load_state_dict(checkpoint["rate_decay"])

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """Returns the optimiser over all parameters."""
        return self.optimizer(self.parameters())

    def configure_gradient_clipping(
        self,
        optimizer: torch.optim.Optimizer,
        gradient_clip_val: float | None = None,
        gradient_clip_algorithm: str | None = None,
    ) -> None:
        """Clips by the norm of all gradients together (`clip_norm`), then as the Trainer says."""
        if self.clip_norm is not None:
            nn.utils.clip_grad_norm_(self.parameters(), self.clip_norm)
        if gradient_clip_val is not None:
            self.clip_gradients(optimizer, gradient_clip_val, gradient_clip_algorithm)

    @property
    def _is_trained(self) -> bool:
        return self.trainer.state.fn == "fit" and not self.trainer.sanity_checking

    def _logged(self, split: str, metric: Metric) -> float:
        """Logs all scores of a split, resets its counts and returns the first score."""
        scores = self.measured(metric)
        metric.reset()
        for place, (name, value) in enumerate(scores.items()):
            self._log(f"{split}/{name}", value, prog_bar=place == 0)
        return float(next(iter(scores.values())))

    def _log(self, name: str, value: Any, prog_bar: bool = False) -> None:
        """Logs a metric for callbacks; `History` sends it to the logger, with those of all epochs before."""
        self.log(name, value, prog_bar=prog_bar, logger=False)


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
