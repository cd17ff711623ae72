"""CSV files, whole or not at all."""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from src.formats.atomic import write_text


def write_table(path: Path, header: Sequence[str], rows: Iterable[Sequence]) -> Path:
    """Writes a header and rows, makes the folder if it is new, and gives the path."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return write_file(path, text.getvalue())


def write_records(path: Path, records: Sequence[Any]) -> Path:
    """Writes one or more data classes of one kind, a row each, a column for every field; not a number is left empty."""
    rows = [[_cell(value) for value in asdict(record).values()] for record in records]
    return write_table(path, list(asdict(records[0])), rows)


def write_file(path: Path, text: str) -> Path:
    """Writes a text file into a folder that may be new, and gives its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, text)
    return path


def _cell(value: Any) -> Any:
    return "" if value != value else value
