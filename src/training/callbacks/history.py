"""What was measured after each epoch: kept in the checkpoints, written to metrics.csv, sent to the logger."""

from typing import Any

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Checkpoint
from pytorch_lightning.loggers import Logger

from polyprobe.errors import PolyprobeError
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.epoch_metrics import write_metrics
from polyprobe.runs.metric_units import is_lower_better

Row = dict[str, float]
VALIDATED = ("dev/", "train/loss", "learning_rate")  # metrics that a validation logs


class History(Checkpoint):
    """Collects the logged metrics of every epoch, epoch 0 (before training) included.

    metrics.csv is rewritten from the collected rows after each epoch, so that a resumed run leaves the same file as
    an uninterrupted one. A `Checkpoint` callback, since only those run after the model's own end of the epoch.

    Args:
        monitor: the metric whose first highest value names the best epoch, see `best_of`; of perplexities, the lowest.
        patience: stop after so many epochs without a new best; None for never.

    Attributes:
        rows: the metrics of each epoch.
        is_stopped: whether another callback, such as Lightning's EarlyStopping, has ended training.
        logger: gets them at the step after the epoch, with `epoch`, and the loss of single batches; None for none. A
            resumed run sends all earlier rows again, since offline pieces of one run replace each other on W&B.
    """

    def __init__(self, directory: RunDirectory, monitor: str, patience: int | None):
        self.directory, self.monitor, self.patience = directory, monitor, patience
        self.logger: Logger | None = None
        self.rows: list[Row] = []
        self.is_stopped, self._is_validated = False, True
        self._n_sent = 0

    def state_dict(self) -> dict[str, Any]:
        stopped = {"is_stopped": True} if self.is_stopped else {}
        return {"rows": [dict(row) for row in self.rows], **stopped}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.rows = [dict(row) for row in state["rows"]]
        self.is_stopped = state.get("is_stopped", False)

    @property
    def best_epoch(self) -> int:
        """The first epoch with the best value of the monitored metric."""
        return self.best_of(len(self.rows))

    def best_of(self, n_epochs: int) -> int:
        """Returns the epoch that was the best when there were so many, epoch 0 counted.

        Of equal values the one with the lowest perplexity counts, where that is measured: BLEU is 0 until a 4-gram is
        right, and for all epochs of a small run the untrained model would be the best.
        """
        sign = -1 if is_lower_better(self.monitor) else 1

        def rank(epoch: int) -> tuple[float, float, int]:
            row = self.rows[epoch]
            return sign * row[self.monitor], -row.get("dev/perplexity", 0.0), -epoch

        return max((epoch for epoch in range(n_epochs) if self.monitor in self.rows[epoch]), key=rank)

    def check_validated(self) -> None:
        """Checks that the best epoch can be chosen among those of training, or before it that there is a score at all.

        Raises:
            PolyprobeError: none was validated.
        """
        if not any(self.monitor in row for row in self.rows[1:] or self.rows):
            found = f"No epoch was validated, so that none has {self.monitor}"
            raise PolyprobeError(f"{found}. Check trainer.limit_val_batches, trainer.max_steps and the like.")

    def add_epoch(self, trainer: pl.Trainer) -> None:
        """Takes the metrics that stand in the trainer as the next epoch's; those on dev if it was validated."""
        metrics = {name: float(value) for name, value in sorted(trainer.callback_metrics.items())}
        if not self._is_validated:
            metrics = {name: value for name, value in metrics.items() if not name.startswith(VALIDATED)}
        self.rows.append({"epoch": float(len(self.rows)), **metrics})
        self.publish(trainer)

    def add_metrics(self, trainer: pl.Trainer, epoch: int, metrics: Row) -> None:
        """Adds metrics to an epoch that is there already; the logger gets them by themselves where it has the rest."""
        self.rows[epoch].update(metrics)
        is_sent = epoch < self._n_sent
        self.publish(trainer)
        if is_sent and self.logger is not None:
            self._send({"epoch": float(epoch), **metrics}, trainer)

    def publish(self, trainer: pl.Trainer) -> None:
        """Writes metrics.csv and sends what is new to the logger."""
        if not trainer.is_global_zero:
            return
        write_metrics(self.directory.metrics, self.rows)
        if self.logger is not None:
            for row in self.rows[self._n_sent :]:
                self._send(row, trainer)
            self._n_sent = len(self.rows)

    def _send(self, row: Row, trainer: pl.Trainer) -> None:
        n_trained = len(self.rows) - 1
        self.logger.log_metrics(dict(row), step=round(trainer.global_step * row["epoch"] / max(1, n_trained)))

    def on_train_batch_end(
        self, trainer: pl.Trainer, module: pl.LightningModule, outputs: Any, batch: Any, batch_index: int
    ) -> None:
        """Sends the loss of a batch, each `log_every_n_steps`: its value makes a GPU wait."""
        is_step = (batch_index + 1) % trainer.accumulate_grad_batches == 0
        if self.logger is not None and is_step and trainer.global_step % trainer.log_every_n_steps == 0:
            loss = float(outputs["loss"]) * trainer.accumulate_grad_batches  # Lightning has divided it
            self.logger.log_metrics({"train/loss_step": loss}, step=trainer.global_step)

    def on_train_epoch_start(self, trainer: pl.Trainer, module: pl.LightningModule) -> None:
        self._is_validated = False

    def on_validation_end(self, trainer: pl.Trainer, module: pl.LightningModule) -> None:
        self._is_validated = not trainer.sanity_checking

    def on_train_start(self, trainer: pl.Trainer, module: pl.LightningModule) -> None:
        self._stop_if_due(trainer)  # a run cut off after its last epoch

    def on_train_epoch_end(self, trainer: pl.Trainer, module: pl.LightningModule) -> None:
        self.is_stopped = trainer.should_stop
        self.add_epoch(trainer)
        self._stop_if_due(trainer)

    def _stop_if_due(self, trainer: pl.Trainer) -> None:
        is_out_of_patience = self.patience is not None and len(self.rows) - 1 - self.best_epoch >= self.patience
        if self.is_stopped or is_out_of_patience:
            trainer.should_stop = True
