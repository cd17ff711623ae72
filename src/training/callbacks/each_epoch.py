"""Further scores of the checkpoint of every epoch while a model trains: probes, minimal sets."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Checkpoint

from polyprobe.runs.results import ResultRow
from polyprobe.training.callbacks.history import History


class EachEpoch(Checkpoint, ABC):
    """Measures every epoch once, epoch 0 included, and keeps the rows in the checkpoints.

    A subclass opens the checkpoint file that was just written, so that a number here equals that of a later `probe.py`
    on the same epoch. That file therefore lacks the rows of its own epoch: a resumed run measures this one again. A
    `Checkpoint` callback, since Lightning lets those run last, in the order of their list.

    Args:
        history: takes some of the values as further metrics of the epoch.

    Attributes:
        rows: of all epochs so far.
    """

    def __init__(self, history: History):
        self.history = history
        self.rows: list[ResultRow] = []

    @property
    @abstractmethod
    def is_asked(self) -> bool:
        """Whether there is anything to measure."""

    @abstractmethod
    def measured(self, epochs: Sequence[int]) -> Iterator[ResultRow]:
        """Returns the rows of some epochs; each row names its own."""

    @abstractmethod
    def metric(self, row: ResultRow) -> str | None:
        """Names the metric that a row's value becomes in the history; None: it becomes none."""

    def state_dict(self) -> dict[str, Any]:
        return {"rows": [asdict(row) for row in self.rows]}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.rows = [ResultRow(**row) for row in state["rows"]]

    def on_train_start(self, trainer: pl.Trainer, module: pl.LightningModule) -> None:
        self.measure_missing(trainer)

    def on_train_epoch_end(self, trainer: pl.Trainer, module: pl.LightningModule) -> None:
        self.measure_missing(trainer)

    def measure_missing(self, trainer: pl.Trainer) -> None:
        """Measures the epochs that are trained and not measured yet."""
        there = {row.epoch for row in self.rows}
        epochs = [epoch for epoch in range(len(self.history.rows)) if epoch not in there]
        if not self.is_asked or not epochs or not trainer.is_global_zero:
            return
        rows = list(self.measured(epochs))
        for epoch in epochs:
            known = [row for row in rows if row.epoch == epoch and self.metric(row) and row.value is not None]
            self.history.add_metrics(trainer, epoch, {self.metric(row): row.value for row in known})
        self.rows += rows
