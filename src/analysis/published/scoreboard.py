"""Published tables in their own layout with our numbers beside, and how many of them are true."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from src.analysis.output.csv_files import csv_line
from src.analysis.output.terminal_tables import FoldedTable, TitledTable, new_table
from src.analysis.published.filled_cells import FilledCell, State
from src.analysis.published.published_cells import PAPERS, PublishedCell
from src.analysis.published.study_commands import command_of

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
    "published, then ours: = equal as printed, ≈ within tolerance, ? inconclusive: a constant answer lies within the "
    "tolerance, too, ≠ outside, † run on other data, data that are not known to be the paper's (vectors and models: by "
    "their sizes alone), or with other settings; alone: not run, → printed by a command that leaves no result row, "
    "× cannot be"
)
SHOWN = 5  # commands and reasons below a table; all of them are in the CSV file of the cells
CELL_COLUMNS = (
    *("paper", "table", "row", "column", "state", "published", "ours", "difference", "tolerance", "unit", "why"),
    *("elsewhere", "runs", "other_runs", "command", "cannot", "note"),
)


def paper_tables(filled: Sequence[FilledCell]) -> list[TitledTable]:
    """Makes a table for each table of the paper, in the order of its file.

    Args:
        filled: of one paper.
    """
    names = list(dict.fromkeys(one.cell.table for one in filled))
    return [_paper_table([one for one in filled if one.cell.table == name]) for name in names]


def _paper_table(filled: Sequence[FilledCell]) -> TitledTable:
    cell = filled[0].cell
    columns = list(dict.fromkeys(one.cell.column for one in filled))
    lines: dict[str, dict[str, str]] = {}
    for one in filled:
        lines.setdefault(one.cell.row, {})[one.cell.column] = cell_text(one)
    rows = [[row, *(texts.get(column, "-") for column in columns)] for row, texts in lines.items()]
    units = "; ".join(dict.fromkeys(one.cell.unit for one in filled))
    title = f"{cell.table_name} ({units}), {PAPERS[cell.paper]}"
    return TitledTable(title, FoldedTable("", columns, rows), [_counts_in_words(filled), *_notes(filled)])


def cell_text(one: FilledCell) -> str:
    """Writes a published number with ours and its mark: "91.82 90.77 ≈"."""
    if one.found is None:
        return " ".join(part for part in (one.cell.text, MARKS[one.state]) if part)
    return f"{one.cell.text} {written(one.cell, one.found)} {MARKS[one.state]}"


def written(cell: PublishedCell, number: float) -> str:
    """Writes a number with the decimals of a printed one."""
    return f"{number:.{cell.decimals}f}"


def _counts_in_words(filled: Iterable[FilledCell]) -> str:
    counts = state_counts(filled)
    return ", ".join(f"{n} {state.value}" for state, n in counts.items() if n) + "."


def _notes(filled: Sequence[FilledCell]) -> list[str]:
    """Says what a table lacks: data and settings of other runs, commands for what is not run, why others cannot be."""
    missing = [one for one in filled if one.state is State.NOT_RUN]
    return [
        *_first("Other data or settings", [", ".join(one.elsewhere) for one in filled if one.elsewhere]),
        *_first("Further runs", [f"{one.cell.place}: {other}" for one in filled for other in _others(one)]),
        *_first("Fills it", [command for one in missing if (command := command_of(one.cell))]),
        *_first("No command yet", [one.cell.place for one in missing if command_of(one.cell) is None]),
        *_first("Prints it", [one.cell.printed_by for one in filled if one.cell.printed_by]),
        *_first("Cannot be", [one.cell.cannot for one in filled if one.cell.cannot]),
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


def state_counts(filled: Iterable[FilledCell]) -> dict[State, int]:
    """Counts the cells in each state."""
    states = [one.state for one in filled]
    return {state: states.count(state) for state in State}


def totals_table(papers: Mapping[str, Sequence[FilledCell]]) -> TitledTable:
    """Makes the table of papers by states.

    Args:
        papers: the cells of each, by its name in `PAPERS`.
    """
    table = new_table(["paper"], [*(state.value for state in State), "all"])
    for paper, filled in papers.items():
        counts = state_counts(filled)
        table.add_row(PAPERS[paper], *map(str, counts.values()), str(len(filled)))
    return TitledTable("Published numbers and ours", table, [LEGEND])


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
