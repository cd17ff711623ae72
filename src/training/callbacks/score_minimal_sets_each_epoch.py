"""Scores a language model on minimal sets after every epoch of its training: agreement accuracy next to perplexity."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from src.formats.reading.malformed import refuse
from src.predictors.base.predictor import NothingKept
from src.predictors.lstm import LSTMPredictor
from src.probing.minimal_sets.outcome import ScoringRules
from src.probing.minimal_sets.scoring import score_suite
from src.probing.suites.chosen import chosen_set_files
from src.probing.suites.minimal_set_files import read_suite
from src.probing.suites.minimal_sets import MinimalSuite, Preparation
from src.runs.directory import RunDirectory
from src.runs.names.conf_folders import choice_settings
from src.runs.names.identity import identity
from src.runs.record.provenance import MINIMAL_SETS
from src.runs.results import ResultRow
from src.training.callbacks.each_epoch import EachEpoch
from src.training.callbacks.history import History
from src.training.settings import EpochSettings

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
        return [file for one in self.suites for file in one.suite.files]

    def measured(self, epochs: Sequence[int]) -> Iterator[ResultRow]:
        """Scores epoch by epoch."""
        for epoch in epochs:
            predictor = LSTMPredictor(self.directory.path, epoch, **self.settings.predictor, device=None)
            for one in self.suites:
                found = score_suite(one.suite, [predictor], [NothingKept()], one.rules)
                yield from (row for row in found.rows() if row.metric == METRIC)

    def metric(self, row: ResultRow) -> str | None:
        """Names the accuracy of a construction, and the mean over constructions."""
        return f"{row.suite}/{row.lang}/{row.test or 'mean'}" if row.seed is None else None

    def digests(self) -> dict[str, str]:
        """Returns the digests of the sets, and how they are prepared: with others the numbers would be others."""
        return digests_of_sets(self.suites)


@dataclass(frozen=True, slots=True)
class SuiteOfLanguage:
    """The sets of a suite in one language, how their sentences are prepared, and the rules by which they are scored."""

    rules: ScoringRules
    suite: MinimalSuite
    preparation: Preparation


def digests_of_sets(suites: Sequence[SuiteOfLanguage]) -> dict[str, str]:
    """Returns `ScoreMinimalSetsEachEpoch.digests` of suites that were read."""
    found = {}
    for one in suites:
        name = f"{MINIMAL_SETS}{one.suite.name}/{one.rules.lang}"
        found |= {f"{name}/{test}": version for test, version in one.suite.versions.items()}
        found[f"{name} as prepared"] = identity(asdict(one.preparation))
    return found


def read_suites(settings: EpochSettings) -> list[SuiteOfLanguage]:
    """Reads the sets of each suite in each language."""
    return [_read_suite(settings, *suite, lang) for suite in settings.suites.items() for lang in settings.languages]


def _read_suite(
    settings: EpochSettings, name: str, constructions: Sequence[str] | None, lang: Mapping[str, Any]
) -> SuiteOfLanguage:
    files = chosen_set_files(choice_settings("suite", name))
    rules = ScoringRules(lang["code"], PREDICTOR, settings.ties, settings.unknown_focus)
    suite = read_suite(files, lang, constructions, settings.workspace, refuse)
    return SuiteOfLanguage(rules, suite, files.preparation(lang))
