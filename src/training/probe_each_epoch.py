"""Probes a model after every epoch of its own training, so that the probing curves grow beside the score."""

from collections.abc import Mapping
from typing import Any

import pytorch_lightning as pl

from src.encoders.checkpoint import CheckpointEncoder
from src.formats.malformed import refuse
from src.probing.run import make_study, probe_layers
from src.runs.directory import RunDirectory
from src.runs.results import ResultRow
from src.training.history import History


class ProbeEachEpoch(pl.Callback):
    """Probes the checkpoint of every epoch with the tests of `probe_each_epoch`; needs nothing where these are none.

    It opens the checkpoint file that was just written, so that a score here equals the score of a later `probe.py` on
    the same epoch. Epochs whose rows are not in the state that a resumed run loads are probed again.

    Args:
        config: of the training run.
        directory: of the run.
        history: takes the scores as further metrics of the epoch.
    """

    def __init__(self, config: Mapping[str, Any], directory: RunDirectory, history: History):
        self.config, self.directory, self.history = config, directory, history
        self.rows: list[ResultRow] = []

    def on_train_start(self, trainer: pl.Trainer, module: pl.LightningModule) -> None:
        self._probe(trainer, range(len(self.history.rows)))

    def on_train_epoch_end(self, trainer: pl.Trainer, module: pl.LightningModule) -> None:
        self._probe(trainer, [len(self.history.rows) - 1])

    def _probe(self, trainer: pl.Trainer, epochs: Any) -> None:
        if not self.config["probe_each_epoch"] or not trainer.is_global_zero:
            return
        choices = {**self.config["choices"], "encoder": "checkpoint"}
        settings = {**self.config, "choices": choices, "tests": self.config["probe_each_epoch"]}
        encoder = CheckpointEncoder(self.directory.path, list(epochs), list(self.config["probe_layers"]))
        rows = probe_layers(settings, make_study(settings, refuse), encoder)
        for row in rows:
            if row.seed is None:
                self.history.add_metrics(trainer, row.epoch, {f"probe/{row.layer}/{row.test}": row.value})
        self.rows += rows
