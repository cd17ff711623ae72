"""Shows published numbers with ours beside.

Of a work folder whole tables, in their own layout: `analyze.py published=…`; of a run, at its end, what papers print of
its numbers.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Self

from polyprobe.analysis.output.tables import Printable, Table, csv_line, files_line, write_file, write_tables
from polyprobe.analysis.published.experiment_settings import command_of
from polyprobe.analysis.published.filled_cells import FilledCell, FinishedRun, State, filled_cells
from polyprobe.analysis.published.published_cells import PAPERS, PublishedCell, published_cells
from polyprobe.analysis.results.collection import results_files
from polyprobe.errors import BadValue, PolyprobeError, check_choice
from polyprobe.runs.workspace import RUNS

MARKS: Mapping[State, str] = MappingProxyType(
    {
        State.EQUAL: "=",
        State.NEAR: "≈",
        State.UNDECIDED: "?",
        State.OUTSIDE: "≠",
        State.ELSEWHERE: "†",
        State.NOT_RUN: "",
        State.PRINTED: "→",
        State.CANNOT: "×",
    }
)
LEGEND = (
    "published, then ours: = equal as printed, ≈ within tolerance, ? inconclusive: a constant answer is within the "
    "tolerance, too, ≠ outside, † other data or settings (or data not known to be the paper's; vectors and models: by "
    "their sizes alone); no mark: not run; → printed by a command that writes no result row, "
    "× not reproducible"
)
SHOWN = 5  # commands and reasons below a table; all of them are in the CSV file of the cells
CELL_COLUMNS = (
    *("paper", "table", "row", "column", "state", "published", "ours", "difference", "tolerance", "unit", "why"),
    *("elsewhere", "runs", "other_runs", "command", "cannot", "note"),
)
ALL = "all"
FOLDER = "published"  # of the work folder
SHOWN_OF_RUN = 40  # lines; a work folder's tables: analyze.py published=…


class NumberCell(str):
    """A cell of a published number, and what fills it."""

    filled: FilledCell | None = None

    @classmethod
    def of(cls, one: FilledCell) -> Self:
        """Returns the cell as tables show it."""
        cell = cls(cell_text(one))
        cell.filled = one
        return cell


def paper_tables(filled: Sequence[FilledCell]) -> list[Table]:
    """Makes a table for each table of the paper that the cells are of, in the order of its file."""
    names = list(dict.fromkeys(one.cell.table for one in filled))
    return [_paper_table([one for one in filled if one.cell.table == name]) for name in names]


def cell_text(one: FilledCell) -> str:
    """Writes a published number with ours and its mark: "91.82 90.77 ≈"."""
    if one.found is None:
        return " ".join(part for part in (one.cell.text, MARKS[one.state]) if part)
    return f"{one.cell.text} {written(one.cell, one.found)} {MARKS[one.state]}"


def written(cell: PublishedCell, number: float) -> str:
    """Writes a number with the decimals of a printed one."""
    return f"{number:.{cell.decimals}f}"


def state_counts(filled: Iterable[FilledCell]) -> dict[State, int]:
    """Counts the cells in each state."""
    states = [one.state for one in filled]
    return {state: states.count(state) for state in State}


def totals_table(papers: Mapping[str, Sequence[FilledCell]]) -> Table:
    """Makes the table of papers by states of their cells."""
    table = Table(["paper"], [*(state.value for state in State), "all"])
    for paper, filled in papers.items():
        counts = state_counts(filled)
        table.add_row(PAPERS[paper], *map(str, counts.values()), str(len(filled)))
    return table.titled("Published numbers and ours", [LEGEND])


def cells_csv(filled: Iterable[FilledCell]) -> str:
    """Writes a line for each published number, with what fills it."""
    lines = [
        [
            *(one.cell.paper, one.cell.table, one.cell.row, one.cell.column, one.state.value, one.cell.text),
            "" if one.found is None else written(one.cell, one.found),
            "" if one.difference is None else f"{one.difference:+z.4g}",
            "" if one.cell.tolerance is None else f"{one.cell.tolerance:g}",
            *(one.cell.unit, one.cell.why, "; ".join(one.elsewhere), " ".join(one.runs), "; ".join(_others(one))),
            *(command_of(one.cell) or one.cell.printed_by, one.cell.cannot, one.cell.note),
        ]
        for one in filled
    ]
    return "".join(map(csv_line, (CELL_COLUMNS, *lines)))


def published_numbers(work: Path, asked: object) -> Iterator[Printable]:
    """Makes the tables of papers with our numbers beside, and writes them as CSV, Markdown and LaTeX.

    Args:
        asked: one of `PAPERS`, a list of some, or "all".

    Raises:
        BadValue: no paper is named.
        UnknownChoice: it is none of these.
    """
    named = asked if isinstance(asked, list) else [asked]
    if not named or named == [""]:
        raise BadValue("published", [], f"one of {', '.join([*PAPERS, ALL])}, or a list of such")
    for paper in named:
        check_choice("published", paper, [*PAPERS, ALL])
    runs, left_out = _sound_runs(work)
    yield from left_out
    if not runs:
        yield f"No finished run below {work / RUNS}: these are the published numbers alone."
    papers = {one: filled_cells(published_cells(one), runs) for one in PAPERS if {one, ALL} & {*named}}
    for one, filled in papers.items():
        stem, tables = work / FOLDER / one, paper_tables(filled)
        yield from tables
        yield files_line(write_tables(stem, tables))
        yield files_line([write_file(stem.with_name(f"{stem.name}_cells.csv"), cells_csv(filled))])
    yield totals_table(papers)


def published_of_runs(runs: Collection[FinishedRun]) -> Iterator[Printable]:
    """Tells the published numbers that runs have, with theirs beside; nothing where there are none."""
    cells = [cell for paper in PAPERS for cell in published_cells(paper)]
    filled = [one for one in filled_cells(cells, runs) if one.found is not None]
    if not filled:
        return
    yield _table_of_run(filled)
    compared = [one for one in filled if one.state not in (State.ELSEWHERE, State.UNDECIDED)]
    if compared:
        near = sum(one.state is not State.OUTSIDE for one in compared)
        yield f"{near} of {len(compared)} published numbers are reproduced."


def _paper_table(filled: Sequence[FilledCell]) -> Table:
    cell = filled[0].cell
    columns = list(dict.fromkeys(one.cell.column for one in filled))
    lines: dict[str, dict[str, str]] = {}
    for one in filled:
        lines.setdefault(one.cell.row, {})[one.cell.column] = NumberCell.of(one)
    rows = [[row, *(texts.get(column, "-") for column in columns)] for row, texts in lines.items()]
    units = "; ".join(dict.fromkeys(one.cell.unit for one in filled))
    counts = ", ".join(f"{n} {state.value}" for state, n in state_counts(filled).items() if n)
    title = f"{cell.table_name} ({units}), {PAPERS[cell.paper]}"
    return Table([""], columns, rows, folds=True).titled(title, [f"{counts}.", *_notes(filled)])


def _notes(filled: Sequence[FilledCell]) -> list[str]:
    """Says what a table lacks: data and settings of other runs, commands for what is not run, why others cannot be."""
    missing = [one for one in filled if one.state is State.NOT_RUN]
    return [
        *_first("Other data or settings", [", ".join(one.elsewhere) for one in filled if one.elsewhere]),
        *_first("Further runs", [f"{one.cell.place}: {other}" for one in filled for other in _others(one)]),
        *_first("To reproduce", [command for one in missing if (command := command_of(one.cell))]),
        *_first("No command yet", [one.cell.place for one in missing if command_of(one.cell) is None]),
        *_first("Printed by", [one.cell.printed_by for one in filled if one.cell.printed_by]),
        *_first("Not reproducible", [one.cell.cannot for one in filled if one.cell.cannot]),
    ]


def _others(one: FilledCell) -> list[str]:
    """Writes what further runs have of a number: "48.1 † fasttext-fi-s1"."""
    return [
        f"{written(one.cell, other.found)} {MARKS[other.state]} {' '.join(other.runs)}"
        for other in one.others
        if other.found is not None
    ]


def _first(what: str, texts: Iterable[str]) -> list[str]:
    texts = list(dict.fromkeys(texts))
    more = [f"{what}: {len(texts) - SHOWN} more, see the file *_cells.csv"] if len(texts) > SHOWN else []
    return [*(f"{what}: {text}" for text in texts[:SHOWN]), *more]


def _sound_runs(work: Path) -> tuple[list[FinishedRun], list[str]]:
    """Reads the finished runs of a work folder, each once, and says which are left out, and why."""
    runs: dict[str, FinishedRun] = {}
    left_out = []
    for file in results_files(work):
        try:
            run = FinishedRun.read(file.parent)
        except (PolyprobeError, OSError) as error:
            left_out.append(f"Skipped: {error}")
            continue
        name = run.rows[0].get("run", run.name) if run.rows else run.name
        if name in runs:
            left_out.append(f"Skipped: {file.parent} is a copy of the run {name}.")
        runs.setdefault(name, run)
    return list(runs.values()), left_out


def _table_of_run(filled: Sequence[FilledCell]) -> Table:
    table = Table(["published by", "where"], ["published", "tolerance", "found", "difference", ""])
    for one in filled[:SHOWN_OF_RUN]:
        cell, found, difference = one.cell, one.found, one.difference
        assert found is not None
        assert difference is not None
        tolerance = "-" if cell.tolerance is None else f"±{cell.tolerance:g}"
        numbers = [cell.text, tolerance, written(cell, found), f"{difference:+z.{cell.decimals}f}"]
        table.add_row(PAPERS[cell.paper], cell.place, *numbers, MARKS[one.state])
    others = dict.fromkeys(", ".join(one.elsewhere) for one in filled if one.elsewhere)
    more = [f"{len(filled) - SHOWN_OF_RUN} more: analyze.py published=all"] if len(filled) > SHOWN_OF_RUN else []
    reasons = dict.fromkeys(f"Tolerance: {one.cell.why}" for one in filled if one.cell.why)
    marks = ["= equal as printed, ≈ within tolerance, ? so is a constant answer, ≠ outside, † other data or settings"]
    return table.titled("Published", [*more, *marks, *(f"† {one}" for one in others), *reasons])
