"""Minimal pairs in a table whose first line names the columns: CSV or TSV (TurBLiMP, RuBLiMP, MultiBLiMP, your own).

    good_sentence;bad_sentence;good_cue;bad_cue;critical_region;phenomenon
    Onlar kendilerini gördü.;Onlar kendini gördü.;kendilerini;kendini;gördü;anaphor_agreement

A cell may stand in quotation marks, with separators and line feeds in it and its own quotation marks doubled.
"""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from polyprobe.display.shown import plural
from polyprobe.errors import MalformedLine, near_names
from polyprobe.formats.minimal_sets.clams import MinimalSet
from polyprobe.formats.minimal_sets.pair_rows import SEPARATORS, PairReading, set_of_row
from polyprobe.formats.reading.lines import numbered_bytes, text_of
from polyprobe.formats.reading.malformed import OnMalformed

_LONGEST_ROW = 100  # lines of one row: where no quotation mark follows, the one before was not meant to open a cell


def read(path: Path, on_malformed: OnMalformed, reading: PairReading) -> Iterator[MinimalSet]:
    """Reads pairs; a set's number is that of its row, the first below the names being 1.

    The last line may lack its line feed.

    Raises:
        MalformedLine: at an empty file, and at a first line that is not clean UTF-8 or lacks a column; and, where
            `on_malformed` raises, at the first row with another number of cells, a quotation mark that is not closed
            or closed inside a cell, an empty sentence, or text that is not clean UTF-8.
    """
    lines = list(numbered_bytes(path))
    names, separator = _header(path, lines[0][1], reading)
    place, number = 1, 0
    while place < len(lines):
        number += 1
        line = lines[place][0]
        try:
            cells, n_lines = _cells(path, lines[place : place + _LONGEST_ROW], separator, reading)
            place += n_lines
            _check_number(path, line, cells, names, separator)
            pair = set_of_row(path, line, number, dict(zip(names, cells, strict=True)), reading)
        except _UnreadableLine as error:
            place += 1
            on_malformed(error.place)
        except MalformedLine as error:
            on_malformed(error)
        else:
            yield pair


class _UnreadableLine(Exception):
    """A line that cannot be cut into cells.

    Attributes:
        place: of it.
    """

    def __init__(self, place: MalformedLine):
        super().__init__(str(place))
        self.place = place


def _header(path: Path, content: bytes, reading: PairReading) -> tuple[list[str], str]:
    """Returns the names of the columns, and the separator by which the needed ones are there."""
    columns = reading.columns
    text = text_of(path, 1, content)
    separators = [columns.separator] if columns.separator is not None else list(SEPARATORS)
    found = {name: _cut(text, SEPARATORS[name], columns.quotes) or [] for name in separators}
    lacking = {name: [one for one in columns.needed if one not in cells] for name, cells in found.items()}
    separator = min(separators, key=lambda name: (len(lacking[name]), -len(found[name])))
    names = found[separator]
    if lacking[separator]:
        near = [
            f"perhaps {' or '.join(near_names(one, names))}" for one in lacking[separator] if near_names(one, names)
        ]
        words = f"the first line has no column {', no column '.join(lacking[separator])}, separated by {separator}s"
        has = f"the columns {', '.join(columns.needed)}; it has {', '.join(names) or 'none'}"
        raise MalformedLine(path, 1, words, "; ".join([has, *near]))
    for name in columns.needed:
        if names.count(name) > 1:
            raise MalformedLine(path, 1, f"the first line has the column {name} twice", "each column once")
    return names, separator


def _cells(
    path: Path, lines: Sequence[tuple[int, bytes]], separator: str, reading: PairReading
) -> tuple[list[str], int]:
    """Returns the cells of the row that starts with the first of some lines, and how many of them are its."""
    text, first = "", lines[0][0]
    for n_lines, (line, content) in enumerate(lines, start=1):
        try:
            text += text_of(path, line, content)
        except MalformedLine as place:
            raise _UnreadableLine(place if n_lines == 1 else _open(path, first, reading.key)) from None
        cells = _cut(text, SEPARATORS[separator], reading.columns.quotes)
        if cells is not None:
            return cells, n_lines
        if '"' not in text:
            break
        text += "\n"
    raise _UnreadableLine(_open(path, first, reading.key))


def _open(path: Path, line: int, key: str) -> MalformedLine:
    found = "a quotation mark is not closed, or stands inside a quoted cell"
    return MalformedLine(path, line, found, f"quoted cells whose own quotation marks are doubled, or {key}.quotes=none")


def _cut(text: str, separator: str, quotes: str) -> list[str] | None:
    """Cuts a row into cells; None where a quotation mark is not closed or comes inside a quoted cell."""
    if quotes == "none" or '"' not in text:  # csv refuses cells of more than 131,072 characters
        return text.split(separator)
    try:
        rows = list(csv.reader([f"{text}\n"], delimiter=separator, strict=True))
    except csv.Error:
        return None
    return rows[0] if len(rows) == 1 else []


def _check_number(path: Path, line: int, cells: Sequence[str], names: Sequence[str], separator: str) -> None:
    expected = f"{len(names)} columns, separated by {separator}s"
    if not cells or list(cells) == [""]:
        raise MalformedLine(path, line, "the line is empty", expected)
    if len(cells) != len(names):
        raise MalformedLine(path, line, f"the row has {plural(len(cells), 'column')}", expected)
