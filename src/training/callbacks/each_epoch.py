"""Further scores of the checkpoint of every epoch while a model trains: probes, minimal sets."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Checkpoint

from polyprobe.encoders.checkpoint import CheckpointEncoder
from polyprobe.encoders.inputs.vector_source import VectorSource
from polyprobe.errors import check_choice
from polyprobe.formats.reading.malformed import refuse
from polyprobe.predictors.base.predictor import NothingKept
from polyprobe.predictors.lstm import LSTMPredictor
from polyprobe.probing.design import check_probe_of_vectors, read_design
from polyprobe.probing.minimal_sets.outcome import ScoringRules
from polyprobe.probing.minimal_sets.scoring import score_suite
from polyprobe.probing.probing_run import probed
from polyprobe.probing.settings import ProbingSettings
from polyprobe.probing.suites.chosen import chosen_set_files
from polyprobe.probing.suites.minimal_set_files import read_suite
from polyprobe.probing.suites.minimal_sets import MinimalSuite
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.names.conf_folders import choice_settings
from polyprobe.runs.names.identity import identity
from polyprobe.runs.record.provenance import MINIMAL_SETS
from polyprobe.runs.results import ResultRow
from polyprobe.training.callbacks.history import History
from polyprobe.training.settings import EpochSettings, TrainingSettings


class EachEpoch(Checkpoint, ABC):
    """Measures every epoch once, epoch 0 included, and keeps the rows in the checkpoints.

    A subclass opens the checkpoint file that was just written, so that a number here equals that of a later `probe.py`
    on the same epoch. That file therefore lacks the rows of its own epoch: a resumed run measures this one again. A
    `Checkpoint` callback, since Lightning lets those run last, in the order of their list.

    Args:
        history: takes some of the values as further metrics of the epoch.
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


class ProbeEachEpoch(EachEpoch):
    """Probes the checkpoint of every epoch; needs nothing where there are no tests.

    Args:
        history: see `EachEpoch`.
        source: of the frozen vectors that the model reads, or None.
    """

    def __init__(
        self,
        settings: TrainingSettings,
        directory: RunDirectory,
        history: History,
        source: VectorSource | None,
    ):
        super().__init__(history)
        self.directory, self.source, self.layers = directory, source, settings.probe_layers
        self.settings = self.design = None
        if settings.probing is not None:
            self.settings = ProbingSettings.of_training(settings.probing, settings.tests)
            options = settings.probing.suite.with_own_tests(None)
            self.design = replace(read_design(self.settings), options=options)
            check_probe_of_vectors(self.design)

    def check_layers(self, model: Any) -> None:
        """Checks that the model has the layers that are probed."""
        exposed = [name for name, _ in model.exposed_layers]
        for layer in self.layers:
            check_choice("probe_layers", layer, exposed)

    @property
    def is_asked(self) -> bool:
        return self.design is not None

    def measured(self, epochs: Sequence[int]) -> Iterator[ResultRow]:
        """Probes all epochs in one bank."""
        cache, level = self.settings.cache, self.settings.suite.level
        source = self.source or {}
        encoder = CheckpointEncoder(self.directory.path, list(epochs), self.layers, level, source, cache.folder)
        yield from probed(self.settings, self.design, encoder).rows()

    def metric(self, row: ResultRow) -> str | None:
        """Names the average over seeds."""
        return f"probe/{row.layer}/{row.test}" if row.seed is None else None


PREDICTOR = "lstm"
METRIC = "accuracy"


class ScoreMinimalSetsEachEpoch(EachEpoch):
    """Scores the checkpoint of every epoch as `probe.py predictor=lstm` does; its rows of accuracy are kept.

    Args:
        settings: which sets, and how; None: none.
        history: see `EachEpoch`.
    """

    def __init__(self, settings: EpochSettings | None, directory: RunDirectory, history: History):
        super().__init__(history)
        self.directory, self.settings = directory, settings
        self.suites = [] if settings is None else read_suites(settings)

    @property
    def is_asked(self) -> bool:
        return bool(self.suites)

    def measured(self, epochs: Sequence[int]) -> Iterator[ResultRow]:
        """Scores epoch by epoch."""
        for epoch in epochs:
            predictor = LSTMPredictor(self.directory.path, epoch, **self.settings.predictor, device=None)
            for lang, suite in self.suites:
                rules = ScoringRules(lang, PREDICTOR, self.settings.ties, self.settings.unknown_focus)
                found = score_suite(suite, [predictor], [NothingKept()], rules)
                yield from (row for row in found.rows() if row.metric == METRIC)

    def metric(self, row: ResultRow) -> str | None:
        """Names the accuracy of a construction, and the mean over constructions."""
        return f"{row.suite}/{row.lang}/{row.test or 'mean'}" if row.seed is None else None


def digests_of_sets(suites: Sequence[tuple[str, MinimalSuite]]) -> dict[str, str]:
    """Returns the digests of sets, and how they are prepared: with others the numbers would be others."""
    found = {}
    for lang, suite in suites:
        name = f"{MINIMAL_SETS}{suite.name}/{lang}"
        found |= {f"{name}/{test}": version for test, version in suite.versions.items()}
        found[f"{name} as prepared"] = identity(asdict(suite.preparation))
    return found


def read_suites(settings: EpochSettings) -> list[tuple[str, MinimalSuite]]:
    """Reads the sets of each suite in each language, whose code stands before them."""
    found = []
    for name, constructions in settings.suites.items():
        files = chosen_set_files(choice_settings("suite", name))
        for lang in settings.languages:
            found.append((lang["code"], read_suite(files, lang, constructions, settings.workspace, refuse)))
    return found
