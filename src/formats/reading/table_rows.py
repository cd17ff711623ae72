"""Rows of tables by the names of their columns (CSV, TSV), and JSON objects by their keys.

    form,label            {"form": "kala", "label": "Nom"}
    "kala",Nom

Where commas or semicolons separate cells, a cell may stand in quotation marks, with separators and line feeds in it and
its own quotation marks doubled. Tab-separated files have no quoting: a row is a line, a quotation mark a character. The
names are the first line, or are given. Blanks at the edges of cells are no part of them. A line `sep=;` may come before
all others, as Excel writes it, and empty rows after them.
"""

import csv
import json
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Literal

from polyprobe.display.shown import cut, plural
from polyprobe.errors import MalformedLine, UnknownChoice, near_names
from polyprobe.formats.reading.cells import BLANKS, CellNotes, rows_of, value_of
from polyprobe.formats.reading.lines import NumberedLine, numbered_bytes, text_of
from polyprobe.formats.reading.malformed import Omission, OnMalformed

SEPARATORS = {"tab": "\t", "semicolon": ";", "comma": ","}
Quotes = Literal["csv", "always", "none"]
"""With "csv", cells may be quoted, a quotation mark in them is doubled, but not where tabs separate them; with "always"
there, too; with "none" quotation marks are text.
"""
_IS_QUOTED = re.compile('".*"', re.DOTALL).fullmatch
_SHOWN = 80  # characters of a value in a message
LONGEST_ROW = 100
"""Lines of one row: where no quotation mark follows, the one before was not meant to open a cell."""


@dataclass(frozen=True, slots=True)
class TableLayout:
    """How a table is cut, and what it needs to have."""

    needed: Sequence[str]
    """Names of columns."""
    separator: str | None = None
    """One of `SEPARATORS`; None: that by which the first line has the columns."""
    quotes: Quotes = "csv"
    columns: Sequence[str] | None = None
    """Names of all columns; None: the first line has them."""
    edges: str = BLANKS
    """Characters that are no part of a cell where they stand at its edges."""
    key: str = "suite"
    """As the user types what holds the settings, for messages."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table."""

    line: int
    """Of the file, from 1, on which it starts."""
    number: int
    """Of the row, the first below the names being 1."""
    cells: Mapping[str, str]
    """By the names of columns."""


def table_rows(path: Path, on_malformed: OnMalformed, layout: TableLayout) -> Iterator[TableRow]:
    """Reads the rows of a table. The last line may lack its line feed.

    Raises:
        UnknownChoice: a column that is needed is none of those that are named.
        MalformedLine: at an empty file, and at a first line that is not clean UTF-8 or lacks a column; and, where
            `on_malformed` raises, at the first row that is empty, where others follow, or has another number of cells,
            a quotation mark that is not closed or closed inside a cell, or text that is not clean UTF-8.
    """
    lines = numbered_bytes(path)
    ahead = deque(islice(lines, LONGEST_ROW))
    if len(ahead) > 1 and (declared := declared_separator(ahead[0][1].decode("utf-8", "replace"))):
        layout = replace(layout, separator=declared)
        ahead.popleft()
    names, separator = _names(path, ahead[0][1], layout)
    if layout.columns is None:
        ahead.popleft()
    notes, empty = CellNotes(path), list[int]()  # lines of rows without text
    for number, (line, cells) in enumerate(_cut_rows(path, ahead, lines, separator, layout), start=1):
        with Omission(on_malformed):
            if isinstance(cells, MalformedLine):
                raise cells
            cells = notes.fitted(line, notes.stripped(line, cells, layout.edges), len(names))
            if not any(cells):
                empty.append(line)
                continue
            while empty:
                expected = f"{len(names)} columns, separated by {separator}s"
                on_malformed(MalformedLine(path, empty.pop(0), "the line is empty", expected))
            if len(cells) != len(names):
                raise wrong_number(path, line, cells, len(names), separator, layout.key)
            if separator == "tab" and layout.quotes == "csv" and (n := sum(map(bool, map(_IS_QUOTED, cells)))):
                notes.count(f"quotation marks around cells are text, {layout.key}.quotes=always removes them", line, n)
            yield TableRow(line, number, dict(zip(names, cells, strict=True)))
    if empty:
        notes.count("empty rows at the end are left out", empty[0], len(empty))
    notes.log()


def declared_separator(line: str) -> str | None:
    """Returns the separator that a first line such as `sep=;` names, as Excel writes it; None where it names none."""
    text = line.strip().strip('"').lower()
    return next((name for name, sign in SEPARATORS.items() if text == f"sep={sign}".strip()), None)


def object_rows(path: Path, on_malformed: OnMalformed, needed: Sequence[str]) -> Iterator[TableRow]:
    """Reads JSON objects, one per line; numbers, true and false are written as JSON writes them.

    Raises:
        MalformedLine: at an empty file and, where `on_malformed` raises, at the first line that is no JSON object,
            lacks a key, has a list or an object at one that is needed, or is not clean UTF-8.
    """
    expected = f"an object such as {{{', '.join(f'{json.dumps(name, ensure_ascii=False)}: …' for name in needed)}}}"

    def row(path: Path, line: int, text: str) -> TableRow:
        fields = value_of(path, line, text, expected)
        absent = [name for name in needed if not isinstance(fields, dict) or fields.get(name) is None]
        if absent:
            raise MalformedLine(path, line, f"the line has no {' and no '.join(absent)}", expected)
        for name in needed:
            if isinstance(fields[name], list | dict):
                kind = "a list" if isinstance(fields[name], list) else "an object"
                found = f"the value of {name} is {kind}, {cut(json.dumps(fields[name], ensure_ascii=False), _SHOWN)}"
                raise MalformedLine(path, line, found, "a text or a number")
        cells = {name: one if isinstance(one, str) else json.dumps(one) for name, one in fields.items()}
        return TableRow(line, line, cells)

    return rows_of(path, on_malformed, row)


def _names(path: Path, content: bytes, layout: TableLayout) -> tuple[Sequence[str], str]:
    """Returns the names of the columns, and the separator by which the needed ones are there."""
    text = text_of(path, 1, content)
    separators = [layout.separator] if layout.separator is not None else list(SEPARATORS)
    found = {
        name: CellNotes(path).stripped(1, cut_row(text, SEPARATORS[name], layout.quotes) or [], layout.edges)
        for name in separators
    }
    for cells in found.values():
        while cells and not cells[-1]:
            cells.pop()
    if layout.columns is not None:
        for name in layout.needed:
            if name not in layout.columns:
                raise UnknownChoice(f"the column of {path}", name, layout.columns)
        fitting = [name for name in separators if len(found[name]) == len(layout.columns)]
        return layout.columns, (fitting or separators)[0]
    lacking = {name: [one for one in layout.needed if one not in cells] for name, cells in found.items()}
    separator = min(separators, key=lambda name: (len(lacking[name]), -len(found[name])))
    names = found[separator]
    if lacking[separator]:
        near = [
            f"perhaps {' or '.join(near_names(one, names))}" for one in lacking[separator] if near_names(one, names)
        ]
        words = f"the first line has no column {', no column '.join(lacking[separator])}, separated by {separator}s"
        has = f"the columns {', '.join(layout.needed)}; it has {', '.join(names) or 'none'}"
        raise MalformedLine(path, 1, words, "; ".join([has, *near]))
    for name in layout.needed:
        if names.count(name) > 1:
            raise MalformedLine(path, 1, f"the first line has the column {name} twice", "each column once")
    return names, separator


def _cut_rows(
    path: Path, ahead: deque[NumberedLine], lines: Iterator[NumberedLine], separator: str, layout: TableLayout
) -> Iterator[tuple[int, Sequence[str] | MalformedLine]]:
    """Yields the line on which each row starts, and its cells or what is wrong with it.

    Args:
        ahead: the next lines, at most `LONGEST_ROW`.
        lines: those after them.
    """
    while ahead:
        line, n_lines = ahead[0][0], 1
        try:
            cells, n_lines = _cells(path, ahead, separator, layout)
        except MalformedLine as place:
            cells = place
        yield line, cells
        for _ in range(n_lines):
            ahead.popleft()
        ahead.extend(islice(lines, LONGEST_ROW - len(ahead)))


def _cells(path: Path, lines: deque[tuple[int, bytes]], separator: str, layout: TableLayout) -> tuple[list[str], int]:
    """Returns the cells of the row that starts with the first of some lines, and how many of them are its."""
    text, first = "", lines[0][0]
    for n_lines, (line, content) in enumerate(lines, start=1):
        try:
            text += text_of(path, line, content)
        except MalformedLine:
            if n_lines == 1:
                raise
            raise _open(path, first, layout.key) from None
        cells = cut_row(text, SEPARATORS[separator], layout.quotes)
        if cells is not None:
            return cells, n_lines
        if '"' not in text:
            break
        text += "\n"
    raise _open(path, first, layout.key)


def _open(path: Path, line: int, key: str) -> MalformedLine:
    found = "a quotation mark is not closed, or stands inside a quoted cell"
    return MalformedLine(path, line, found, f"quoted cells whose own quotation marks are doubled, or {key}.quotes=none")


def cut_row(text: str, separator: str, quotes: str) -> list[str] | None:
    """Cuts a row into cells; None where a quotation mark is not closed or comes inside a quoted cell."""
    is_plain = quotes == "none" or (quotes == "csv" and separator == SEPARATORS["tab"])
    if is_plain or '"' not in text:  # csv refuses cells of more than 131,072 characters
        return text.split(separator)
    try:
        rows = list(csv.reader([f"{text}\n"], delimiter=separator, strict=True, skipinitialspace=True))
    except csv.Error:
        return None
    return rows[0] if len(rows) == 1 else []


def wrong_number(
    path: Path, line: int, cells: Sequence[str], n: int, separator: str, key: str = "suite"
) -> MalformedLine:
    """Returns the error at a row with other than `n` cells; `key` as in `TableLayout`."""
    expected = f"{n} columns, separated by {separator}s"
    if separator != "tab" and len(cells) > n:
        expected += f"; a cell with a {separator} in it, such as a sentence, stands in quotation marks"
    elif separator == "tab" and any('"' in cell for cell in cells):
        expected += f"; quotation marks are text there, {key}.quotes=always reads quoted cells"
    return MalformedLine(path, line, f"the row has {plural(len(cells), 'column')}", expected)
