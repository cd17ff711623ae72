"""metrics.csv: the metrics after each epoch of training, a line for each, epoch 0 (before training) first."""

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from polyprobe.formats.files.atomic import write_text


def write_metrics(path: Path, rows: Sequence[Mapping[str, float]]) -> None:
    """Writes the metrics of every epoch, whole or not at all; a metric that an epoch lacks is an empty cell.

    Args:
        rows: the metrics of each epoch by their names, and its number as "epoch".
    """
    columns = list(dict.fromkeys(key for row in rows for key in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows({**row, "epoch": int(row["epoch"])} for row in rows)
    write_text(path, text.getvalue())


def read_metrics(path: Path) -> dict[int, dict[str, str]]:
    """Reads the cells of each epoch by the names of their metrics.

    Raises:
        OSError: the file cannot be opened.
        KeyError, TypeError, ValueError, csv.Error: it is not what `write_metrics` wrote.
    """
    with open(path, encoding="utf-8", newline="") as file:
        return {int(row["epoch"]): row for row in csv.DictReader(file)}
