"""Judges a language model by minimal sets after every epoch of its training: agreement accuracy beside perplexity."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml

from src.formats.errors import Impossible, PolyprobeError
from src.formats.malformed import refuse
from src.predictors.kept_blocks import NothingKept
from src.predictors.lstm import LSTMPredictor
from src.probing.minimal_sets.judgement import judged
from src.probing.minimal_sets.outcome import Judging
from src.probing.minimal_sets.run import make_suite
from src.probing.minimal_sets.suite import MinimalSuite
from src.runs.command import CONF
from src.runs.directory import RunDirectory
from src.runs.results import ResultRow
from src.training.each_epoch import EachEpoch
from src.training.history import History

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


class JudgeEachEpoch(EachEpoch):
    """Judges the checkpoint of every epoch as `probe.py predictor=lstm` does; its rows of accuracy are kept.

    Args:
        config: of the training run; `judging` says how.
        suites: see `parted`.
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
            raise Impossible(f"probe_each_epoch={list(suites)}: minimal sets judge language models. Expected task=lm.")
        self.settings, self.directory = config.get("judging", {}), directory
        self.suites = [
            (self._judging(lang["code"]), _suite(config, name, constructions, lang))
            for name, constructions in suites.items()
            for lang in _languages(config)
        ]

    @property
    def is_asked(self) -> bool:
        """See `EachEpoch`."""
        return bool(self.suites)

    def measured(self, epochs: Sequence[int]) -> Iterator[ResultRow]:
        """Judges epoch by epoch."""
        for epoch in epochs:
            predictor = LSTMPredictor(self.directory.path, epoch, **self.settings["predictor"], device=None)
            for judging, suite in self.suites:
                found = judged(suite, [predictor], [NothingKept()], judging)
                yield from (row for row in found.rows() if row.metric == METRIC)

    def metric(self, row: ResultRow) -> str | None:
        """Names the accuracy of a construction, and the mean over constructions."""
        return f"{row.suite}/{row.lang}/{row.test or 'mean'}" if row.seed is None else None

    def _judging(self, lang: str) -> Judging:
        return Judging(lang, PREDICTOR, self.settings["ties"], self.settings["unknown_focus"])


def _suite(
    config: Mapping[str, Any], name: str, constructions: Sequence[str] | None, lang: Mapping[str, Any]
) -> MinimalSuite:
    tests = None if constructions is None else list(constructions)
    return make_suite({**config, "suite": _read("suite", name), "lang": lang, "tests": tests}, refuse)


def _languages(config: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Gives what conf/lang says of the language, or of each language of a multilingual model."""
    codes = config["data"]["languages"]
    return [config["lang"]] if codes is None else [_read("lang", str(code)) for code in codes]


def _read(group: str, name: str) -> Mapping[str, Any]:
    path = CONF / group / f"{name}.yaml"
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise PolyprobeError(f"There is no {path}.") from error
