"""A run that makes probing tests: `python generate.py suite=linspector_type lang=tr`.

runs/generate/linspector_type-tr-s1-3f2a9c1e/sets/     what the suite writes, in the layout of its published tests
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from polyprobe.display.progress import watched
from polyprobe.errors import BadValue, PolyprobeError
from polyprobe.formats.files.digest import file_digest
from polyprobe.formats.files.file_names import file_name
from polyprobe.formats.reading.malformed import Handler, refuse
from polyprobe.generation.language_sources import SourceNames
from polyprobe.generation.made_tests.row_statistics import LeftOut, Written
from polyprobe.generation.made_tests.writing import STATISTICS, Source, described
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.names.choice import Choice
from polyprobe.runs.names.identity import identity
from polyprobe.runs.study import Outcome, Study, Work, done
from polyprobe.runs.workspace import Workspace
from polyprobe.section import Section, Seed

_IN_THE_RECORD = (
    "filters",
    "items",
    "labels",
    "duplicates",
    "inputs_of_several_labels",
    "reversed_pairs",
    "ambiguity",
    "frequent_share",
    "frequent_draw",
    "shared_with_train",
    "majority",
    "memoriser",
    "splits",
    "vocabulary",
)


class MakingSettings(Section):
    """What tests, or text, are made of and how: what is asked of all makers."""

    suite: Choice
    """What is made."""
    lang: Mapping[str, Any]
    """The content of `conf/lang/<code>.yaml`."""
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
    expected: Any
    """What a paper prints of such tests; null: nothing."""
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

    def known_by(self, *names: str) -> dict[str, Any]:
        """Returns what can change a test, by its names: of fields, or of sections of options."""
        return {name: self.options[name] if name in self.options else getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True)
class Making:
    """How a suite makes its tests."""

    settings: Mapping[str, Any]
    """What of the configuration can change a test, besides suite, language and seed."""
    sources: Sequence[Source]
    """The files that tests are made from, in an order that counts."""
    tests: Callable[[Path], Iterator[Written | LeftOut]]
    """Writes the tests into a folder, each whole or not at all, and yields each when it is written."""
    on_malformed: Handler = refuse
    """Called with every malformed row of the sources."""
    check: Callable[[Path, Iterable[str]], Mapping[str, Mapping[str, Any]]] | None = None
    """Holds the rows of tests in a folder against their definitions; returns for each test how many `rows` it has, how
    many are `broken`, and the `first` of these. None where no check is known.
    """


def set_ones(group: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the keys of a group that are set; null leaves a key to the rules."""
    return {key: value for key, value in group.items() if value is not None}


class TestsStudy(Study, Work):
    """Tests of a language, made from its sources.

    The record of a finished run has under `tests` what each is like, under `left_out` a sentence on each that could not
    be made, under `definitions` what the check of the rows found, under `made_from` the files, under
    `malformed_rows_left_out` how many rows.
    """

    command = "generate"

    def __init__(self, settings: MakingSettings, making: Making):
        self.settings, self.making = settings, making
        self.config, self.workspace = settings.kept, settings.workspace
        self._data = _digests([source.path for source in making.sources])

    @property
    def name(self) -> str:
        suite, language, seed = self.settings.suite.name, self.settings.language, self.settings.seed
        of_sources = {**self.making.settings, "data": [*self._data.values()]}
        number = identity({"suite": suite, "lang": language, "seed": seed, **of_sources})
        return file_name(f"{suite}-{language}-s{seed}-{number}")

    @property
    def outcome(self) -> list[Path]:
        """The files of rows that a finished run wrote."""
        files = (self.run.path / name for name in self.run.record().get("files", {}))
        return [file for file in files if file.is_relative_to(self.run.sets) and file.name != STATISTICS]

    def versions(self) -> Mapping[str, str]:
        """Digests under the names of the run's first start if they are the same: files may be moved."""
        recorded = self.run.record().get("data", {})
        return recorded if Counter(recorded.values()) == Counter(self._data.values()) else self._data

    def prepare(self) -> Work:
        return self

    def work(self, run: RunDirectory) -> Outcome:
        making = self.making
        tests, left_out = _written(making, run.sets)
        notes = {
            "tests": tests,
            "left_out": left_out,
            "made_from": described(making.sources),
            "malformed_rows_left_out": len(making.on_malformed.places),
        }
        if making.check is not None:
            with watched("checking rows", "tables", None):
                notes["definitions"] = making.check(run.sets, tests)
        return [], notes


def make_tests(settings: MakingSettings, making: Making) -> RunDirectory:
    """Makes the tests of a language, unless a finished run has them: see `TestsStudy`.

    Returns:
        The directory of the finished run.
    """
    return done(TestsStudy(settings, making))


def _digests(paths: Sequence[Path]) -> dict[str, str]:
    """Digests the files, by their names; of two files of one name by their paths."""
    if len({path.resolve() for path in paths}) < len(paths):
        raise PolyprobeError(f"made_from has a file twice: {', '.join(map(str, paths))}. Expected each once.")
    names = [f"{path.parent.name}/{path.name}" for path in paths]
    return {
        name if names.count(name) == 1 else str(path.absolute()): file_digest(path)
        for name, path in zip(names, paths, strict=True)
    }


def _written(making: Making, folder: Path) -> tuple[dict[str, Any], list[str]]:
    """Writes the tests one after the other, counting them on the terminal."""
    tests, left_out = {}, []
    with watched("reading and making", "tests", None) as progress:
        for one in making.tests(folder):
            progress.advance()
            if isinstance(one, LeftOut):
                left_out.append(one.reason)
            else:
                tests[one.name] = {key: one.statistics[key] for key in _IN_THE_RECORD if key in one.statistics}
    return tests, left_out
