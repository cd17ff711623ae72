"""How downstream tasks are scored, as a configuration says: read and checked once, before torch is imported."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from src.errors import BadValue, check_at_least, check_choice
from src.formats.reading.malformed import Handler, handler_named
from src.probing.count_classifiers.count_classifier import CountClassifier
from src.probing.settings import BankSettings, VectorCache, check_precision, check_tests
from src.probing.suites.chosen import chosen_tasks_suite
from src.probing.suites.downstream_tasks import PROTOCOLS, RELEASED, DownstreamSuite, available_tasks, chosen_tasks
from src.resources.data_root import data_root
from src.runs.workspace import Workspace


@dataclass(frozen=True, slots=True)
class DownstreamSettings:
    """Which tasks are scored, and how."""

    lang: Mapping[str, Any]
    """The content of `conf/lang/<code>.yaml`."""
    suite: DownstreamSuite
    """Of the tasks."""
    root: Path
    """The data folder."""
    tests: Sequence[str]
    """Names of the tasks."""
    protocol: str
    """corrected or released."""
    on_malformed: Handler
    """Called with every bad line of a file."""
    encoder_name: str
    """The choice, for the rows."""
    seeds: Sequence[int]
    """Each task and layer is fitted once for each; with the released protocol the seed of the toolkit alone."""
    bank: BankSettings
    """How the fits are trained."""
    cache: VectorCache
    """Of the vectors."""
    workspace: Workspace
    """Of the command."""
    classifier: CountClassifier | None = None
    """Of counts, where the encoder counts; None: that of the suite."""

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> "DownstreamSettings":
        """Reads the configuration of probe.py."""
        check_precision(config["trainer"]["precision"])
        check_tests(config["tests"], "[MR,STS14]")
        check_choice("protocol", config["protocol"], PROTOCOLS)
        check_at_least("seed", config["seed"], 0)
        check_at_least("seeds", config["seeds"], 1)
        workspace, lang, suite = Workspace.of(config["paths"]), config["lang"], chosen_tasks_suite(config["suite"])
        root = data_root(lang, workspace)
        return cls(
            lang=lang,
            suite=suite,
            root=root,
            tests=chosen_tasks(available_tasks(suite, lang, root), config["tests"]),
            protocol=config["protocol"],
            on_malformed=handler_named(config["data"]["on_malformed"]),
            encoder_name=config["choices"]["encoder"],
            seeds=_seeds(config, suite),
            bank=BankSettings.of(config),
            cache=VectorCache(workspace.encodings, config["cache"]["number"], config["cache"]["max_gb"]),
            workspace=workspace,
        )


def _seeds(config: Mapping[str, Any], suite: DownstreamSuite) -> Sequence[int]:
    if config["protocol"] != RELEASED:
        return range(config["seed"], config["seed"] + config["seeds"])
    if config["seeds"] > 1:
        raise BadValue("seeds", config["seeds"], f"1 with protocol=released, whose seed is {suite.folds_seed}")
    return (suite.folds_seed,)
