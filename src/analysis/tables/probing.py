"""Formats probing results as tables: accuracies with their baselines, scores of layers, coverage."""

import math
from collections.abc import Iterable, Sequence

from rich.text import Text

from src.analysis.output.marks import BELOW, marks, notes_on_marks
from src.analysis.output.terminal_tables import BEST, Cell, FoldedTable, TitledTable
from src.analysis.results.probing_grid import Grid, Test, grid_of
from src.analysis.results.rows import (
    Row,
    distinct,
    joined,
    percent,
    rests_on_few_items,
    rests_on_one_seed,
    said_of_one,
    value_of,
    without_marks,
)
from src.runs.results import FEW_ITEMS
from src.splits import SPLITS

BASELINES = {"majority": "majority", "memoriser": "memoriser", "length": "length"}
OF_THE_ITEMS = {"leakage": "leakage", "oov": "OOV"}
# What belongs to a layer: columns before and after a single accuracy, tables of their own for several.
COMPARED = {"random": "random encoder", "control": "control task"}
FURTHER = {
    "selectivity": "selectivity",
    "macro_f1": "macro-F1",
    "codelength": "codelength (bits)",
    "compression": "compression",
}
TABLES = {
    "macro_f1": "Macro-F1 (%)",
    "random": "Accuracy with an encoder of fresh weights (%)",
    "control": "Accuracy on the control task (%)",
    "selectivity": "Selectivity: accuracy less that on the control task (%)",
    "codelength": "Codelength of the labels by online coding (bits)",
    "compression": "Compression: uniform code over codelength",
}
SAID = ("lang", "suite", "encoder", "probe")
ROUNDING = 1e-9
BESIDE_FIRST = "beside_first"  # of rows beside those of another run: "+" or "-" where they differ significantly


def probing_tables(rows: Sequence[Row]) -> list[TitledTable]:
    """Formats all results of a probing run.

    Args:
        rows: of one probing run, of a training run that probes its epochs, or of several probing runs.
    """
    grid = grid_of(rows)
    several = [_table_of(grid, name, title) for name, title in TABLES.items() if grid.has(name)]
    return [probing_table(rows), *(several if len(grid.columns) > 1 else []), *coverage_tables(rows)]


def probing_table(rows: Sequence[Row]) -> TitledTable:
    """Formats probing accuracies in percent: a line per test, a column per run, layer and epoch, the best marked.

    Baselines have columns where the rows have them; what depends on the layer only where there is a single layer.
    """
    grid = grid_of(rows)
    single = len(grid.columns) == 1
    before = _present(grid, {**BASELINES, **(COMPARED if single else {})})
    after = _present(grid, {**(FURTHER if single else {}), **OF_THE_ITEMS})
    table = FoldedTable("test", ["n", *before.values(), *grid.headers(), *after.values()])
    marks_seeds = not all(rests_on_one_seed(row) for row in grid.rows)
    for name, test in zip(grid.test_names(), grid.tests, strict=True):
        first = grid.first(test)
        left, right = ([in_table(column, first.get(column)) for column in columns] for columns in (before, after))
        table.rows.append([name, str(first["n"]), *left, *_accuracies(grid, test, marks_seeds), *right])
    layer = f", layer {_place(grid.rows[0])}" if single else ""
    title = f"Probing accuracy (%): {said_of_one(grid.rows, *SAID)}{layer}"
    return TitledTable(title, table, [*_notes(grid, marks_seeds), *_failures(rows)])


def coverage_tables(rows: Iterable[Row]) -> list[TitledTable]:
    """Formats the share of word occurrences that the encoder's vocabulary lacks, by split; none without such rows."""
    rows = [row for row in rows if row["stage"] == "coverage"]
    table = FoldedTable("test", [header for split in SPLITS for header in (split, "of words")])
    for (test,) in distinct(rows, "test"):
        by_split = {row["split"]: row for row in rows if row["test"] == test}
        found = [by_split.get(split, {}) for split in SPLITS]
        cells = [cell for row in found for cell in (percent(row.get("value")), str(row.get("n", "-")))]
        table.rows.append([test, *cells])
    title = f"Words unknown to the encoder (OOV, %): {joined(rows, 'lang')}, {joined(rows, 'encoder')}"
    return [TitledTable(title, table, ["Occurrences are counted; a pair counts two."])] if rows else []


def best_places(values: Sequence[float], lowest: bool = False) -> list[int]:
    """Returns the places of the best of several values, all of equals; none where fewer than two are numbers."""
    known = [value for value in values if not math.isnan(value)]
    if len(known) < 2:
        return []
    best = min(known) if lowest else max(known)
    return [place for place, value in enumerate(values) if abs(value - best) <= ROUNDING]


def in_table(name: str, value: float | None) -> str:
    """Writes a value of a row's column: bits as a whole number, compression as a factor, all else in percent."""
    if value is None or math.isnan(value):
        return "-"
    if name in ("codelength", "compression"):
        return f"{value:.0f}" if name == "codelength" else f"{value:.2f}"
    return percent(value)


def _present(grid: Grid, columns: dict[str, str]) -> dict[str, str]:
    return {name: header for name, header in columns.items() if grid.has(name)}


def _accuracies(grid: Grid, test: Test, marks_seeds: bool) -> list[Cell]:
    rows = grid.of_test(test)
    best = best_places([math.nan if row is None else value_of(row) for row in rows])
    return [marked(_accuracy(row, marks_seeds), place in best) for place, row in enumerate(rows)]


def marked(cell: str, is_best: bool) -> Cell:
    """Marks the best of a row, bold on a terminal, by a character in files."""
    return Text(BEST + cell, style="bold") if is_best else cell


def _accuracy(row: Row | None, marks_seeds: bool) -> str:
    if row is None:
        return "-"
    below = BELOW if _beaten_by(row) else ""
    found = below + marks(rests_on_few_items(row), marks_seeds and rests_on_one_seed(row))
    found += row.get(BESIDE_FIRST, "")
    low, high = row.get("interval_low"), row.get("interval_high")
    half = "" if low is None or high is None else f" ±{percent((high - low) / 2)}"
    return f"{percent(row['value'])}{found}{half}"


def _beaten_by(row: Row) -> list[str]:
    """Returns the baselines of a row that are above its score."""
    values = {header: row.get(name) for name, header in BASELINES.items()}
    return [header for header, value in values.items() if value is not None and value > value_of(row) + ROUNDING]


def _table_of(grid: Grid, name: str, title: str) -> TitledTable:
    table = FoldedTable("test", grid.headers())
    lowest, has_best = name == "codelength", name not in COMPARED
    for test, values in zip(grid.test_names(), grid.values(name), strict=True):
        best = best_places(values, lowest) if has_best else []
        table.rows.append([test, *(marked(in_table(name, value), place in best) for place, value in enumerate(values))])
    return TitledTable(title, table)


def _notes(grid: Grid, marks_seeds: bool) -> list[str]:
    rows, lines = grid.rows, []
    if len(grid.columns) > 1:
        lines.append(f"{BEST} best of its line, by the score on test items.")
    if any(row.get("interval_low") is not None for row in rows):
        lines.append("±: half the 95 % bootstrap interval over test items.")
    beaten_by = {header for row in rows if row["value"] is not None for header in _beaten_by(row)}
    if beaten_by:
        lines.append(f"{BELOW} below {' or '.join(header for header in BASELINES.values() if header in beaten_by)}.")
    has_one_seed = any(map(rests_on_one_seed, rows))
    lines += notes_on_marks("test items" if any(map(rests_on_few_items, rows)) else None, marks_seeds and has_one_seed)
    lines += ["Every value rests on one seed."] if has_one_seed and not marks_seeds else []
    return [*lines, *_notes_of_tests(grid)]


def _notes_of_tests(grid: Grid) -> list[str]:
    """Returns what the rows' notes say beyond the marks, once for all tests of which they say the same."""
    tests: dict[str, list[str]] = {}
    for name, test in zip(grid.test_names(), grid.tests, strict=True):
        for note in dict.fromkeys(filter(None, (_own_note(row) for row in grid.of_test(test) if row is not None))):
            tests.setdefault(note, []).append(name)
    return [f"{', '.join(names)}: {note}." for note, names in tests.items()]


def _own_note(row: Row) -> str:
    said_by_marks = ("one seed", f"fewer than {FEW_ITEMS} items")
    return "" if row["value"] is None else without_marks(row.get("note"), *said_by_marks)


def _failures(rows: Iterable[Row]) -> list[str]:
    failed = [row for row in rows if row["stage"] == "probing" and row["value"] is None]
    return [
        f"{row['test']}, {_place(row)}, seed {row.get('seed')} {row.get('note', 'has no result')}." for row in failed
    ]


def _place(row: Row) -> str:
    layer = row.get("layer") or "accuracy"
    return layer if row.get("epoch") is None else f"{layer}, epoch {row['epoch']}"
