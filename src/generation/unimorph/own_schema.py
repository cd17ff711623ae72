"""A schema of one's own: codes with their dimensions and values, by which labels of UniMorph are read.

    code <tab> dimension <tab> value <tab> broader
    NOM        Case            Nominative  -
    V.PTCP     Part of Speech  Participle  V            wins over V where a bundle has both

The last column may be absent. Lines of `#` before the header are remarks. A dimension names a test, so it is a name
that a folder can have, and none that other tests have; blanks and capitals tell no two dimensions apart.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from src.errors import MalformedLine
from src.formats.files.file_names import file_name
from src.formats.reading.lines import numbered_lines

RESERVED = ("POS", "TagCount", "CharacterBin", "CharacterBin2", "CharacterCount", "OddFeat", "SameFeat", "lemma")
"""What is no dimension: the tests that every lexicon or treebank has, and the label of pairs that is no feature."""
_NEEDED, _BROADER = ("code", "dimension", "value"), "broader"


def read_schema(path: Path) -> list[Mapping[str, str]]:
    """Reads the rows of a schema, each with its code, dimension, value and the codes that are broader ("-": none).

    Raises:
        MalformedLine: the file is empty, lacks a column or has no code; a row has another number of cells or an empty
            one; a code stands twice, or a broader one is missing or of another dimension; a dimension cannot name a
            test of its own.
    """
    rows: dict[str, Mapping[str, str]] = {}
    lines: dict[str, int] = {}
    for line, row in _rows(path):
        if row["code"] in rows:
            raise MalformedLine(path, line, f"the code {row['code']} stands there again", "each code once")
        rows[row["code"]], lines[row["code"]] = row, line
    if not rows:
        raise MalformedLine(path, 1, "the schema has no code", "a row for each code below the header")
    _check_dimensions(path, [(lines[code], row["dimension"]) for code, row in rows.items()])
    for code, row in rows.items():
        for broader in row[_BROADER].split(" ") if row[_BROADER] != "-" else ():
            if broader not in rows or rows[broader]["dimension"] != row["dimension"]:
                found = f"{broader}, which is to be broader than {code}, is no code of {row['dimension']}"
                raise MalformedLine(path, lines[code], found, "codes of the same dimension, or -")
    return list(rows.values())


def _check_dimensions(path: Path, dimensions: Iterable[tuple[int, str]]) -> None:
    """Checks that every dimension names a test of its own, in a folder of its own."""
    taken = {_compared(name): name for name in RESERVED}
    for line, dimension in dimensions:
        folder = dimension.replace(" ", "")
        if folder != file_name(folder):
            expected = "a name that a folder can have, such as Case or Part of Speech"
            raise MalformedLine(path, line, f"the dimension {dimension} is no plain name", expected)
        other = taken.setdefault(_compared(dimension), dimension)
        if other in RESERVED:
            found, expected = f"the dimension {dimension} has the name of another test", "another name"
            raise MalformedLine(path, line, found, f"{expected} than {', '.join(RESERVED)}")
        if other != dimension:
            found = f"the dimensions {other} and {dimension} give tests of one name"
            raise MalformedLine(path, line, found, "one spelling, or names that differ in letters")


def _compared(dimension: str) -> str:
    return unicodedata.normalize("NFC", dimension.replace(" ", "")).casefold()


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, str]]]:
    header: list[str] = []
    for line, text in numbered_lines(path):
        cells = text.split("\t")
        if not header and text.startswith("#"):
            continue
        if not header:
            header = _header(path, line, cells)
        elif len(cells) != len(header):
            expected = f"{len(header)} columns ({', '.join(header)}), separated by tabs"
            raise MalformedLine(path, line, f"the row has {len(cells)} columns", expected)
        else:
            row = {_BROADER: "-", **dict(zip(header, cells, strict=True))}
            for column, cell in row.items():
                if not cell.strip():
                    raise MalformedLine(path, line, f"the {column} is empty", "a cell in every column")
            yield line, {**row, "code": row["code"].upper()}


def _header(path: Path, line: int, cells: list[str]) -> list[str]:
    missing = [column for column in _NEEDED if column not in cells]
    if missing:
        expected = f"a header with {', '.join(_NEEDED)}, separated by tabs"
        raise MalformedLine(path, line, f"the header lacks {', '.join(missing)}", expected)
    return cells
