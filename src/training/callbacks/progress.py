"""How far training has come: a line an epoch, in a terminal a bar, elsewhere a line a minute of a long epoch."""

import math
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from statistics import fmean
from typing import Any

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Checkpoint, RichProgressBar

from polyprobe.display.shown import is_quiet, say
from polyprobe.training.callbacks.history import History, Row
from polyprobe.training.settings import SUITES

MINUTE = 60.0  # seconds
MOST_SCORES = 12  # of tests in a line; of more their means
OF_TESTS = ("probe", *SUITES)  # what the names of such scores in metrics.csv begin with

Clock = Callable[[], float]  # in seconds


def progress(history: History) -> list[pl.Callback]:
    """Returns the callbacks that say how far training has come; they must stand behind those that measure epochs."""
    if sys.stdout.isatty() and not is_quiet():
        return [EpochLines(history, interval=math.inf), RunProgressBar()]
    return [EpochLines(history)]


class TimeLeft:
    """Seconds that remain, from the mean time of a batch: for the run since its first epoch or that with which it
    resumed, with validation and probing; for an epoch since it began.
    """

    def __init__(self, clock: Clock = time.monotonic):
        self._clock = clock
        self._run_start: float | None = None
        self._epoch_start = 0.0
        self._n_before = self._n_in_run = self._n_in_epoch = 0

    def start_epoch(self, trainer: pl.Trainer) -> None:
        self._epoch_start, self._n_in_epoch = self._clock(), 0
        if self._run_start is None:
            self._run_start = self._epoch_start
            self._n_before = trainer.current_epoch * trainer.num_training_batches

    def count_batch(self) -> None:
        self._n_in_run += 1
        self._n_in_epoch += 1

    @property
    def of_epoch_so_far(self) -> float:
        """Seconds since the epoch began."""
        return self._clock() - self._epoch_start

    def of_epoch(self, trainer: pl.Trainer) -> str:
        """Returns what is left of the epoch, "0:12:30"; "?" where the number of its batches is not known."""
        return _written(self.of_epoch_so_far, self._n_in_epoch, trainer.num_training_batches - self._n_in_epoch)

    def of_run(self, trainer: pl.Trainer) -> str:
        """Returns what is left until `max_epochs`: early stopping may end the run before."""
        n_epochs = trainer.max_epochs if trainer.max_epochs not in (None, -1) else math.inf
        n_left = n_epochs * trainer.num_training_batches - self._n_before - self._n_in_run
        return _written(self._clock() - self._run_start, self._n_in_run, n_left)


def _written(seconds: float, n_done: int, n_left: float) -> str:
    return str(timedelta(seconds=round(seconds / n_done * n_left))) if n_done and math.isfinite(n_left) else "?"


class EpochLines(Checkpoint):
    """Prints a line for each epoch: loss, the monitored metric, scores of probing tests and minimal sets, seconds.

    Beside BLEU, which is 0 at first, stands the perplexity. Before training the scores of tests are printed alone. A
    `Checkpoint` callback, since only those can follow others that measure the epoch.

    Args:
        history: has the metrics of each epoch.
        interval: seconds after which a long epoch has a further line; infinity for none.
        clock: tells seconds.
    """

    def __init__(self, history: History, interval: float = MINUTE, clock: Clock = time.monotonic):
        self.history, self.interval = history, interval
        self._clock, self._left, self._last_line = clock, TimeLeft(clock), 0.0

    def on_train_start(self, trainer: pl.Trainer, module: pl.LightningModule) -> None:
        if len(self.history.rows) == 1 and trainer.is_global_zero and (scores := _test_scores(self.history.rows[0])):
            say(_line(0, scores))

    def on_train_epoch_start(self, trainer: pl.Trainer, module: pl.LightningModule) -> None:
        self._left.start_epoch(trainer)
        self._last_line = self._clock()

    def on_train_batch_end(
        self, trainer: pl.Trainer, module: pl.LightningModule, outputs: Any, batch: Any, batch_index: int
    ) -> None:
        self._left.count_batch()
        if not trainer.is_global_zero or self._clock() - self._last_line < self.interval:
            return
        self._last_line = self._clock()
        loss = module.train_loss
        so_far = {"train/loss": float(loss.mean_value / loss.weight)}  # `compute` would wait for other processes
        batches = f"batch {batch_index + 1:,} of {trainer.num_training_batches:,}"
        left = f"left: {self._left.of_epoch(trainer)} of the epoch, {self._left.of_run(trainer)} of the run"
        say(f"{_line(trainer.current_epoch + 1, so_far)}  {batches}  {left}")

    def on_train_epoch_end(self, trainer: pl.Trainer, module: pl.LightningModule) -> None:
        if not trainer.is_global_zero:
            return
        row, monitor = self.history.rows[-1], self.history.monitor
        names = ["train/loss", monitor, *(["dev/perplexity"] if monitor == "dev/bleu" else [])]
        metrics = {name: row[name] for name in names if name in row}
        line = _line(trainer.current_epoch + 1, {**metrics, **_test_scores(row)})
        say(f"{line}  {self._left.of_epoch_so_far:.1f} s")


def _line(epoch: int, metrics: Row) -> str:
    return "  ".join([f"epoch {epoch:2d}", *(f"{name} {value:.4f}" for name, value in metrics.items())])


def _test_scores(row: Row) -> Row:
    """Returns the scores of probing tests and minimal sets of an epoch; of many the mean of each layer or language."""
    scores = {name: value for name, value in row.items() if name.partition("/")[0] in OF_TESTS}
    if len(scores) <= MOST_SCORES:
        return scores
    groups: dict[str, list[float]] = {}
    for name, value in scores.items():
        group, _, test = name.rpartition("/")
        if test != "mean":  # of the constructions of a suite
            groups.setdefault(group, []).append(value)
    return {f"{group}/mean": fmean(values) for group, values in groups.items()}


class RunProgressBar(RichProgressBar):
    """Lightning's bar of an epoch, with the time left of the run beside the scores on dev."""

    def __init__(self, clock: Clock = time.monotonic):
        super().__init__()
        self.time_left = TimeLeft(clock)

    def on_train_epoch_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        self.time_left.start_epoch(trainer)
        super().on_train_epoch_start(trainer, pl_module)

    def on_train_batch_end(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        self.time_left.count_batch()
        super().on_train_batch_end(trainer, pl_module, outputs, batch, batch_idx)

    def get_metrics(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> dict[str, Any]:
        return {**super().get_metrics(trainer, pl_module), "left of the run": self.time_left.of_run(trainer)}
