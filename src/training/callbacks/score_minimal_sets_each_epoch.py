"""Scores a language model on minimal sets after every epoch of its training: agreement accuracy next to perplexity."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from src.errors import Impossible, UnknownChoice, near_names
from src.formats.reading.malformed import refuse
from src.predictors.base.score_cache import NothingKept
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
from src.runs.workspace import Workspace
from src.training.callbacks.each_epoch import EachEpoch
from src.training.callbacks.history import History

SUITES = ("clams", "blimp")
PREDICTOR = "lstm"
METRIC = "accuracy"


def probing_tests_and_suites(names: Sequence[str]) -> tuple[list[str], dict[str, list[str] | None]]:
    """Splits `probe_each_epoch` into probing tests and suites of minimal sets.

    Args:
        names: a suite, such as "clams", is all its constructions; "clams/vp_coord" is one of them; all else are tests.

    Returns:
        The tests, and the constructions of each suite: None for all.

    Raises:
        UnknownChoice: a name is much like that of a suite.
    """
    tests, suites = [], {}
    for name in map(str, names):
        suite, _, construction = name.partition("/")
        if suite not in SUITES:
            if near_names(suite, SUITES):  # no test is called so
                raise UnknownChoice("The suite of probe_each_epoch", suite, SUITES)
            tests.append(name)
        elif not construction or suites.get(suite, []) is None:
            suites[suite] = None
        else:
            suites[suite] = [*suites.get(suite, []), construction]
    return tests, suites


@dataclass(frozen=True, slots=True)
class EpochSettings:
    """How the checkpoints of a training run are scored on minimal sets.

    Attributes:
        ties, unknown_focus: see `ScoringRules`.
        predictor: options of `LSTMPredictor`.
        languages: the content of conf/lang of each language of the model.
        workspace: of the command.
    """

    ties: str
    unknown_focus: str
    predictor: Mapping[str, Any]
    languages: Sequence[Mapping[str, Any]]
    workspace: Workspace

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> "EpochSettings":
        """Reads the configuration of a training run of task=lm: `minimal_sets`, and of which languages the model is.

        Raises:
            UnknownChoice: there is no such language.
        """
        codes, settings = config["data"]["languages"], config["minimal_sets"]
        languages = [config["lang"]] if codes is None else [choice_settings("lang", str(code)) for code in codes]
        workspace = Workspace.of(config["paths"])
        return cls(settings["ties"], settings["unknown_focus"], settings["predictor"], languages, workspace)


class ScoreMinimalSetsEachEpoch(EachEpoch):
    """Scores the checkpoint of every epoch as `probe.py predictor=lstm` does; its rows of accuracy are kept.

    Args:
        config: of the training run; `minimal_sets` says how.
        suites: see `probing_tests_and_suites`. Each is scored as its file in conf/suite says.
        directory: of the run.
        history: see `EachEpoch`.

    Raises:
        Impossible: the task is another one, or a language has no such sets.
        UnknownChoice: a suite has no such construction in the language, or there is no such rule.
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
            found = f"probe_each_epoch={list(suites)}: language models are scored on minimal sets"
            raise Impossible(f"{found}. Expected task=lm.")
        self.directory = directory
        self.settings = EpochSettings.of(config) if suites else None
        self.suites = _read_suites(self.settings, suites) if suites else []

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
        return _digests(self.suites)


@dataclass(frozen=True, slots=True)
class _SuiteOfLanguage:
    """The sets of a suite in one language, how their sentences are prepared, and the rules by which they are scored."""

    rules: ScoringRules
    suite: MinimalSuite
    preparation: Preparation


def digests_of_sets(config: Mapping[str, Any]) -> dict[str, str]:
    """Returns `ScoreMinimalSetsEachEpoch.digests` of a configuration, without a run.

    Raises:
        PolyprobeError: a file of sets is not what it should be.
    """
    _, suites = probing_tests_and_suites(config["probe_each_epoch"] or ())
    return _digests(_read_suites(EpochSettings.of(config), suites)) if suites else {}


def _digests(suites: Sequence[_SuiteOfLanguage]) -> dict[str, str]:
    found = {}
    for one in suites:
        name = f"{MINIMAL_SETS}{one.suite.name}/{one.rules.lang}"
        found |= {f"{name}/{test}": version for test, version in one.suite.versions.items()}
        found[f"{name} as prepared"] = identity(asdict(one.preparation))
    return found


def _read_suites(settings: EpochSettings, suites: Mapping[str, Sequence[str] | None]) -> list[_SuiteOfLanguage]:
    return [_read_suite(settings, *suite, lang) for suite in suites.items() for lang in settings.languages]


def _read_suite(
    settings: EpochSettings, name: str, constructions: Sequence[str] | None, lang: Mapping[str, Any]
) -> _SuiteOfLanguage:
    files = chosen_set_files(choice_settings("suite", name))
    rules = ScoringRules(lang["code"], PREDICTOR, settings.ties, settings.unknown_focus)
    suite = read_suite(files, lang, constructions, settings.workspace, refuse)
    return _SuiteOfLanguage(rules, suite, files.preparation(lang))
