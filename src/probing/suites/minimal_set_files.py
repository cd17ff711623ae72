"""Which constructions a suite of minimal sets has, where their files are, and how they are read."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from src.display.progress import each
from src.errors import BadValue, Impossible, MalformedLine, PolyprobeError, check_choice, check_flag
from src.formats.files.digest import content_version
from src.formats.files.file_names import check_names
from src.formats.grammars import avg
from src.formats.minimal_sets import blimp, clams, json_sets
from src.formats.minimal_sets.clams import MinimalSet
from src.formats.reading.malformed import OnMalformed
from src.generation.grammars import sentences
from src.generation.grammars.patterns import patterns
from src.probing.suites.minimal_sets import ConstructionSets, MinimalSuite, Preparation
from src.resources.data_root import data_root
from src.resources.download import ensure
from src.resources.pinned_files import available_targets
from src.runs.workspace import Workspace

READERS = {"clams": clams.read_published, "blimp": blimp.read, "json_lines": json_sets.read}
REGIONS = "syntaxgym"  # the format whose files `region_tests.load_regions` reads
ENDINGS = {"clams": ".txt", "blimp": ".jsonl", "json_lines": ".jsonl", REGIONS: ".json"}
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class SetFiles:
    """The files of a suite, as `conf/suite/*.yaml` describes them.

    Attributes:
        name: of the suite.
        format: "clams" (`True<tab>sentence`), "blimp" (pairs as JSON lines), "json_lines" (sets as JSON lines) or
            "syntaxgym" (items cut into regions, a JSON file for each test suite).
        files: pattern of the paths below the data folder, with `{language}` and `{test}`; one without `{test}` is one
            construction.
        grammars: pattern of the folder of grammars, from which the sets of a generated language are made; None: there
            are none.
        tests: constructions that are scored where none are requested, in the order of the published tables; None: all.
        other_files: names of other files in the folder that are not constructions.
        languages: codes of those there are; None: any that has files.
        end_of_sentence, capitalise: see `Preparation`.
        level, lowercase: what the files of conf/encoder read; encoders have no part here.

    Raises:
        UnknownChoice: there is no such format.
        BadValue: the end of a sentence is no word, or `capitalise` neither true nor false.
    """

    name: str
    format: str
    files: str
    grammars: str | None
    tests: Sequence[str] | None
    other_files: Sequence[str]
    languages: Sequence[str] | None
    end_of_sentence: str | None
    capitalise: bool
    level: str
    lowercase: bool | str

    def __post_init__(self):
        check_choice("suite.format", self.format, ENDINGS)
        end = self.end_of_sentence
        if end is not None and (not isinstance(end, str) or not end or set(end) & set(" \t\r\n")):
            raise BadValue("suite.end_of_sentence", end, "one word, such as . or null")
        check_flag("suite.capitalise", self.capitalise)

    def preparation(self, language: Mapping[str, Any]) -> Preparation:
        """Returns what is done to the sentences of a language, from the content of `conf/lang/<code>.yaml`."""
        return Preparation(self.end_of_sentence, self.capitalise, bool(language.get("dotless_i")))


@dataclass(frozen=True, slots=True)
class ConstructionFile:
    """Where a construction comes from.

    Attributes:
        name: of the construction.
        target: its file, below the data folder.
        is_grammar: whether that is a grammar, from which the sets are made.
    """

    name: str
    target: str
    is_grammar: bool


def available(files: SetFiles, language: Mapping[str, Any], root: Path) -> list[ConstructionFile]:
    """Lists the constructions of a language that are here or can be fetched: those of `tests` first, then by name.

    Args:
        files: of the suite.
        language: the content of `conf/lang/<code>.yaml`.
        root: the data folder.

    Raises:
        Impossible: the language has none.
    """
    code = language["code"]
    if files.languages is not None and code not in files.languages:
        expected = " or ".join(f"lang={known}" for known in files.languages)
        raise Impossible(f"suite={files.name} has no sentences in lang={code}. Expected {expected}.")
    is_generated = language.get("generator") is not None and files.grammars is not None
    listed = _grammars(files, code, root) if is_generated else _files(files, code, root)
    if not listed:
        folder = (root / files.files.format(language=code, test="")).parent
        raise Impossible(
            f"lang={code} has no minimal sets of suite={files.name}: nothing is in {folder}, and nothing there can be "
            f"fetched. Expected files *{ENDINGS[files.format]}{_published(files)}."
        )
    check_names(f"a construction of suite={files.name}", (file.name for file in listed))
    first = {name: number for number, name in enumerate(files.tests or ())}
    return sorted(listed, key=lambda file: (first.get(file.name, len(first)), file.name))


def chosen(listed: Sequence[ConstructionFile], files: SetFiles, names: Sequence[str] | None) -> list[ConstructionFile]:
    """Returns the constructions to score: the requested ones, else the suite's own choice, else all.

    A language that has its own constructions, and not those of `tests`, has all of its own.

    Raises:
        UnknownChoice: there is no such construction.
    """
    by_name = {file.name: file for file in listed}
    if names is None:
        is_published = not any(file.is_grammar for file in listed)
        default = [file for file in listed if file.name in (files.tests or ())]
        return default if is_published and default else list(listed)
    for name in names:
        check_choice("test", name, by_name)
    return [by_name[name] for name in dict.fromkeys(names)]


def load(
    files: SetFiles,
    language: Mapping[str, Any],
    listed: Sequence[ConstructionFile],
    root: Path,
    mirror: str | None,
    on_malformed: OnMalformed,
) -> MinimalSuite:
    """Reads constructions, files that are missing after fetching them; says which have identical sentences.

    Args:
        files, language, root: see `available`.
        listed: the constructions.
        mirror: another address to fetch from, or None.
        on_malformed: called with every bad line; its set is left out unless it raises.

    Raises:
        MalformedLine: a file is empty, or whatever `on_malformed` raises.
        PolyprobeError: a file cannot be fetched, a grammar is damaged, or a construction has no set.
    """
    preparation = files.preparation(language)
    constructions, versions, read_from = [], {}, []
    for file in each(listed, "reading minimal sets", "constructions"):
        path = root / file.target if file.is_grammar else ensure(root, file.target, mirror)
        bad_lines = Counted(on_malformed)
        read = _generated(path) if file.is_grammar else READERS[files.format](path, bad_lines)
        sets = [preparation.prepared(one) for one in read]
        construction = ConstructionSets(file.name, sets, bad_lines.n)
        if not construction.sets:
            raise PolyprobeError(f"{path} has no minimal set that can be read. Expected at least one.")
        _tell_identical(construction, path)
        constructions.append(construction)
        behind = avg.files_behind(path) if file.is_grammar else [path]
        versions[file.name] = content_version(behind)
        read_from += behind
    return MinimalSuite(files.name, constructions, versions, read_from)


def read_suite(
    files: SetFiles,
    language: Mapping[str, Any],
    names: Sequence[str] | None,
    workspace: Workspace,
    on_malformed: OnMalformed,
) -> MinimalSuite:
    """Reads the chosen constructions of a language; missing files are fetched.

    Args:
        files, language: see `available`.
        names: see `chosen`.
        workspace: of the command.
        on_malformed: see `load`.

    Raises:
        PolyprobeError: the language has no such sets, or a file is not what it should be.
    """
    root = root_of(files, language, workspace)
    listed = chosen(available(files, language, root), files, names)
    return load(files, language, listed, root, workspace.mirror, on_malformed)


def root_of(files: SetFiles, language: Mapping[str, Any], workspace: Workspace) -> Path:
    """Returns the folder that the paths of a suite start from: the data folder, or that of a user's own files."""
    pattern = Path(files.files)
    return pattern.parent if pattern.is_absolute() else data_root(language, workspace)


class Counted:
    """Counts the bad lines of one file before another handler sees them.

    Attributes:
        n: lines so far.
    """

    def __init__(self, on_malformed: OnMalformed):
        self._on_malformed, self.n = on_malformed, 0

    def __call__(self, place: MalformedLine) -> None:
        self.n += 1
        self._on_malformed(place)


def _grammars(files: SetFiles, code: str, root: Path) -> list[ConstructionFile]:
    folder = root / files.grammars.format(language=code)
    found = avg.grammar_files(folder) if folder.is_dir() else []
    return [ConstructionFile(file.stem, str(file.relative_to(root)), is_grammar=True) for file in found]


def _files(files: SetFiles, code: str, root: Path) -> list[ConstructionFile]:
    if "{test}" not in files.files:
        target = files.files.format(language=code)
        return [ConstructionFile(Path(target).stem, target, is_grammar=False)]
    folder = Path(files.files.format(language=code, test="")).parent
    here = (str(folder / path.name) for path in (root / folder).glob(f"*{ENDINGS[files.format]}"))
    targets = [target for target in chain(here, available_targets(f"{folder}/")) if Path(target).parent == folder]
    named = {Path(target).stem: target for target in targets if target.endswith(ENDINGS[files.format])}
    return [
        ConstructionFile(name, target, is_grammar=False)
        for name, target in named.items()
        if name not in files.other_files
    ]


def _published(files: SetFiles) -> str:
    """Says for which languages files can be fetched; nothing where for none."""
    before = files.files.partition("{language}")[0]
    codes = sorted({target.removeprefix(before).split("/")[0] for target in available_targets(before)})
    is_known = "{language}" in files.files and codes
    return f", which are published for lang={', '.join(codes)}" if is_known else ""


def _generated(path: Path) -> Iterator[MinimalSet]:
    return sentences.minimal_sets(patterns(avg.read(path)))


def _tell_identical(construction: ConstructionSets, path: Path) -> None:
    if identical := construction.identical:
        found = f"{len(identical)} of {len(construction.sets)} sets have a variant spelt as the grammatical sentence"
        _log.warning("%s: %s: ties. The first is set %d.", path, found, identical[0])
