"""Probes a model after every epoch of its own training: probing curves next to the score."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from polyprobe.encoders.checkpoint import CheckpointEncoder
from polyprobe.encoders.inputs.vector_source import VectorSource
from polyprobe.errors import check_choice
from polyprobe.probing.design import check_probe_of_vectors, read_design
from polyprobe.probing.probing_run import probe_layers
from polyprobe.probing.settings import ProbingSettings
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.results import ResultRow
from polyprobe.training.callbacks.each_epoch import EachEpoch
from polyprobe.training.callbacks.history import History
from polyprobe.training.settings import TrainingSettings


class ProbeEachEpoch(EachEpoch):
    """Probes the checkpoint of every epoch; needs nothing where there are no tests.

    Args:
        settings: of the training run.
        history: see `EachEpoch`.
        model: whose layers are to be probed.
        source: of the frozen vectors that the model reads, or None.
    """

    def __init__(
        self,
        settings: TrainingSettings,
        directory: RunDirectory,
        history: History,
        model: Any,
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
        exposed = [name for name, _ in model.exposed_layers]
        for layer in self.layers:
            check_choice("probe_layers", layer, exposed)

    @property
    def is_asked(self) -> bool:
        """See `EachEpoch`."""
        return self.design is not None

    @property
    def files(self) -> list[Path]:
        """The files of the tests."""
        return [] if self.design is None else [file for test in self.design.tests for file in test.files]

    def measured(self, epochs: Sequence[int]) -> Iterator[ResultRow]:
        """Probes all epochs in one bank."""
        cache, level = self.settings.cache, self.settings.suite.level
        source = self.source or {}
        encoder = CheckpointEncoder(self.directory.path, list(epochs), self.layers, level, source, cache.folder)
        yield from probe_layers(self.settings, self.design, encoder).rows()

    def metric(self, row: ResultRow) -> str | None:
        """Names the average over seeds."""
        return f"probe/{row.layer}/{row.test}" if row.seed is None else None
