"""How an encoder or a predictor is asked: sections of probe.py's configuration, checked before torch is imported.

`ProbeSettings` is what all suites ask; `ProbingSettings` is for tests to train probes on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from annotated_types import Ge, Le

from polyprobe.encoders.base.encoder import CountEncoder
from polyprobe.encoders.cache.store import VectorCache
from polyprobe.errors import BadValue
from polyprobe.formats.reading.malformed import Handler, handler_named, refuse
from polyprobe.probing.suites.availability import available_tests, chosen_tests
from polyprobe.probing.suites.chosen import chosen_suite
from polyprobe.probing.suites.test_files import CONLLU
from polyprobe.probing.suites.tests import Suite
from polyprobe.probing.suites.treebank_columns import OF_COLUMNS
from polyprobe.resources.data_root import data_root
from polyprobe.runs.names.choice import Choice
from polyprobe.runs.names.conf_folders import choice_settings
from polyprobe.runs.names.identity import RunIdentity
from polyprobe.runs.study import Processes
from polyprobe.runs.trainer_settings import ARGUMENTS_WITHOUT_NUMBERS, counted_callbacks, runs_several_processes
from polyprobe.runs.workspace import Workspace
from polyprobe.section import Count, Expected, Key, Section, Seed

OWN, OWN_TESTS = "own", ("own", "table")
PRECISION = "32-true"
MOST_SEEDS = 10_000
OF_THE_RUN = ("keep", "engine")  # keys of the section probe that change no number
# Keys of the configuration that have no part in probing, but in minimal sets or downstream tasks.
OF_OTHER_SUITES = ("predictor", "ties", "unknown_focus", "end_of_sentence", "capitalise", "protocol")


class ProcessSettings(Section, key="trainer"):
    """On what a command computes, and by how many processes; what else the section says is about training."""

    accelerator: Annotated[str, Key("trainer.accelerator")] = "cpu"
    """Device, as in Lightning: cpu, gpu, auto."""
    threads: Annotated[Count, Key("trainer.threads")] | None = None
    """Of torch; null: as many as it chooses."""
    devices: Annotated[int | str | list[int], Key("trainer.devices")] = 1
    """Number of processes (one GPU each, if any), or list of GPUs, such as [0,1]."""
    num_nodes: Annotated[int, Key("trainer.num_nodes")] = 1
    """Of a cluster."""

    @classmethod
    def of_trainer(cls, trainer: Mapping[str, Any] | None, **further: Any) -> Self:
        """Reads the section `trainer`, where there is one."""
        known = {key: one for key, one in (trainer or {}).items() if key in ProcessSettings.__dataclass_fields__}
        return cls(**known, **further)

    @property
    def several_processes(self) -> bool:
        """Whether several share the work."""
        return runs_several_processes(vars(self))

    def processes(self) -> Processes:
        """Returns those that share the work."""
        if not self.several_processes:
            return Processes()
        from polyprobe.models.base.distributed_processes import Ranks  # Lightning

        return Ranks(self.accelerator, self.devices, self.num_nodes)


class BankSettings(ProcessSettings, key="bank"):
    """How probes are trained together."""

    chunk_size: Count | None
    """Number of probes trained together, on a CPU by each thread; null: chosen for the device."""


class EngineSettings(Section, key="probe"):
    """What trains the probes of a run."""

    engine: Literal["bank", "lightning"] = "bank"
    """bank: many probes together; lightning: each by a Lightning Trainer, with callbacks, loggers and profiler."""
    arguments: Any = field(default_factory=dict)
    """Further arguments of Lightning's Trainer by their names, see `TrainerSettings`."""
    callbacks: Any = field(default_factory=dict)
    """Lightning's callbacks and your own, by names of any kind."""
    logger: Any = None
    """Function that returns a Lightning logger for a folder, with its options; None: metrics.csv alone."""

    @property
    def identity(self) -> dict[str, Any]:
        """What tells kept outcomes apart: those of the bank have no curves; empty with the bank."""
        counted = {key: one for key, one in self.arguments.items() if key not in ARGUMENTS_WITHOUT_NUMBERS}
        engine = "" if self.engine == "bank" else self.engine
        parts = {"engine": engine, "trainer": counted, "callbacks": counted_callbacks(self.callbacks)}
        return {key: part for key, part in parts.items() if part}


class ProbeSettings(Section):
    """What is asked of probe.py, whatever the suite."""

    lang: Mapping[str, Any]
    """The settings of `lang=<code>`."""
    suite: Choice
    encoder: Choice
    probe: Choice
    predictor: Choice | None = None
    """Of minimal sets."""
    tests: Annotated[Any, Expected("a list or null")] = None
    """Names of tests, such as [Case,Tense]; null: all tests of the language."""
    seed: Seed
    """Random seed of a probe's weights, order and dropout."""
    seeds: Annotated[int, Ge(1), Le(MOST_SEEDS)]
    """Number of random seeds per probe: seed, seed+1, …"""
    baselines: Literal["cheap", "all"] = "cheap"
    """Baselines for each score: cheap: majority and memoriser; all: also a random encoder and a control task (three
    times the probes).
    """
    list: Annotated[Any, Expected("true, false, or a word such as languages")] = False
    """true: list the available tests and their files, and stop. languages: tests by language;
    statistics: sizes, words, labels and majorities of the files present.
    """
    ties: Literal["wrong", "half", "correct", "released"] = "wrong"
    """How ties count: wrong, half, correct; released: correct, with one additional correct set, as in CLAMS's
    scorer.
    """
    unknown_focus: Literal["scored", "skipped"] = "scored"
    """Minimal sets whose critical word is OOV: scored, or skipped (excluded and counted)."""
    protocol: Literal["corrected", "released"] = "corrected"
    """Protocol of downstream tasks: corrected; released: replicates the original code including its bugs
    (docs/senteval_downstream.md).
    """
    on_malformed: Annotated[Literal["refuse", "skip"], Key("data.on_malformed")]
    """Malformed lines: refuse: stop at the first; skip: skip, count, log and list them."""
    keep: Annotated[bool, Key("probe.keep")] = False
    """true: save the trained probes in <run>/probes/."""
    engine: EngineSettings = EngineSettings()
    precision: Any
    bank: BankSettings
    cache: VectorCache
    workspace: Workspace
    kept: Mapping[str, Any]
    """The configuration as config.yaml keeps it and a dashboard shows it."""

    @property
    def range_of_seeds(self) -> range:
        """Each test and layer is probed once for each."""
        return range(self.seed, self.seed + self.seeds)

    def with_own_probe(self, encoder: CountEncoder) -> Self:
        """Returns the settings with the probe that belongs to a count encoder, if one does.

        An experiment names the probe of a whole table, counts among its rows.
        """
        name = encoder.own_probe
        if name in (None, self.probe.name):
            return self
        own = choice_settings("probe", name)
        kept = {**self.kept, "probe": own, "choices": {**self.kept["choices"], "probe": name}}
        return replace(self, probe=Choice("probe", name, own), kept=kept)


class Application(Section):
    """Which kept probes label which text."""

    run: Path
    """Folder of the run whose probes are applied."""
    text: Annotated[str, Expected("a file of words or sentences, one per line")]
    """Type level: one word per line, or a pair separated by a tab; otherwise one sentence per line, words separated by
    blanks; for tokens also CoNLL-U (*.conllu).
    """
    tests: Any = None
    """Names of tests, such as [Case]; null: all of the run."""
    layer: Annotated[str | None, Expected("the name of a layer, such as encoding or encoding/8, or null")] = None
    """Layer; null: for each test the best one on dev."""
    threads: int | None = None
    """Of torch; null: as the run had."""
    workspace: Workspace


@dataclass(frozen=True, slots=True)
class AskedSettings:
    """What tests for probes, downstream tasks and minimal sets take from the command as it stands."""

    asked: ProbeSettings
    root: Path
    """The folder that the paths of the suite start from."""
    on_malformed: Handler
    """Called with every bad line of a file."""

    lang = property(attrgetter("asked.lang"))
    encoder_name = property(attrgetter("asked.encoder.name"))
    bank = property(attrgetter("asked.bank"))
    cache = property(attrgetter("asked.cache"))
    workspace = property(attrgetter("asked.workspace"))


@dataclass(frozen=True, slots=True)
class ProbingSettings(AskedSettings):
    """What is probed, and how."""

    suite: Suite
    """Of the tests."""
    tests: Sequence[str]
    """Names of those to probe with."""

    @classmethod
    def of(cls, asked: ProbeSettings) -> Self:
        """Finds the tests that are asked for.

        Raises:
            BadValue: `tests` is not a list, or probes are to be trained in half precision.
            PolyprobeError: the suite has minimal sets, or none for the language, or no such test, or is not what it
                should be.
        """
        check_precision(asked.precision)
        check_tests(asked.tests, "[Case,Tense]")
        return cls._found(asked, asked.tests, handler_named(asked.on_malformed))

    @classmethod
    def of_training(cls, asked: ProbeSettings, tests: Sequence[str]) -> Self:
        """Finds the tests by which a training run probes its own checkpoints.

        Args:
            asked: see `settings_in_training`.
            tests: those of `probe_each_epoch` that are probing tests: of `suite`, or with the name of another suite
                before them ("senteval/SentLen").

        Raises:
            BadValue: tests are of several suites.
            PolyprobeError: the suite has minimal sets, or none for the language, or no such test, or is not what it
                should be.
        """
        pairs = [test.rpartition("/")[::2] for test in tests]
        suites = list(dict.fromkeys(suite for suite, _ in pairs))
        if len(suites) > 1:
            expected = "tests of one suite, such as [senteval/SentLen,senteval/WC]"
            raise BadValue("probe_each_epoch", list(tests), expected)
        if any(suites):
            asked = replace(asked, suite=replace(asked.suite, options=choice_settings("suite", suites[0])))
        return cls._found(asked, [name for _, name in pairs], refuse)

    @classmethod
    def _found(cls, asked: ProbeSettings, names: Sequence[str] | None, on_malformed: Handler) -> Self:
        suite = chosen_suite(asked.suite.options)
        root = data_root(asked.lang, asked.workspace)
        tests = chosen_tests(available_tests(suite, asked.lang, root), names)
        return cls(asked, root, on_malformed, suite, tests)

    engine = property(attrgetter("asked.engine"))
    probe = property(attrgetter("asked.probe.options"))
    """The content of a file of conf/probe."""
    seeds = property(attrgetter("asked.range_of_seeds"))
    baselines = property(attrgetter("asked.baselines"))

    @property
    def identity(self) -> RunIdentity:
        """What a run is known by, but for its encoder and the content of a user's own tests."""
        suite, known = self.asked.suite, {k: v for k, v in self.asked.kept.items() if k not in OF_OTHER_SUITES}
        if suite.name == OWN:
            passed = {*OF_OTHER_SUITES, *(() if suite.options["format"] == CONLLU else OF_COLUMNS)}
            known["suite"] = {key: value for key, value in suite.options.items() if key not in passed}
        words = f"{suite.name}-{self.lang['code']}-{self.encoder_name}-s{self.asked.seed}"
        return RunIdentity(words, {**known, "cache": self.cache.number})


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
