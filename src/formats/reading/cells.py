"""What lines hold: cells separated by tabs, JSON, or, up to an empty line, the rows of a sentence.

Cells have no quoting, no header, no comments; only a line feed ends a row. Files of a common kind in the place of
another, CSV and JSON, are recognised by a line that cannot be read.
"""

import json
import logging
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from polyprobe.display.shown import plural
from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.lines import numbered_bytes, text_of
from polyprobe.formats.reading.malformed import Omission, OnMalformed

_log = logging.getLogger(__name__)

BLANKS = "".join(filter(str.isspace, map(chr, range(0x3001)))) + "\u200b\ufeff"
"""The blanks of Unicode, a zero-width space and a byte order mark: at the edges of a cell they are no part of it."""
Row = TypeVar("Row")
_PERHAPS_HALF = re.compile(r"\\u[dD][89a-fA-F]")  # half of a surrogate pair, or the pair itself


log_once = cache(_log.warning)
"""Logs a note on a file once in a process, though the file is read several times."""


def resemblance(line: str, separators: int = 1) -> str:
    """Returns what a line without the expected columns looks like, as the end of a clause; "" where like nothing known.

    Args:
        line: without its line feed.
        separators: so many commas or semicolons at least make it a row of CSV.
    """
    if line.lstrip()[:1] in ("{", "["):
        return "; it looks like JSON"
    for name, sign in (("commas", ","), ("semicolons", ";")):
        if line.count(sign) >= separators:
            return f"; it looks like CSV, with {name} between cells"
    return ""


def is_number(field: str | bytes) -> bool:
    """Says whether a text is a number as Python reads it, perhaps infinite or none."""
    try:
        float(field)
    except ValueError:
        return False
    return True


def cut_cells(line: str, separator: str) -> list[str]:
    """Cuts a line into cells without blanks at their edges; empty last cells are dropped.

    Args:
        separator: "\\t"; or " ", of which several in a row are one (U+00A0 is a character of a cell).
    """
    cells = line.rstrip(BLANKS).split(separator)
    return [cell for cell in cells if cell] if separator == " " else [cell.strip(BLANKS) for cell in cells]


class CellNotes:
    """Counts what is mended in the rows of a file; `log` says each in one line.

    Args:
        path: of the file.
    """

    def __init__(self, path: Path):
        self._path = path
        self._found: dict[str, list[int]] = {}
        self._width = 0  # of the first row

    def count(self, what: str, line: int, n: int = 1) -> None:
        """Counts what was done to `n` cells of a line ("blanks at the edges of cells are left out")."""
        found = self._found.setdefault(what, [0, line])
        found[0] += n

    def stripped(self, line: int, cells: Sequence[str], edges: str = BLANKS) -> list[str]:
        """Returns cells without blanks at their edges."""
        kept = [cell.strip(edges) for cell in cells]
        if n := sum(map(str.__ne__, kept, cells)):
            self.count("blanks at the edges of cells are left out", line, n)
        return kept

    def fitted(self, line: int, cells: Sequence[str], n_columns: int) -> Sequence[str]:
        """Returns cells without surplus last ones, where these are empty, as in the first row of the file."""
        self._width = self._width or len(cells)
        if not n_columns < len(cells) == self._width or any(cells[n_columns:]):
            return cells
        self.count("empty last cells are left out", line, len(cells) - n_columns)
        return cells[:n_columns]

    def log(self) -> None:
        """Logs what was found, once for a file, however often it is read."""
        for what, (n, line) in self._found.items():
            log_once(f"{self._path}: {what}: {n:,}, the first on line {line:,}.")


def rows_of(path: Path, on_malformed: OnMalformed, row: Callable[[Path, int, str], Row]) -> Iterator[Row]:
    """Reads line by line.

    Args:
        on_malformed: called with every line that is malformed or not clean UTF-8; it is left out unless this raises.
        row: makes of the path, the number and the text of a line what is yielded; raises `MalformedLine`.
    """
    for line, content in numbered_bytes(path):
        with Omission(on_malformed):
            yield row(path, line, text_of(path, line, content))


def read_cells(
    path: Path, names: tuple[str, ...], on_malformed: OnMalformed, row: Callable[..., Row], hint: str = ""
) -> Iterator[Row]:
    """Reads line by line, as `rows_of`, lines that are split at their tabs.

    Args:
        names: of the columns, each of which every row has; none is empty.
        row: takes the path, the number of a line and its cells.
        hint: what is expected besides of rows with another number of columns, as the end of a sentence.

    Raises:
        MalformedLine: at an empty file and, where `on_malformed` raises, at the first row with another number of
            columns, an empty cell, or text that is not clean UTF-8, and where `row` raises it.
    """

    def of_cells(path: Path, line: int, text: str) -> Row:
        cells = text.split("\t")
        _check(path, line, cells, names, hint)
        return row(path, line, *cells)

    return rows_of(path, on_malformed, of_cells)


def _check(path: Path, line: int, cells: list[str], names: tuple[str, ...], hint: str) -> None:
    expected = f"{len(names)} columns ({', '.join(names)}), separated by tabs"
    if cells == [""]:
        raise MalformedLine(path, line, "the line is empty", expected)
    if len(cells) != len(names):
        like = resemblance(cells[0], len(names) - 1) if len(cells) == 1 else ""
        raise MalformedLine(path, line, f"the row has {plural(len(cells), 'column')}{like}", expected + hint)
    if "" in cells:
        raise MalformedLine(path, line, f"the {names[cells.index('')]} is empty", expected)


@dataclass(frozen=True, slots=True)
class Block:
    """The lines of one sentence."""

    number: int
    """Its number in the file, from 1; skipped blocks count."""
    line: int
    """The line of the file on which it starts."""
    lines: tuple[str, ...]
    """Without line feeds, at least one, none empty."""
    is_closed: bool
    """Whether an empty line follows (only the last block of a file may lack it)."""


def blocks(path: Path, on_malformed: OnMalformed) -> Iterator[Block]:
    """Reads a file block by block. A block with a line that is not clean UTF-8 text is malformed as a whole."""
    for number, (line, contents) in enumerate(_undecoded_blocks(path), start=1):
        with Omission(on_malformed):
            yield _block(path, number, line, contents)


def _undecoded_blocks(path: Path) -> Iterator[tuple[int, list[bytes]]]:
    """Cuts after every empty line, also after one of a carriage return: the block is refused later, but ends here."""
    contents, first = [], 1
    for number, content in numbered_bytes(path):
        contents.append(content)
        if content in (b"\n", b"\r\n"):
            yield first, contents
            contents, first = [], number + 1
    if contents:
        yield first, contents


def _block(path: Path, number: int, line: int, contents: list[bytes]) -> Block:
    lines = [text_of(path, number_of_line, content) for number_of_line, content in enumerate(contents, start=line)]
    is_closed = lines[-1] == ""
    if lines == [""]:
        raise MalformedLine(path, line, "the line is empty", "a sentence: empty lines stand only after sentences")
    return Block(number, line, tuple(lines[:-1] if is_closed else lines), is_closed)


def value_of(path: Path, line: int, text: str, expected: str) -> Any:
    """Reads the JSON of a line.

    Args:
        text: of the line, without the line feed.

    Raises:
        MalformedLine: the line is empty, not JSON, too deep or with a number too long for Python, or it has half of a
            surrogate pair ("\\ud800"), which is not a character.
    """
    if not text:
        raise MalformedLine(path, line, "the line is empty", expected)
    try:
        value = json.loads(text)
        if _PERHAPS_HALF.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise MalformedLine(path, line, "the line has half of a surrogate pair", "text in UTF-8") from None
    except (ValueError, RecursionError) as error:
        reason = str(error).split(";", maxsplit=1)[0]  # Python continues with how to allow longer numbers
        raise MalformedLine(path, line, f"the line is no JSON ({reason})", expected) from None
    return value
