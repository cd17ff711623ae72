"""Formats scores on minimal sets as tables: constructions by languages, models or epochs."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from src.analysis.output.marks import marks, notes_on_marks
from src.analysis.output.terminal_tables import BEST, Cell, FoldedTable, TitledTable
from src.analysis.results.minimal_set_grid import CONSTRUCTION, Construction, MinimalSetGrid, minimal_set_grid
from src.analysis.results.minimal_set_rows import (
    ACCURACY,
    AVERAGE,
    METRICS,
    PREDICTION,
    group_rows,
    groupings,
    n_ties,
    single_predictions,
    worth_of_ties,
)
from src.analysis.results.rows import Row, joined, percent, said_of_one, value_of, without_marks
from src.analysis.tables.probing import best_places, marked
from src.runs.results import FEW_ITEMS

SAID = ("lang", "suite", "predictor")
MARGINS = {"margin": "margin (bits)", "median_margin": "median"}


def minimal_set_tables(rows: Sequence[Row]) -> list[TitledTable]:
    """Formats all scores of runs on minimal sets: of constructions, then of each way to group them.

    Args:
        rows: of one or more runs of minimal sets, or of a training run that scores them at each epoch.
    """
    of_groups = [minimal_set_grid(group_rows(rows, name), ACCURACY, name) for name in groupings(rows)]
    grid, has_items = minimal_set_grid(rows, ACCURACY), bool(single_predictions(rows))
    grids = [replace(one, has_items=has_items) for one in (grid, *of_groups) if one.rows]
    tables = [table for one in grids for table in _tables_of(one)]
    return tables + _predictions(grid)


def accuracy_in_words(row: Row | None, marks_seeds: bool) -> str:
    """Writes an accuracy in percent, its deviation over seeds and its interval: "79.3 ±1.2 (75.1 to 83.0)"."""
    if row is None:
        return "-"
    found = marks(0 < row["n"] < FEW_ITEMS, marks_seeds and model_has_one_seed(row))
    deviation = "" if row.get("sd") is None else f" ±{percent(row['sd'])}"
    low, high = row.get("interval_low"), row.get("interval_high")
    interval = "" if low is None or high is None else f" ({percent(low)} to {percent(high)})"
    return f"{percent(row['value'])}{found}{deviation}{interval}"


def model_has_one_seed(row: Row) -> bool:
    """Says whether a model that has a seed was scored with one alone."""
    return row.get("seed") is not None or row.get("n_seeds") == 1


def _tables_of(grid: MinimalSetGrid) -> list[TitledTable]:
    return [_table_of_one(grid)] if len(grid.columns) == 1 else [_table_of_several(grid), *_counts(grid)]


def _title(grid: MinimalSetGrid) -> str:
    by = "" if grid.unit == CONSTRUCTION else f" by {grid.unit}"
    return f"Accuracy in minimal sets{by} (%): {said_of_one(grid.rows, *SAID)}"


def _table_of_one(grid: MinimalSetGrid) -> TitledTable:
    """Formats one model: accuracy by every rule, margins, ties and skipped sets where there are any."""
    others = [minimal_set_grid(grid.all_rows, metric, grid.unit) for metric in METRICS if metric != grid.metric]
    others = [other for other in others if other.rows]
    margins = {name: header for name, header in MARGINS.items() if not np.isnan(grid.values(name)).all()}
    has_ties = any(n_ties(row, grid.all_rows) for row in grid.rows)
    has_skipped = any(row.get("skipped") for row in grid.rows)
    counts = {"ties": lambda row: n_ties(row, grid.all_rows)} if has_ties else {}
    counts |= {"skipped": lambda row: row.get("skipped")} if has_skipped else {}
    rules = [METRICS[other.metric] for other in others]
    table = FoldedTable(grid.unit, ["n", *grid.headers(), *rules, *margins.values(), *counts])
    for name, one in zip(grid.names(), grid.constructions, strict=True):
        (row,) = grid.of(one)
        cells = [accuracy_in_words(row, False), *(percent(_value(other, one)) for other in others)]
        cells += [_bits(row.get(margin)) for margin in margins]
        cells += [_count(counted(row)) for counted in counts.values()]
        table.rows.append([name, str(row["n"]), *cells])
    if len(grid.constructions) > 1 and grid.unit != AVERAGE:
        averages = [percent(float(other.averages()[0])) for other in others]
        blank = [""] * (len(margins) + len(counts))
        table.rows.append([AVERAGE, "", _average(grid, 0), *averages, *blank])
    return TitledTable(_title(grid), table, _notes(grid, False))


def _table_of_several(grid: MinimalSetGrid) -> TitledTable:
    """Formats constructions by columns; the best of a line is marked where all columns are of one language."""
    table = FoldedTable(grid.unit, ["n", *grid.headers()] if grid.is_of_one_language else grid.headers())
    marks_seeds = not all(map(model_has_one_seed, grid.rows)) and any(map(model_has_one_seed, grid.rows))
    lines = zip(grid.names(), grid.constructions, grid.values("value"), strict=True)
    for name, one, values in lines:
        cells = [accuracy_in_words(row, marks_seeds) for row in grid.of(one)]
        table.rows.append([name, *_n(grid, one), *(_with_best(grid, cells, values) if grid.is_alike(one) else cells)])
    if len(grid.common) > 1:
        cells = [_average(grid, place) for place in range(len(grid.columns))]
        n = [""] if grid.is_of_one_language else []
        table.rows.append([AVERAGE, *n, *_with_best(grid, cells, grid.averages())])
    return TitledTable(_title(grid), table, _notes(grid, marks_seeds))


def _counts(grid: MinimalSetGrid) -> list[TitledTable]:
    """Formats the counts of ties and skipped sets, each where there are any."""
    ties = [[None if row is None else n_ties(row, grid.all_rows) for row in grid.of(one)] for one in grid.constructions]
    skipped = [[None if row is None else row.get("skipped") for row in grid.of(one)] for one in grid.constructions]
    tables = []
    by = "" if grid.unit == CONSTRUCTION else f" by {grid.unit}"
    for title, counts in ((f"Ties{by} (sets)", ties), (f"Skipped{by} (sets)", skipped)):
        if any(count for line in counts for count in line):
            lines = [[name, *map(_count, line)] for name, line in zip(grid.names(), counts, strict=True)]
            tables.append(TitledTable(title, FoldedTable(grid.unit, grid.headers(), lines)))
    return tables


def _predictions(grid: MinimalSetGrid) -> list[TitledTable]:
    """Formats each prediction of the test suites that have several: an item is right by all of them together."""
    several = {test: metrics for test, metrics in single_predictions(grid.all_rows).items() if len(metrics) > 1}
    table = FoldedTable("construction", ["prediction", *grid.headers()])
    for metric in dict.fromkeys(metric for metrics in several.values() for metric in metrics):
        of_metric = minimal_set_grid(grid.all_rows, metric)
        for one in of_metric.constructions:
            if one[1] in several:
                cells = [accuracy_in_words(of_metric.cells.get((one, column)), False) for column in grid.columns]
                table.rows.append([one[1], metric.removeprefix(PREDICTION), *cells])
    table.rows.sort(key=lambda line: list(several).index(line[0]))
    return [TitledTable("Items of which a single prediction holds (%)", table)] if table.rows else []


def _with_best(grid: MinimalSetGrid, cells: Sequence[str], values: np.ndarray) -> list[Cell]:
    best = best_places(values.tolist()) if grid.is_of_one_language else []
    return [marked(cell, place in best) for place, cell in enumerate(cells)]


def _n(grid: MinimalSetGrid, construction: Construction) -> list[str]:
    """Returns the scored sets of a construction in one language, "120 to 140" where columns skip other ones."""
    if not grid.is_of_one_language:
        return []
    counts = sorted({row["n"] for row in grid.of(construction) if row is not None})
    return [f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"]


def _average(grid: MinimalSetGrid, place: int) -> str:
    """Writes the mean over the common constructions, and its deviation over seeds where the run has that."""
    average, whole = float(grid.averages()[place]), grid.whole(grid.columns[place])
    is_that_of_the_run = whole is not None and math.isclose(value_of(whole), average)
    deviation = whole.get("sd") if is_that_of_the_run else None
    return percent(average) + ("" if deviation is None else f" ±{percent(deviation)}")


def _notes(grid: MinimalSetGrid, marks_seeds: bool) -> list[str]:
    rows = grid.rows
    worth = worth_of_ties(grid.all_rows)
    lines = [
        "accuracy: items of which all predictions hold, of all scored items; a margin is the least of theirs."
        if grid.has_items
        else "accuracy: sets whose grammatical sentence scores higher than every variant, of all scored sets."
    ]
    lines += [f"{worth}."] if worth else []
    if any(row.get("interval_low") is not None for row in rows):
        lines.append(
            "( ): 95 % bootstrap interval over items."
            if grid.has_items
            else "( ): 95 % bootstrap interval over lemmas of the focus word; rather too narrow where these are few."
        )
    if any(row.get("sd") is not None for row in rows):
        n_seeds = sorted({row["n_seeds"] for row in rows if row.get("n_seeds", 0) > 1})
        lines.append(f"±: standard deviation over seeds ({' or '.join(map(str, n_seeds))}).")
    if len(grid.columns) > 1 and grid.is_of_one_language:
        lines.append(f"{BEST} best of its line.")
    if len(grid.common) > 1:
        lines_are = "constructions" if grid.unit == CONSTRUCTION else "groups"
        common = "that every column has" if len(grid.columns) > 1 else "with a scored set"
        common += "" if all(map(grid.is_alike, grid.constructions)) else " of the same constructions"
        lines.append(f"{AVERAGE}: unweighted mean over the {len(grid.common)} {lines_are} {common}.")
    has_one_seed = any(map(model_has_one_seed, rows))
    few = "sets" if any(0 < row["n"] < FEW_ITEMS for row in rows) else None
    lines += notes_on_marks(few, marks_seeds and has_one_seed)
    lines += ["Every value rests on one seed."] if has_one_seed and not marks_seeds else []
    for name, one in zip(grid.names(), grid.constructions, strict=True):
        if not grid.is_alike(one):
            lines.append(f"{name}: the columns have other constructions, so that none is best.")
    return [*lines, *_notes_of_rows(grid), *_notes_of_wholes(grid)]


def _notes_of_rows(grid: MinimalSetGrid) -> list[str]:
    """Returns what the rows' notes say beyond the marks, once for all constructions of which they say the same."""
    places: dict[tuple[str, str], list[str]] = {}
    for name, one in zip(grid.names(), grid.constructions, strict=True):
        notes = [(header, _own_note(row)) for header, row in zip(grid.headers(), grid.of(one), strict=True) if row]
        if len({note for _, note in notes}) == 1:
            notes = [("", notes[0][1])]
        for header, note in notes:
            places.setdefault((header.replace("\n", ", "), note), []).append(name)
    return [f"{', '.join(names)}{_in_brackets(header)}: {note}." for (header, note), names in places.items() if note]


def _in_brackets(header: str) -> str:
    return f" ({header})" if header else ""


def _own_note(row: Row) -> str:
    return without_marks(row.get("note"), "one seed", f"fewer than {FEW_ITEMS} sets")


def _notes_of_wholes(grid: MinimalSetGrid) -> list[str]:
    """Returns the remarks of a run on its average: what its predictor does with words, starts and ends."""
    places: dict[str, list[str]] = {}
    for header, column in zip(grid.headers(), grid.columns, strict=True):
        parts = (grid.whole(column) or {}).get("note", "").removesuffix(".").split("; ")
        note = "; ".join(part for part in parts if not part.startswith("mean over"))
        places.setdefault(note, []).append(header.replace("\n", ", "))
    if len(places) == 1:
        return [f"{joined(grid.rows, 'predictor')}: {note}." for note in places if note]
    return [f"{', '.join(headers)}: {note}." for note, headers in places.items() if note]


def _value(grid: MinimalSetGrid, construction: Construction) -> float | None:
    row = grid.of(construction)[0] if construction in grid.constructions else None
    return None if row is None else row["value"]


def _bits(value: float | None) -> str:
    return "-" if value is None or math.isnan(value) else f"{round(value, 2) + 0.0:.2f}"  # no -0.00


def _count(count: float | None) -> str:
    return "-" if count is None else f"{count:.1f}".removesuffix(".0")
