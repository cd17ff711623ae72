"""How tests are probed, as a configuration says: read and checked once, before torch is imported."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Self

from src.encoders.cache.encoding_blocks import SUFFIXES
from src.errors import BadValue, check_at_least, check_choice
from src.formats.reading.malformed import Handler, handler_named, refuse
from src.probing.suites.availability import available_tests, chosen_tests
from src.probing.suites.chosen import chosen_suite
from src.probing.suites.tests import Suite
from src.resources.data_root import data_root
from src.runs.names.conf_folders import choice_settings
from src.runs.workspace import Workspace
from src.section import Count, Key, Section

BASELINES = ("cheap", "all")
PRECISION = "32-true"


class BankSettings(Section, key="bank"):
    """How probes are trained together."""

    accelerator: Annotated[str, Key("trainer.accelerator")]
    """As Lightning names it: cpu, gpu, auto."""
    threads: Annotated[Count, Key("trainer.threads")] | None
    """Of torch; null: as many as it chooses."""
    chunk_size: Count | None
    """Probes trained together; null: what suits the device."""
    is_confirmed: bool = False
    """Whether a run of more than a day is meant."""

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> Self:
        """Reads the sections `bank` and `trainer`, and the key `confirm`.

        Raises:
            BadValue: a number is below 1.
        """
        machine = {key: config["trainer"][key] for key in ("accelerator", "threads")}
        return cls(**machine, chunk_size=config["bank"]["chunk_size"], is_confirmed=config.get("confirm") is True)


@dataclass(frozen=True, slots=True)
class VectorCache:
    """Where and how the vectors of items are kept."""

    folder: Path
    """Of all encodings."""
    number: str
    """Type of a kept number, "float32" or "float16"."""
    max_gb: float | None
    """Of all encodings together; None: no limit."""


@dataclass(frozen=True, slots=True)
class ProbingSettings:
    """What is probed, and how."""

    lang: Mapping[str, Any]
    """The content of `conf/lang/<code>.yaml`."""
    suite: Suite
    """Of the tests."""
    root: Path
    """The folder that the paths of the suite start from."""
    tests: Sequence[str]
    """Names of those to probe with."""
    on_malformed: Handler
    """Called with every bad line of a test."""
    encoder_name: str
    """The choices, for the rows."""
    probe_name: str
    """The choices, for the rows."""
    probe: Mapping[str, Any]
    """The content of a file of conf/probe."""
    seeds: range
    """Each test and layer is probed once for each."""
    baselines: str
    """cheap, or all: also a random encoder and a control task."""
    bank: BankSettings
    """How probes are trained."""
    cache: VectorCache
    """Of the vectors."""
    workspace: Workspace
    """Of the command."""

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> "ProbingSettings":
        """Reads the configuration of probe.py.

        Raises:
            BadValue: a number is out of range, `tests` is not a list, or probes are to be trained in half precision.
            UnknownChoice: `baselines` or `data.on_malformed` is none that there is, or the language has no such test.
            PolyprobeError: the suite has minimal sets, or none for the language, or is not what it should be.
        """
        check_precision(config["trainer"]["precision"])
        check_tests(config["tests"], "[Case,Tense]")
        check_choice("baselines", config["baselines"], BASELINES)
        return cls._read(
            config,
            config["tests"],
            on_malformed=handler_named(config["data"]["on_malformed"]),
            encoder_name=config["choices"]["encoder"],
            baselines=config["baselines"],
        )

    @classmethod
    def of_training(cls, config: Mapping[str, Any], tests: Sequence[str]) -> "ProbingSettings":
        """Reads how a training run probes its own checkpoints: bad lines are refused, baselines are the cheap ones.

        Args:
            config: of the training run.
            tests: those of `probe_each_epoch` that are probing tests: of `suite`, or with the name of another suite
                before them ("senteval/SentLen").

        Raises:
            BadValue: a number is out of range, or tests are of several suites.
            UnknownChoice: the language has no such test.
            PolyprobeError: the suite has minimal sets, or none for the language, or is not what it should be.
        """
        suite, names = _suite_of_tests(config, tests)
        config = {**config, "suite": suite}
        return cls._read(config, names, on_malformed=refuse, encoder_name="checkpoint", baselines="cheap")

    @classmethod
    def _read(cls, config: Mapping[str, Any], names: Sequence[str] | None, **given: Any) -> "ProbingSettings":
        check_at_least("seed", config["seed"], 0)
        check_at_least("seeds", config["seeds"], 1)
        check_choice("cache.number", config["cache"]["number"], SUFFIXES)
        workspace, lang, suite = Workspace.of(config["paths"]), config["lang"], chosen_suite(config["suite"])
        root = data_root(lang, workspace)
        return cls(
            lang=lang,
            suite=suite,
            root=root,
            tests=chosen_tests(available_tests(suite, lang, root), names),
            probe_name=config["choices"]["probe"],
            probe=config["probe"],
            seeds=range(config["seed"], config["seed"] + config["seeds"]),
            bank=BankSettings.of(config),
            cache=VectorCache(workspace.encodings, config["cache"]["number"], config["cache"]["max_gb"]),
            workspace=workspace,
            **given,
        )


def _suite_of_tests(config: Mapping[str, Any], tests: Sequence[str]) -> tuple[Mapping[str, Any], list[str]]:
    """Returns the settings of the suite that tests are of, and their names in it."""
    pairs = [test.rpartition("/")[::2] for test in tests]
    suites = list(dict.fromkeys(suite for suite, _ in pairs))
    if len(suites) > 1:
        raise BadValue("probe_each_epoch", list(tests), "tests of one suite, such as [senteval/SentLen,senteval/WC]")
    suite = choice_settings("suite", suites[0]) if any(suites) else config["suite"]
    return suite, [name for _, name in pairs]


def check_precision(precision: object) -> None:
    """Checks that probe.py is not asked to compute in half precision."""
    if precision != PRECISION:
        raise BadValue("trainer.precision", precision, f"{PRECISION}: probe.py computes in float32")


def check_tests(tests: object, example: str) -> None:
    """Checks `tests`: a list with at least one name, or None.

    Args:
        example: of such a list, as typed.
    """
    if not isinstance(tests, list | None) or tests == []:
        raise BadValue("tests", tests, f"a list such as {example}, or null")
