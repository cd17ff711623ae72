"""Which constructions a suite of minimal sets has, where their files are, and how they are read."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from polyprobe.display.progress import each
from polyprobe.display.shown import say
from polyprobe.errors import (
    BadValue,
    Impossible,
    MalformedLine,
    PolyprobeError,
    check_choice,
    distinct_choices,
)
from polyprobe.formats.files.digest import content_version
from polyprobe.formats.files.file_names import check_names
from polyprobe.formats.grammars import avg
from polyprobe.formats.minimal_sets import clams, json_sets
from polyprobe.formats.minimal_sets.clams import MinimalSet
from polyprobe.formats.minimal_sets.pair_rows import BLIMP, PairReading, pair_columns, read_blimp, read_ewok, read_table
from polyprobe.formats.reading.case import Lowercase
from polyprobe.formats.reading.malformed import OnMalformed, raised
from polyprobe.generation.grammars import sentences
from polyprobe.generation.grammars.sentences import patterns
from polyprobe.probing.suites.groupings import Grouping, groupings_of, means_there
from polyprobe.probing.suites.minimal_sets import Construction, MinimalSuite, Preparation
from polyprobe.probing.suites.set_paths import folder_of, matching_files
from polyprobe.resources.data_root import data_root
from polyprobe.resources.download import ensure
from polyprobe.resources.pinned_files import available_targets
from polyprobe.runs.workspace import Workspace

TABLE = "pairs_table"
WITH_COLUMNS = ("blimp", TABLE)  # formats of which columns, or keys, are named
SET_READERS = {"clams": clams.read_published, "json_lines": json_sets.read}
PAIR_READERS = {"blimp": read_blimp, TABLE: read_table, "ewok": read_ewok}
ENDINGS = {
    "clams": ".txt",
    "blimp": ".jsonl",
    "json_lines": ".jsonl",
    TABLE: ".csv",
    "ewok": ".jsonl",
}
WORDS = {"blanks": " ", "characters": ""}  # what stands between two words


@dataclass(frozen=True)
class SetFiles:
    """The files of a suite, as `conf/suite/*.yaml` describes them.

    Raises:
        UnknownChoice: there is no such format, column setting or way to separate words.
        BadValue: the end of a sentence is not one word, `capitalise` neither true nor false, or the columns, groups or
            means are not what they have to be.
    """

    name: str
    format: str
    """"clams" (`True<tab>sentence`), "blimp" (pairs as JSON lines), "pairs_table" (pairs in a CSV or TSV), "json_lines"
    (sets as JSON lines) or "ewok" (EWoK's items)."""
    files: str
    """Pattern of the paths below the data folder, see `matching_files`, with `{language}` and `{test}`; one without
    `{test}` is one construction, unless `columns` name one that names the constructions."""
    grammars: str | None
    """Pattern of the folder of grammars, from which the sets of a generated language are made; None: there are none."""
    tests: Sequence[str] | None
    """Constructions that are scored where none are requested, in the order of the published tables; None: all."""
    other_files: Sequence[str]
    """Names of other files in the folder that are not constructions."""
    languages: Sequence[str] | None
    """Codes of those there are; None: any that has files."""
    end_of_sentence: str | None
    """A word put after every sentence, such as . (see `Preparation`); None: none."""
    capitalise: bool
    """Whether the first letter becomes a capital."""
    level: str
    """What the files of conf/encoder read; encoders have no part here."""
    lowercase: Lowercase
    """As `level`."""
    columns: Mapping[str, Any] | None = None
    """Which column or key is what in the formats "blimp" and "pairs_table": `good`, `bad`, `focus`, `test`, and
    `separator` and `quotes` of a table; None: as in BLiMP."""
    words: str = "blanks"
    """"blanks" separate them, or every one of the "characters" is a word."""
    groups: Mapping[str, Any] | None = None
    """How constructions are grouped, see `Grouping`; None: they are not."""
    means: Mapping[str, Any] | None = None
    """Of which constructions and groups unweighted means are taken, by their names; None: of none."""
    codes: Mapping[str, str] | None = None
    """Of languages in `files`, where they differ from ours."""
    license: str | None = None
    """Of the sets, as their publishers name it; None: unknown, or one's own."""
    origin: str | None = None
    """Where they are published."""
    column_key: str = "suite.columns"
    """As the user types what holds the settings of the columns, see `pair_columns`."""

    def __post_init__(self):
        check_choice("suite.format", self.format, ENDINGS)
        check_choice("suite.words", self.words, WORDS)
        if self.columns is not None:
            pair_columns(self.columns, self.column_key)
        groupings_of(self.groups)
        end = self.end_of_sentence
        if end is not None and (not isinstance(end, str) or not end or set(end) & set(" \t\r\n")):
            raise BadValue("suite.end_of_sentence", end, "one word, such as . or null")
        if end is not None and len(end) > 1 and not WORDS[self.words]:
            raise BadValue(
                "suite.end_of_sentence", end, "one character where characters are words (suite.words), or null"
            )
        if not isinstance(self.capitalise, bool):
            raise BadValue("suite.capitalise", self.capitalise, "true or false")

    def preparation(self, language: Mapping[str, Any]) -> Preparation:
        """Returns what is done to the sentences of a language, from the settings of `lang=<code>`."""
        return Preparation(self.end_of_sentence, self.capitalise, bool(language.get("dotless_i")))

    @cached_property
    def groupings(self) -> list[Grouping]:
        """How the constructions are grouped."""
        return groupings_of(self.groups)

    @cached_property
    def reading(self) -> PairReading:
        """How rows of pairs are read."""
        columns = BLIMP if self.columns is None else pair_columns(self.columns, self.column_key)
        fields = (columns.test, *(one.field for one in self.groupings))
        named = tuple(dict.fromkeys(field for field in fields if field is not None))
        return PairReading(columns, named, WORDS[self.words], self.column_key)

    def means_of(self, scored: Sequence[str]) -> dict[str, Sequence[str]]:
        """Returns of which constructions and groups means are taken, of those means that miss none."""
        return means_there(self.means or {}, self.groupings, scored)

    def of_identity(self, scored: Sequence[str]) -> dict[str, Any]:
        """What can change rows beside the files: nothing for suites that do without columns and groups of their own.

        Args:
            scored: the constructions: groups and means of others have no rows.
        """
        columns = {} if self.reading.columns == BLIMP else {"columns": asdict(self.reading.columns)}
        words = {} if self.words == "blanks" else {"words": self.words}
        said = {one.name: (one.there(scored) if one.tests else self.groups[one.name]) for one in self.groupings}
        groups, means = {name: one for name, one in said.items() if one}, self.means_of(scored)
        return {**columns, **words, **({"groups": groups} if groups else {}), **({"means": means} if means else {})}

    def pattern_code(self, language: Mapping[str, Any]) -> str:
        """Returns the code of a language as the paths have it."""
        return (self.codes or {}).get(language["code"], language["code"])


@dataclass(frozen=True, slots=True)
class ConstructionFile:
    """Where a construction comes from."""

    name: str
    target: str
    """Its file, below the data folder."""
    is_grammar: bool
    """Whether that is a grammar, from which the sets are made."""
    has_others: bool = False
    """Whether its file has other constructions, too: its own are those of its name in `columns.test`."""
    folders: Mapping[str, str] = field(default_factory=dict)
    """What stands in the path in the place of each name of the pattern."""


def available(files: SetFiles, language: Mapping[str, Any], root: Path) -> list[ConstructionFile]:
    """Lists the constructions of a language that are here or can be fetched: those of `tests` first, then by name.

    Args:
        language: the settings of `lang=<code>`.

    Raises:
        Impossible: the language has none.
    """
    code = language["code"]
    if files.languages is not None and code not in files.languages:
        expected = " or ".join(f"lang={known}" for known in files.languages)
        raise Impossible(f"suite={files.name} has no sentences in lang={code}. Expected {expected}.")
    is_generated = language.get("generator") is not None and files.grammars is not None
    listed = _grammars(files, code, root) if is_generated else _files(files, language, root)
    if not listed:
        folder = root / folder_of(files.files, files.pattern_code(language))
        by_hand = f" To score them, put the files of {files.origin} there." if files.origin else ""
        raise Impossible(
            f"lang={code} has no minimal sets of suite={files.name}: nothing is in {folder}, and nothing there can be "
            f"fetched. Expected {_expected(files, language)}{_published(files)}.{by_hand}"
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
    if names is None:
        is_published = not any(file.is_grammar for file in listed)
        default = [file for file in listed if file.name in (files.tests or ())]
        return default if is_published and default else list(listed)
    by_name = {file.name: file for file in listed}
    return [by_name[name] for name in distinct_choices("test", names, by_name)]


def load(
    files: SetFiles,
    language: Mapping[str, Any],
    listed: Sequence[ConstructionFile],
    root: Path,
    mirror: str | None,
    on_malformed: OnMalformed,
) -> MinimalSuite:
    """Reads constructions, files that are missing after fetching them.

    Args:
        files, language, root: see `available`.
        mirror: another address to fetch from, or None.
        on_malformed: called with every bad line; its set is left out unless it raises.

    Raises:
        MalformedLine: a file is empty, or whatever `on_malformed` raises.
        PolyprobeError: a file cannot be fetched, a grammar is damaged, or a construction has no set.
    """
    if files.license is not None:
        _tell_license(files.name, files.origin, files.license)
    preparation, scored = files.preparation(language), [file.name for file in listed]
    constructions, versions, read_from = [], {}, []
    read: dict[Path, Construction] = {}  # several constructions may share a file
    for file in each(listed, "reading minimal sets", "constructions"):
        path = root / file.target if file.is_grammar else ensure(root, file.target, mirror)
        if path not in read:
            read = {path: _read(files, file, path, preparation, on_malformed)}
        of_file = read[path]
        n_own = 0 if path in read_from else of_file.n_bad_lines  # which construction a bad line is of, is not known
        test = files.reading.columns.test
        sets = [one for one in of_file.sets if not file.has_others or one.fields[test].strip() == file.name]
        if not sets:
            raise PolyprobeError(f"{path} has no minimal set that can be read. Expected at least one.")
        groups = {one.name: one.groups_of(file.name, sets, file.folders, scored) for one in files.groupings}
        construction = replace(of_file, name=file.name, sets=sets, n_bad_lines=n_own, groups=groups)
        constructions.append(construction)
        behind = avg.files_behind(path) if file.is_grammar else [path]
        versions[file.name] = content_version(behind)
        read_from += behind
    return MinimalSuite(files.name, constructions, versions, read_from, files.means_of(scored), preparation)


def _read(
    files: SetFiles, file: ConstructionFile, path: Path, preparation: Preparation, on_malformed: OnMalformed
) -> Construction:
    """Reads all sets of a file, also those of other constructions."""
    n_bad = 0

    def counted(place: MalformedLine) -> None:
        nonlocal n_bad
        n_bad += 1
        on_malformed(place)

    found = sentences.minimal_sets(patterns(avg.read(path))) if file.is_grammar else read_sets(files, path, counted)
    sets = [preparation.prepared(one) for one in found]
    return Construction(file.name, sets, n_bad)


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


def _grammars(files: SetFiles, code: str, root: Path) -> list[ConstructionFile]:
    folder = root / files.grammars.format(language=code)
    found = avg.grammar_files(folder) if folder.is_dir() else []
    return [ConstructionFile(file.stem, str(file.relative_to(root)), is_grammar=True) for file in found]


def read_sets(files: SetFiles, path: Path, on_malformed: OnMalformed) -> Iterator[MinimalSet]:
    """Reads a file of a suite."""
    if files.format in PAIR_READERS:
        return PAIR_READERS[files.format](path, on_malformed, files.reading)
    return SET_READERS[files.format](path, on_malformed)


def _files(files: SetFiles, language: Mapping[str, Any], root: Path) -> list[ConstructionFile]:
    code = files.pattern_code(language)
    if "{test}" not in files.files and files.reading.columns.test is None:
        target = files.files.format(language=code)
        return [ConstructionFile(Path(target).stem, target, is_grammar=False)]
    found = matching_files(files.files, code, root)
    listed = [
        ConstructionFile(folders.get("test", Path(target).stem), target, False, False, folders)
        for target, folders in found.items()
        if folders.get("test") not in files.other_files
    ]
    if files.reading.columns.test is not None:
        in_files, listed = listed, [one for file in listed for one in _parts_of(files, file, root)]
        if not listed:
            _tell_bad_rows(files, [root / file.target for file in in_files])
    names = [file.name for file in listed]
    for file in listed:
        if names.count(file.name) > 1:
            places = " and ".join(str(root / one.target) for one in listed if one.name == file.name)
            raise PolyprobeError(f"suite={files.name} has the construction {file.name} in several files: {places}.")
    return listed


def _parts_of(files: SetFiles, file: ConstructionFile, root: Path) -> list[ConstructionFile]:
    """Returns the constructions that a file names in a column, in its order; of a file that is not here none."""
    path = root / file.target
    sets = read_sets(files, path, lambda place: None) if path.is_file() else ()
    names = dict.fromkeys(one.fields[files.reading.columns.test].strip() for one in sets)
    return [replace(file, name=name, has_others=True) for name in names]


def _tell_bad_rows(files: SetFiles, paths: Sequence[Path]) -> None:
    """Reads files in which no row names a construction."""
    for path in filter(Path.is_file, paths):
        for _ in read_sets(files, path, raised):
            pass


@cache
def _tell_license(name: str, origin: str | None, license: str) -> None:
    """Prints, once in a process, whose sets these are and under which terms."""
    where = f" ({origin})" if origin else ""
    say(f"suite={name}{where}. Licence: {license}.", sys.stderr)


def _expected(files: SetFiles, language: Mapping[str, Any]) -> str:
    if "{test}" in files.files:
        return f"files *{Path(files.files).suffix or ENDINGS[files.format]}"
    return f"the file {Path(files.files.format(language=files.pattern_code(language))).name}"


def _published(files: SetFiles) -> str:
    """Says for which languages files can be fetched; nothing where for none."""
    before = files.files.partition("{language}")[0]
    codes = sorted({target.removeprefix(before).split("/")[0] for target in available_targets(before)})
    is_known = "{language}" in files.files and codes
    return f", which are published for lang={', '.join(codes)}" if is_known else ""
