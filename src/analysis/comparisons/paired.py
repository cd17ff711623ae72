"""Shared by all comparisons of paired scores: Holm's correction, the report of several runs, cells and notes."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from src.analysis.output.csv_files import write_records
from src.analysis.output.tables import Table, marks, notes_on_marks, show
from src.analysis.results.run_references import split_reference
from src.analysis.statistics.significance import SIGNIFICANT, holm, written_p
from src.display.shown import say
from src.errors import BadValue
from src.formats.files import file_names
from src.runs.directory import RunDirectory
from src.runs.results import FEW_ITEMS

LONGEST_NAME = 200  # bytes
AGAINST = "-against-"
HOLM_NOTE = f"Holm: p corrected over all rows of the comparison; + and - where it is below {SIGNIFICANT}."
Row = TypeVar("Row")  # a data class with n, has_one_seed, difference, interval_low, interval_high, p and p_holm


def check_not_itself(references: Sequence[str], name: str, sides: Iterable[tuple[RunDirectory, Sequence[str]]]) -> None:
    """Checks that no run is compared with itself, from which nothing could be learnt.

    Args:
        references: as typed, for the message.
        name: of the first run, for the message.
        sides: each run with those of its layers or models that are meant, the first one first.

    Raises:
        BadValue: one of the others is the first.
    """
    first, *others = [(run.path.resolve(), set(parts)) for run, parts in sides]
    if first in others:
        raise BadValue("compare", references, f"a list of runs that differ from the first, {name}")


def corrected(rows: Sequence[Row]) -> list[Row]:
    """Corrects the p-values of rows for multiple testing (Holm); a row whose p is NaN stays as it is."""
    return [replace(row, p_holm=p) for row, p in zip(rows, holm([row.p for row in rows]), strict=True)]


def report_corrected(
    work: Path,
    references: Sequence[str],
    groups: Sequence[Sequence[Any]],
    table: Callable[[Sequence[Any], int], Table],
) -> Path:
    """Corrects the p-values of all groups together, prints a table of each, and writes `<work>/comparisons/*.csv`.

    Args:
        work: the work folder.
        references: the first run, then those that it is compared with: they name the file.
        groups: the rows of each of the others.
        table: builds the table of the corrected rows of a group, and of its place.
    """
    rows = corrected([row for group in groups for row in group])
    path = write_records(Path(work) / "comparisons" / f"{comparison_name(references[::-1], AGAINST)}.csv", rows)
    left = iter(rows)
    for place, group in enumerate(groups):
        show(table([next(left) for _ in group], place))
    say(f"{len(rows)} rows in {path}")
    return path


def comparison_name(references: Sequence[str], between: str) -> str:
    """Names a file by the runs that it is about, shortened to a digest where file systems would refuse it."""
    parts = [split_reference(reference) for reference in references]
    names = [Path(run).name + (f":{part}" if part else "") for run, part in parts]
    return file_names.file_name(between.join(names).replace("/", "_").replace(":", "_"), LONGEST_NAME)


def marked_n(row: Row) -> str:
    """Writes how many items a row rests on, with its marks."""
    return f"{row.n}{marks(row.n < FEW_ITEMS, row.has_one_seed)}"


def notes_on_marked(rows: Sequence[Row], items: str) -> list[str]:
    """Explains the marks that rows have; `items` is what they rest on, such as "test items"."""
    has_few = any(row.n < FEW_ITEMS for row in rows)
    return notes_on_marks(items if has_few else None, any(row.has_one_seed for row in rows))


def difference_cells(row: Row) -> list[str]:
    """Writes the difference of a row and its interval; "-" where there is none."""
    if np.isnan(row.p):
        return ["-", "-"]
    has_interval = not np.isnan(row.interval_low)
    interval = f"{signed(row.interval_low)} to {signed(row.interval_high)}" if has_interval else "-"
    return [signed(row.difference), interval]


def p_cells(row: Row) -> list[str]:
    """Writes the p-value of a row, the corrected one, and the sign of the difference where that is significant."""
    if np.isnan(row.p):
        return ["-", "-", ""]
    sign = "+" if row.difference > 0 else "-"
    return [written_p(row.p), written_p(row.p_holm), sign if row.p_holm < SIGNIFICANT else ""]


def signed(fraction: float) -> str:
    """Writes a difference in percent points with its sign."""
    return f"{round(100 * fraction, 1) + 0.0:+.1f}"  # no -0.0


def notes_on_left_out(first: Iterable[str], second: Iterable[str]) -> list[str]:
    """Names the tests that only one of two runs has; nothing where both have the same."""
    alone = sorted(set(first) ^ set(second))
    return [f"In one of the runs alone, hence left out: {', '.join(alone)}."] if alone else []
