"""Scores a language model on minimal sets after every epoch of its training: agreement accuracy next to perplexity."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from polyprobe.formats.reading.malformed import refuse
from polyprobe.predictors.base.predictor import NothingKept
from polyprobe.predictors.lstm import LSTMPredictor
from polyprobe.probing.minimal_sets.outcome import ScoringRules
from polyprobe.probing.minimal_sets.scoring import score_suite
from polyprobe.probing.suites.chosen import chosen_set_files
from polyprobe.probing.suites.minimal_set_files import read_suite
from polyprobe.probing.suites.minimal_sets import MinimalSuite
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.names.conf_folders import choice_settings
from polyprobe.runs.names.identity import identity
from polyprobe.runs.record.provenance import MINIMAL_SETS
from polyprobe.runs.results import ResultRow
from polyprobe.training.callbacks.each_epoch import EachEpoch
from polyprobe.training.callbacks.history import History
from polyprobe.training.settings import EpochSettings

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
        """See `EachEpoch`."""
        return bool(self.suites)

    @property
    def files(self) -> list[Path]:
        """The files of the sets."""
        return [file for _, suite in self.suites for file in suite.files]

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

    def digests(self) -> dict[str, str]:
        """Returns the digests of the sets, and how they are prepared: with others the numbers would be others."""
        return digests_of_sets(self.suites)


def digests_of_sets(suites: Sequence[tuple[str, MinimalSuite]]) -> dict[str, str]:
    """Returns `ScoreMinimalSetsEachEpoch.digests` of suites that were read."""
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
