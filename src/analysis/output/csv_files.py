"""Writes CSV files atomically, and reads the numbers of a user's tables."""

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from src.display.shown import cell_of, shown
from src.errors import MalformedLine
from src.formats.files.atomic import write_text


def write_table(path: Path, header: Sequence[str], rows: Iterable[Sequence]) -> Path:
    """Writes a header and rows, makes the folder if it is new, returns the path; no text is a formula (`cell_of`)."""
    return write_file(path, "".join(map(csv_line, (header, *rows))))


def csv_line(row: Iterable[Any]) -> str:
    """Returns a row of a CSV file with its line feed."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow(map(cell_of, row))  # with these a lone return is quoted, too
    return text.getvalue().removesuffix("\r\n") + "\n"


def shown_cells(row: Iterable[Any]) -> list[Any]:
    """Returns cells of a table that people look at on a terminal, too: text in them steers none (`shown`)."""
    return [shown(cell) if isinstance(cell, str) else cell for cell in row]


def write_records(path: Path, records: Sequence[Any]) -> Path:
    """Writes one or more data classes of one kind, a row each, a column for every field; NaN is left empty."""
    names = [field.name for field in fields(records[0])]
    rows = ([empty_where_none(getattr(record, name)) for name in names] for record in records)
    return write_table(path, names, rows)


def write_file(path: Path, text: str) -> Path:
    """Writes a text file into a folder that may be new, and returns its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, text)
    return path


def number_of(path: Path, line: int, name: str, cell: str, expected: str) -> float:
    """Reads the number in a cell of a user's table.

    Args:
        path, line: where it stands.
        name: what it is, such as "the complexity".
        cell: its text.
        expected: what the message asks for.

    Raises:
        MalformedLine: it is not a finite number.
    """
    try:
        number = float(cell)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise MalformedLine(path, line, f'{name} is "{cell}"', expected)
    return number


def empty_where_none(value: Any) -> Any:
    """Returns what a cell of a CSV file holds: nothing for None and NaN."""
    return "" if value is None or value != value else value
