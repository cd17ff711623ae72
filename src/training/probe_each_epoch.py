"""Probes a model after every epoch of its own training, so that the probing curves grow beside the score."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Checkpoint

from src.encoders.checkpoint import CheckpointEncoder
from src.encoders.vector_source import VectorSource
from src.formats.errors import UnknownChoice
from src.formats.malformed import refuse
from src.probing.run import make_study, probe_layers
from src.runs.directory import RunDirectory
from src.runs.results import ResultRow
from src.training.history import History


class ProbeEachEpoch(Checkpoint):
    """Probes the checkpoint of every epoch with the tests of `probe_each_epoch`; needs nothing where these are none.

    It opens the checkpoint file that was just written, so that a score here equals the score of a later `probe.py` on
    the same epoch. That file therefore lacks the rows of its own epoch: a resumed run probes this one again. A
    `Checkpoint` callback, since Lightning lets those run last, in the order of their list.

    Args:
        config: of the training run.
        directory: of the run.
        history: takes the scores as further metrics of the epoch.
        model: whose layers are to be probed.
        source: of the frozen vectors that the model reads, or None.

    Raises:
        UnknownChoice: the language has no such test, or the model no such layer.
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        directory: RunDirectory,
        history: History,
        model: Any,
        source: VectorSource | None,
    ):
        choices = {**config["choices"], "encoder": "checkpoint"}
        self.config = {**config, "baselines": "cheap", "choices": choices, "tests": config["probe_each_epoch"]}
        self.directory, self.history, self.source = directory, history, source
        self.rows: list[ResultRow] = []
        self.study = make_study(self.config, refuse) if config["probe_each_epoch"] else None
        exposed = [name for name, _ in model.exposed_layers]
        for layer in config["probe_layers"]:
            if layer not in exposed:
                raise UnknownChoice("probe_layers", layer, exposed)

    def state_dict(self) -> dict[str, Any]:
        return {"rows": [asdict(row) for row in self.rows]}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.rows = [ResultRow(**row) for row in state["rows"]]

    def on_train_start(self, trainer: pl.Trainer, module: pl.LightningModule) -> None:
        self.probe_missing(trainer)

    def on_train_epoch_end(self, trainer: pl.Trainer, module: pl.LightningModule) -> None:
        self.probe_missing(trainer)

    def probe_missing(self, trainer: pl.Trainer) -> None:
        """Probes the epochs that are trained and not probed yet."""
        probed = {row.epoch for row in self.rows}
        self._probe(trainer, [epoch for epoch in range(len(self.history.rows)) if epoch not in probed])

    def _probe(self, trainer: pl.Trainer, epochs: list[int]) -> None:
        if self.study is None or not epochs or not trainer.is_global_zero:
            return
        layers, level = self.config["probe_layers"], self.config["suite"]["level"]
        encoder = CheckpointEncoder(self.directory.path, epochs, layers, level, self.source or {}, "")
        rows = list(probe_layers(self.config, self.study, encoder).rows())
        for row in rows:
            if row.seed is None:
                self.history.add_metrics(trainer, row.epoch, {f"probe/{row.layer}/{row.test}": row.value})
        self.rows += rows
