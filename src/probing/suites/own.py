"""A suite of a user's own files: `suite=own suite.path=<file or folder> suite.format=…`.

Tests to train probes on have the formats linspector, senteval, xprobe and conllu; minimal sets clams, blimp,
json_lines and ewok. Tables, whose columns have to be named, are read by `suite=table` (labelled words or
sentences) and `suite=pairs` (minimal pairs).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from polyprobe.errors import BadValue, PolyprobeError, check_choice
from polyprobe.formats.files.file_names import check_names
from polyprobe.formats.reading.case import Lowercase
from polyprobe.probing.suites.minimal_set_files import ENDINGS, TABLE, WITH_COLUMNS, SetFiles
from polyprobe.probing.suites.table_columns import TableColumns, TableRules, table_files
from polyprobe.probing.suites.test_files import (
    CONLLU,
    LAYOUTS,
    LEVELS,
    OBJECTS,
    OF_TABLES,
    TABLE_ROWS,
    check_format,
    part_names,
)
from polyprobe.probing.suites.tests import Suite
from polyprobe.probing.suites.treebank_columns import ColumnRules, TreebankColumns, check_column, files_at

FORMATS = tuple(name for name in (*LEVELS, *ENDINGS) if name not in (TABLE, *OF_TABLES))  # `own_pairs`, `own_table`
_OF_PUBLISHED = {"source": None, "folders": {}, "notes": {}, "train_from_dev": None}  # what own tests have none of


def own_suite(
    path: str,
    format: str,
    pairs: Sequence[str],
    train_rows: int,
    end_of_sentence: str | None,
    capitalise: bool,
    name: str,
    level: str,
    lowercase: Lowercase,
    column: str | Sequence[str] | None = None,
    **of_columns: Annotated[Any, ColumnRules],
) -> Suite | SetFiles:
    """Makes a suite of what is at a path; tests are named as their files or folders, in the order of their names.

    Args:
        path: a folder of tests, one test's folder or, of SentEval's format and of minimal sets, one test's file.
        format: of the files.
        pairs, train_rows: of tests to train probes on, see `Suite`.
        end_of_sentence, capitalise: of minimal sets, see `SetFiles`.
        name, level, lowercase: see `Suite`.
        column: of the format conllu, the column that is a test, or several; None with all other formats.
        of_columns: of that format, see `ColumnRules`.

    Raises:
        UnknownChoice: there is no such format.
        BadValue: the format does not have this level, or the path is not a text.
        PolyprobeError: there is nothing at the path, or nothing that is laid out as the format asks.
    """
    place = _place(path, format)
    of_both = {"name": name, "level": level, "lowercase": lowercase}
    if column is not None and format != CONLLU:
        raise BadValue("suite.column", column, f"null with suite.format={format}: suite.format=conllu has columns")
    if format in ENDINGS:
        return _own_sets(place, format, end_of_sentence=end_of_sentence, capitalise=capitalise, **of_both)
    check_format(format, level)
    if format == CONLLU:
        columns = [column] if isinstance(column, str) else column
        return _own_columns(place, columns, ColumnRules(**of_columns), train_rows=train_rows, **of_both)
    return _own_tests(place, format, pairs=pairs, train_rows=train_rows, **of_both)


def own_table(
    path: str, label: str | Sequence[str], name: str, level: str, lowercase: Lowercase, **rules: Any
) -> Suite:
    """Makes a suite of the columns of a user's table, each a test with the column's name.

    Args:
        path: a file, or a folder with a file for each split.
        label: the column of the labels, or several.
        name, level, lowercase: see `Suite`.
        rules: see `TableRules`.

    Raises:
        UnknownChoice: there is no such format or level.
        BadValue: a column is no text, or one that the level needs is not named.
        PolyprobeError: there is nothing at the path, or not a file for each split.
    """
    place = _place(path, rules["format"], (TABLE_ROWS, OBJECTS))
    check_format(rules["format"], level)
    labels = [label] if isinstance(label, str) else label
    if not isinstance(labels, list) or not labels or not all(isinstance(one, str) and one for one in labels):
        raise BadValue("suite.label", label, "the name of a column, or a list of some")
    check_names("a test of suite=table", labels)
    read = TableRules(**rules)
    for key in read.read_at(level):
        if rules[key] is None:
            raise BadValue(f"suite.{key}", None, f"the name of a column with suite.level={level}")
    columns = TableColumns(table_files(place), read)
    of_suite = {"name": name, "level": level, "lowercase": lowercase, "train_rows": 0}
    return _suite_of_columns(columns, labels, format=rules["format"], **of_suite)


def own_pairs(
    path: str,
    format: str,
    good: str,
    bad: str,
    test: str | None,
    focus: Sequence[str] | None,
    group: str | None,
    separator: str | None,
    quotes: str,
    words: str,
    **settings: Annotated[Any, SetFiles],
) -> SetFiles:
    """Makes a suite of a user's minimal pairs: a file or a folder of files, each a construction named as the file.

    Args:
        path: of them.
        format: "pairs_table" or "blimp".
        good, bad, test, focus, separator, quotes: see `PairColumns`.
        group: the column by which constructions are grouped, or None.
        words: see `SetFiles`.
        settings: the others of `SetFiles`.

    Raises:
        UnknownChoice: there is no such format.
        BadValue: a column is no text.
        PolyprobeError: there is nothing at the path.
    """
    place = _place(path, format, WITH_COLUMNS)
    columns = {"good": good, "bad": bad, "test": test, "focus": focus, "separator": separator, "quotes": quotes}
    if place.is_file():
        files = f"{_literal(place.parent)}/{{test}}{_literal(place.suffix)}"
        others = [other.stem for other in place.parent.glob(f"*{place.suffix}") if other != place]
    else:
        usual = (".csv", ".tsv", ".txt") if format == TABLE else (ENDINGS[format],)
        ending = next((one for one in usual if any(place.glob(f"*{one}"))), usual[0])
        files, others = f"{_literal(place)}/{{test}}{ending}", []
    return SetFiles(
        format=format,
        files=files,
        grammars=None,
        tests=None,
        other_files=others,
        languages=None,
        columns=columns,
        column_key="suite",
        words=words,
        groups=None if group is None else {group: {"field": group}},
        **settings,
    )


def _place(path: str, format_name: str, formats: Sequence[str] = FORMATS) -> Path:
    check_choice("suite.format", format_name, formats)
    if not isinstance(path, str):
        raise BadValue("suite.path", path, "a file or a folder")
    place = Path(path).absolute()
    if not place.exists():
        expected = f"Expected {_layout(format_name)}, or one test alone."
        below = "" if Path(path).is_absolute() else " Paths below the data folder: '${paths.data}/…'."
        raise PolyprobeError(f"suite.path={path} is not there: there is no {place}. {expected}{below}")
    return place


def _own_sets(place: Path, format_name: str, **settings: Any) -> SetFiles:
    """Makes a suite of minimal sets; all that is there is scored."""
    ending = ENDINGS[format_name]
    if place.is_dir() and not any(place.glob(f"*{ending}")):
        below = next((file.parent for file in sorted(place.glob(f"*/*{ending}"))), None)
        meant = f" Did you mean suite.path={below}?" if below else ""
        raise PolyprobeError(f"suite.path={place} has no file *{ending}. Expected {_layout(format_name)}.{meant}")
    files = _literal(place) if place.is_file() else f"{_literal(place)}/{{test}}{ending}"
    return SetFiles(
        format=format_name, files=files, grammars=None, tests=None, other_files=[], languages=None, **settings
    )


def _own_tests(place: Path, format_name: str, **settings: Any) -> Suite:
    """Makes a suite of tests to train probes on; nothing of it can be fetched."""
    tests, pattern = (_tests_in_files if format_name == "senteval" else _tests_in_folders)(place, format_name)
    if not tests:
        found = f"suite.path={place} has no test of suite.format={format_name}"
        raise PolyprobeError(f"{found}. Expected {_layout(format_name)}.")
    check_names("a test of suite=own", tests)
    return Suite(format=format_name, files=pattern, tests=tests, **_OF_PUBLISHED, **settings)


def _own_columns(place: Path, columns: Sequence[str] | None, rules: ColumnRules, **settings: Any) -> Suite:
    """Makes a suite of columns of a treebank, each a test with the column's name."""
    if not isinstance(columns, list) or not columns:
        raise BadValue("suite.column", columns, "a column or a list of some, such as feats.Case or [upos,deprel]")
    for column in columns:
        check_column("suite.column", column)
    check_names("a test of suite=own", columns)
    paths = files_at(place)
    if not paths:
        raise PolyprobeError(f"suite.path={place} has no file *.conllu. Expected {LAYOUTS[CONLLU]}.")
    return _suite_of_columns(TreebankColumns(paths, rules), columns, format=CONLLU, **settings)


def _suite_of_columns(columns: TreebankColumns | TableColumns, names: Sequence[str], **settings: Any) -> Suite:
    tests = list(dict.fromkeys(names))
    return Suite(files="", tests=tests, pairs=[], columns=columns, **_OF_PUBLISHED, **settings)


def _layout(format_name: str) -> str:
    return LAYOUTS[format_name] if format_name in LAYOUTS else f"a file *{ENDINGS[format_name]} for each construction"


def _tests_in_files(place: Path, format_name: str) -> tuple[list[str], str]:
    if place.is_file():
        return [place.stem], f"{_literal(place.parent)}/{{test}}{_literal(place.suffix)}"
    return sorted(file.stem for file in place.glob("*.txt")), f"{_literal(place)}/{{test}}.txt"


def _tests_in_folders(place: Path, format_name: str) -> tuple[list[str], str]:
    parts = [f"{part}.txt" for part in part_names(format_name).values()]
    if any((place / part).is_file() for part in parts):
        return [place.name], f"{_literal(place.parent)}/{{test}}/{{split}}.txt"
    folders = place.iterdir() if place.is_dir() else []
    tests = sorted(folder.name for folder in folders if any((folder / part).is_file() for part in parts))
    return tests, f"{_literal(place)}/{{test}}/{{split}}.txt"


def _literal(text: Path | str) -> str:
    """Doubles the braces, which a pattern would take for names."""
    return str(text).replace("{", "{{").replace("}", "}}")
