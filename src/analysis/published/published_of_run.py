"""What papers print of the numbers of a run, shown at its end without being asked."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from src.analysis.output.terminal_tables import TitledTable, new_table, show
from src.analysis.published.filled_cells import FilledCell, FinishedRun, State, filled_cells
from src.analysis.published.published_cells import PAPERS, published_cells
from src.analysis.published.scoreboard import MARKS, written
from src.display.shown import say

SHOWN = 40  # lines; a work folder's tables: analyze.py published=…


def report_published(folders: Iterable[Path]) -> None:
    """Prints the published numbers that runs have, with theirs beside; nothing where there are none.

    Raises:
        PolyprobeError: a file of a run is damaged.
    """
    runs = [FinishedRun.read(folder) for folder in folders]
    cells = [cell for paper in PAPERS for cell in published_cells(paper)]
    filled = [one for one in filled_cells(cells, runs) if one.found is not None]
    if not filled:
        return
    show(_table(filled))
    compared = [one for one in filled if one.state not in (State.ELSEWHERE, State.UNDECIDED)]
    if compared:
        near = sum(one.state is not State.OUTSIDE for one in compared)
        say(f"{near} of {len(compared)} published numbers are met.")


def _table(filled: Sequence[FilledCell]) -> TitledTable:
    table = new_table(["published by", "where"], ["published", "tolerance", "found", "difference", ""])
    for one in filled[:SHOWN]:
        cell, found, difference = one.cell, one.found, one.difference
        assert found is not None
        assert difference is not None
        tolerance = "-" if cell.tolerance is None else f"±{cell.tolerance:g}"
        numbers = [cell.text, tolerance, written(cell, found), f"{difference:+z.{cell.decimals}f}"]
        table.add_row(PAPERS[cell.paper], cell.place, *numbers, MARKS[one.state])
    others = dict.fromkeys(", ".join(one.elsewhere) for one in filled if one.elsewhere)
    more = [f"{len(filled) - SHOWN} more: analyze.py published=all"] if len(filled) > SHOWN else []
    reasons = dict.fromkeys(f"Tolerance: {one.cell.why}" for one in filled if one.cell.why)
    marks = ["= equal as printed, ≈ within tolerance, ? so is a constant answer, ≠ outside, † other data or settings"]
    return TitledTable("Published", table, [*more, *marks, *(f"† {one}" for one in others), *reasons])
