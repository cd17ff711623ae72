"""The one road by which every suite of tests is made: options and files, then test after test, each whole or left out.

    settings → options, files → tests that there may be → of each test: rows, where they come from, what is counted

A suite says these five by a class of its own.
"""

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

from polyprobe.errors import BadValue, check_choice
from polyprobe.formats.reading.malformed import Handler, handler_named
from polyprobe.generation.language_sources import SourceNames
from polyprobe.generation.made_tests.frequent_words import Step, described_steps
from polyprobe.generation.made_tests.labels import check_train
from polyprobe.generation.made_tests.row_statistics import NoTest, Row, TooFew, row_statistics
from polyprobe.generation.made_tests.writing import Source, described, write_test
from polyprobe.runs.names.choice import Choice
from polyprobe.runs.workspace import Workspace
from polyprobe.section import Section, Seed


class MakingSettings(Section):
    """What tests are made of and how: what is asked of all makers."""

    suite: Choice
    """What is made."""
    lang: Mapping[str, Any]
    """The settings of `lang=<code>`."""
    rules: Any
    """Of the article, or released: those of its program."""
    seed: Seed
    """Of every draw."""
    tests: Any
    """[Case, OddFeat]; null: all that the lexicon has."""
    on_malformed: Literal["refuse", "skip"]
    """Rows of the lexicon: refuse, or skip: left out and counted."""
    dotless_i: bool
    """Whether İ is the capital of i."""
    files: SourceNames
    """That tests are made from."""
    options: Mapping[str, Any]
    """What is typed for each kind of tests, by the name of its section: "type_level"."""
    workspace: Workspace
    """The folders of the command."""
    kept: Mapping[str, Any]
    """The configuration as config.yaml keeps it."""

    def __post_init__(self):
        super().__post_init__()
        tests = self.tests
        if not (tests is None or (isinstance(tests, list) and tests and len(set(map(str, tests))) == len(tests))):
            raise BadValue("tests", tests, "a list without repetitions such as [Case,OddFeat], or null")

    @property
    def language(self) -> str:
        """The code of the language."""
        return self.lang["code"]

    def changes(self, group: str) -> dict[str, Any]:
        """Returns the options of a section that are set; null leaves one to the rules."""
        return set_ones(self.options[group])

    def handler(self) -> Handler:
        """Returns what is done with malformed rows."""
        return handler_named(self.on_malformed, "on_malformed")


def set_ones(group: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the keys of a group that are set; null leaves a key to the rules."""
    return {key: value for key, value in group.items() if value is not None}


@dataclass(frozen=True, slots=True)
class DrawnTest:
    """A test that is ready to be written."""

    name: str
    """As its folder or file is called."""
    rows: Mapping[str, Sequence[Row]]
    """Of each split."""
    origins: Iterable[Mapping[str, Any]]
    """For each row of all splits, where it comes from."""
    steps: Sequence[Step]
    """What filters took."""
    statistics: Callable[[], Mapping[str, Any]]
    """Counts what a reader asks for besides what is counted of the rows of any test: of a test that can be written."""


@dataclass(frozen=True, slots=True)
class Written:
    """A test that was written: its name and its statistics."""

    name: str
    statistics: dict[str, Any]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A test that there are not items enough for, and why."""

    name: str
    reason: str


class Maker(ABC):
    """Makes the tests of a suite from files.

    Args:
        options: how.
        files: by their kinds, as `made_from` names these, in an order that counts; the first kind is always there.
        on_malformed: called with every malformed row of the files.
    """

    section: ClassVar[str]
    """Of the configuration, with the options."""
    known: ClassVar[Sequence[str]]
    """What of the configuration can change a test, besides suite, language and seed."""

    def __init__(self, options: Any, files: Mapping[str, Sequence[Source]], on_malformed: Handler):
        self.options, self.files, self.on_malformed = options, files, on_malformed

    @classmethod
    @abstractmethod
    def of(cls, settings: MakingSettings) -> Self:
        """Reads how tests are to be made, and finds their files.

        Raises:
            PolyprobeError: there is a fault in an option, or a file is missing and cannot be fetched.
            Impossible: the language names no such files; there are no such rules.
        """

    @property
    def sources(self) -> list[Source]:
        """All files that tests are made from."""
        return [source for of_kind in self.files.values() for source in of_kind]

    def paths(self, kind: str) -> list[Path]:
        """Returns the files of one kind; there may be none."""
        return [source.path for source in self.files.get(kind, ())]

    def path_if_any(self, kind: str) -> Path | None:
        """Returns the file of a kind that has at most one."""
        return next(iter(self.paths(kind)), None)

    def known_by(self, settings: MakingSettings) -> dict[str, Any]:
        """Returns what of the configuration can change a test, besides suite, language and seed."""
        options = settings.options
        return {name: options[name] if name in options else getattr(settings, name) for name in self.known}

    @property
    @abstractmethod
    def possible(self) -> Collection[str]:
        """The names of the tests that the files may have."""

    @property
    def unnamed(self) -> Collection[str]:
        """Those that are made where none are named."""
        return self.possible

    @abstractmethod
    def of_files(self) -> dict[str, Any]:
        """Says what was met in the files: a part of the statistics of all tests."""

    @abstractmethod
    def drawn(self, name: str) -> DrawnTest:
        """Draws the items of a test.

        Raises:
            TooFew: there are not enough for it.
        """

    def of_other_files(self) -> dict[str, Any]:
        """Says what was met in files that change no item, as `of_files`, after which it is called."""
        return {}

    @cached_property
    def of_all_tests(self) -> dict[str, Any]:
        """What the statistics of all tests say: of the files, and of the options."""
        of_files, of_other_files = self.of_files(), self.of_other_files()
        made = {"made_from": described(self.sources), "options": dataclasses.asdict(self.options)}
        return {**of_files, **made, **of_other_files}

    def make(self, folder: Path, tests: Sequence[str] | None) -> Iterator[Written | LeftOut]:
        """Writes tests into a folder, each whole or not at all, and yields each when it is written.

        Each is the same whatever else is made.

        Args:
            tests: their names; None for all that the files allow.
        """
        for name in tests or ():
            check_choice("The test", name, self.possible)
        names, reasons = self.unnamed if tests is None else tests, []
        for name in names:
            try:
                outcome = self.written(folder, name)
            except TooFew as error:
                outcome = LeftOut(name, str(error))
                reasons.append(outcome.reason)
            yield outcome
        if len(reasons) == len(names):
            paths = map(str, self.paths(next(iter(self.files))))
            raise NoTest(f"{', '.join(paths)}: no test could be made. {' '.join(reasons)}")

    def written(self, folder: Path, name: str) -> Written:
        """Draws a test, counts what is in it and writes it."""
        of_all_tests = self.of_all_tests  # what was met in the files is counted before a test is made of them
        test = self.drawn(name)
        check_train(test.name, (row[-1] for row in test.rows["train"]))
        counted = {"filters": described_steps(test.steps), **row_statistics(test.rows), **test.statistics()}
        statistics = {"test": test.name, **counted, **of_all_tests}
        self.write(folder, test, statistics)
        return Written(test.name, statistics)

    def write(self, folder: Path, test: DrawnTest, statistics: Mapping[str, Any]) -> None:
        """Writes a test, in LINSPECTOR's layout unless a suite has another."""
        write_test(folder / test.name, test.rows, test.origins, statistics)
