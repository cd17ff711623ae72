"""Scores a language model on minimal sets after every epoch of its training: agreement accuracy beside perplexity."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from src.errors import Impossible
from src.formats.reading.malformed import refuse
from src.predictors.base.score_cache import NothingKept
from src.predictors.lstm import LSTMPredictor
from src.probing.minimal_sets.outcome import ScoringRules
from src.probing.minimal_sets.run import make_suite
from src.probing.minimal_sets.scoring import score_suite
from src.probing.suites.chosen import chosen_set_files
from src.probing.suites.minimal_sets import MinimalSuite, Preparation
from src.runs.directory import RunDirectory
from src.runs.names.conf_folders import choice_settings
from src.runs.names.identity import identity
from src.runs.record.provenance import MINIMAL_SETS
from src.runs.results import ResultRow
from src.training.callbacks.each_epoch import EachEpoch
from src.training.callbacks.history import History

SUITES = ("clams", "blimp")
PREDICTOR = "lstm"
METRIC = "accuracy"


def parted(names: Sequence[str]) -> tuple[list[str], dict[str, list[str] | None]]:
    """Parts `probe_each_epoch` into probing tests and suites of minimal sets.

    Args:
        names: a suite, such as "clams", is all its constructions; "clams/vp_coord" is one of them; all else are tests.

    Returns:
        The tests, and the constructions of each suite: None for all.
    """
    tests, suites = [], {}
    for name in map(str, names):
        suite, _, construction = name.partition("/")
        if suite not in SUITES:
            tests.append(name)
        elif not construction or suites.get(suite, []) is None:
            suites[suite] = None
        else:
            suites[suite] = [*suites.get(suite, []), construction]
    return tests, suites


class ScoreMinimalSetsEachEpoch(EachEpoch):
    """Scores the checkpoint of every epoch as `probe.py predictor=lstm` does; its rows of accuracy are kept.

    Args:
        config: of the training run; `minimal_sets` says how.
        suites: see `parted`. Each is scored as its file in conf/suite says.
        directory: of the run.
        history: see `EachEpoch`.

    Raises:
        Impossible: the task is another one, or a language has no such sets.
        UnknownChoice: a suite has no such construction in the language.
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        suites: Mapping[str, Sequence[str] | None],
        directory: RunDirectory,
        history: History,
    ):
        super().__init__(history)
        if suites and config["task"]["name"] != "lm":
            raise Impossible(
                f"probe_each_epoch={list(suites)}: language models are scored on minimal sets. Expected task=lm."
            )
        self.settings, self.directory = config.get("minimal_sets", {}), directory
        self.suites = _read_suites(config, suites)

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
            predictor = LSTMPredictor(self.directory.path, epoch, **self.settings["predictor"], device=None)
            for one in self.suites:
                rules = ScoringRules(one.lang, PREDICTOR, self.settings["ties"], self.settings["unknown_focus"])
                found = score_suite(one.suite, [predictor], [NothingKept()], rules)
                yield from (row for row in found.rows() if row.metric == METRIC)

    def metric(self, row: ResultRow) -> str | None:
        """Names the accuracy of a construction, and the mean over constructions."""
        return f"{row.suite}/{row.lang}/{row.test or 'mean'}" if row.seed is None else None

    def digests(self) -> dict[str, str]:
        """Returns the digests of the sets, and how they are prepared: with others the numbers would be others."""
        return _digests(self.suites)


@dataclass(frozen=True, slots=True)
class _SuiteOfLanguage:
    lang: str
    suite: MinimalSuite
    preparation: Preparation


def digests_of_sets(config: Mapping[str, Any]) -> dict[str, str]:
    """Returns `ScoreMinimalSetsEachEpoch.digests` of a configuration, without a run.

    Raises:
        PolyprobeError: a file of sets is not what it should be.
    """
    return _digests(_read_suites(config, parted(config["probe_each_epoch"] or ())[1]))


def _digests(suites: Sequence[_SuiteOfLanguage]) -> dict[str, str]:
    found = {}
    for one in suites:
        name = f"{MINIMAL_SETS}{one.suite.name}/{one.lang}"
        found |= {f"{name}/{test}": version for test, version in one.suite.versions.items()}
        found[f"{name} as prepared"] = identity(asdict(one.preparation))
    return found


def _read_suites(config: Mapping[str, Any], suites: Mapping[str, Sequence[str] | None]) -> list[_SuiteOfLanguage]:
    return [_read_suite(config, *suite, lang) for suite in suites.items() for lang in _languages(config)]


def _read_suite(
    config: Mapping[str, Any], name: str, constructions: Sequence[str] | None, lang: Mapping[str, Any]
) -> _SuiteOfLanguage:
    settings, tests = choice_settings("suite", name), None if constructions is None else list(constructions)
    suite = make_suite({**config, "suite": settings, "lang": lang, "tests": tests}, refuse)
    return _SuiteOfLanguage(lang["code"], suite, chosen_set_files(settings).preparation(lang))


def _languages(config: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Returns what conf/lang says of the language, or of each language of a multilingual model."""
    codes = config["data"]["languages"]
    return [config["lang"]] if codes is None else [choice_settings("lang", str(code)) for code in codes]
