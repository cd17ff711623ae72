"""Formats scores on minimal sets as tables: constructions and groups of them by models, languages and epochs."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from polyprobe.analysis.output.tables import NOTHING, Table
from polyprobe.analysis.results.kinds import (
    AVERAGE,
    CONSTRUCTIONS,
    METRICS,
    groupings,
    groups_of,
    n_ties,
    share_unscored,
    worth_of_ties,
)
from polyprobe.analysis.results.result_grid import Grid, Line, grid_of
from polyprobe.analysis.results.rows import Row, joined, percent, value_of
from polyprobe.analysis.tables.score_tables import (
    by_note,
    n_of_first,
    notes_on_best,
    notes_on_intervals,
    notes_on_little,
    own_note,
    score_table,
    title_of,
    with_best,
)
from polyprobe.runs.metric_units import metric_in_words

MARGINS = {"margin": "margin (bits)", "median_margin": "median"}
OF_SETS = "accuracy: share of scored sets whose grammatical sentence scores higher than every variant."
RULES = {
    "focus": "critical region only",
    "per token": "log-probability divided by tokens",
    "per character": "by characters",
}
MEANINGS = {
    "OOV": "OOV: share of sets with an OOV critical word; where no other set is scored there is no score.",
    "unscored": "unscored: share of sets without a score.",
}


def minimal_set_tables(rows: Sequence[Row]) -> list[Table]:
    """Formats all scores on minimal sets: of constructions, then of each way to group them.

    Args:
        rows: of one or more runs of minimal sets, or of a training run that scores them at each epoch.
    """
    grids = [grid_of(kind, rows) for kind in (CONSTRUCTIONS, *map(groups_of, groupings(rows)))]
    tables: list[Table] = []
    for grid in (grid for grid in grids if grid.rows):
        if len(grid.columns) == 1:
            tables.append(_table_of_one_model(grid))
        else:
            tables += [_table_of_models(grid), *_counts(grid)]
    return tables


def _table_of_one_model(grid: Grid) -> Table:
    """Formats one model: accuracy by every rule, margins, ties and skipped sets where there are any."""
    others = [grid_of(grid.kind.of_metric(metric), grid.all_rows) for metric in METRICS if metric != grid.kind.metric]
    others = [other for other in others if other.rows]
    rules = {metric_in_words(other.kind.metric): _value_in(other) for other in others}
    margins = {
        header: lambda line, name=name: _bits(line[0].get(name))
        for name, header in MARGINS.items()
        if not np.isnan(grid.values(name)).all()
    }
    counts = {one.name: lambda line, one=one: one.written(one.of_row(line[0])) for one in _counted(grid)}
    table = score_table(grid, {"n": n_of_first}, {**rules, **margins, **counts}, False)
    if len(grid.lines) > 1 and grid.kind.noun != AVERAGE:
        averages = [percent(float(other.averages()[0])) for other in others]
        table.add_row(AVERAGE, "", _average(grid, 0), *averages, *[""] * (len(margins) + len(counts)))
    accuracy, *notes = _notes_on_sets(grid, False)
    meanings = [f"{'; '.join(f'{rule}: {RULES[rule]}' for rule in rules)}."] if rules else []
    return table.titled(title_of(grid), [accuracy, *meanings, *notes])


def _table_of_models(grid: Grid) -> Table:
    """Formats constructions by columns; the best of a line is marked where all columns are of one language."""
    has_one_seed = list(map(grid.kind.has_one_seed, grid.rows))
    marks_seeds = any(has_one_seed) and not all(has_one_seed)
    n = {"n": _range_of_n} if grid.is_of_one_language else {}
    table = score_table(grid, n, {}, marks_seeds)
    if len(grid.common) > 1:
        cells = [_average(grid, place) for place in range(len(grid.columns))]
        cells = with_best(cells, grid.averages()) if grid.is_of_one_language else cells
        table.add_row(AVERAGE, *[""] * len(n), *cells)
    return table.titled(title_of(grid), _notes_on_sets(grid, marks_seeds))


def _counts(grid: Grid) -> list[Table]:
    """Formats the counts of ties and skipped sets, each where there are any."""
    tables = []
    for one in _counted(grid):
        rows = [["-" if row is None else one.written(one.of_row(row)) for row in grid.of(line)] for line in grid.lines]
        lines = [[name, *cells] for name, cells in zip(grid.names(), rows, strict=True)]
        title = f"{one.name[0].upper()}{one.name[1:]}{grid.kind.by} ({one.unit})"
        tables.append(Table([grid.kind.noun], grid.headers(), lines, title, folds=True))
    return tables


@dataclass(frozen=True, slots=True)
class _Counted:
    """What is counted of the sets of a construction."""

    name: str
    unit: str
    of_row: Callable[[Row], float | None]
    written: Callable[[float | None], str]


def _counted(grid: Grid) -> list[_Counted]:
    """Returns what a table counts: ties, and the shares of sets with OOV words and without a score; those above 0."""
    every = (
        _Counted(
            "ties",
            "sets",
            lambda row: n_ties(row, grid.all_rows),
            lambda n: NOTHING if n is None else f"{n:.1f}".removesuffix(".0"),
        ),
        _Counted("OOV", "%", lambda row: row.get("oov_sets"), percent),
        _Counted("unscored", "%", share_unscored, percent),
    )
    return [one for one in every if any(map(one.of_row, grid.rows))]


def _range_of_n(line: Sequence[Row]) -> str:
    """Returns the scored sets of a construction in one language, "120 to 140" where columns skip other ones."""
    counts = sorted({row["n"] for row in line})
    return f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"


def _average(grid: Grid, place: int) -> str:
    """Writes the mean over the common constructions, and its deviation over seeds where the run has that."""
    average, whole = float(grid.averages()[place]), grid.whole(grid.columns[place])
    is_that_of_the_run = whole is not None and math.isclose(value_of(whole), average)
    deviation = whole.get("sd") if is_that_of_the_run else None
    return percent(average) + ("" if deviation is None else f" ±{percent(deviation)}")


def _notes_on_sets(grid: Grid, marks_seeds: bool) -> list[str]:
    rows, worth = grid.rows, worth_of_ties(grid.all_rows)
    lines = [OF_SETS, *([f"{worth}."] if worth else [])]
    lines += [MEANINGS[one.name] for one in _counted(grid) if one.name in MEANINGS]
    lines += notes_on_intervals(grid)
    if grid.has("sd"):
        n_seeds = sorted({row["n_seeds"] for row in rows if row.get("n_seeds", 0) > 1})
        lines.append(f"±: standard deviation over seeds ({' or '.join(map(str, n_seeds))}).")
    lines += notes_on_best(grid)
    if len(grid.common) > 1:
        lines_are = "groups" if grid.kind.grouping else "constructions"
        common = "that every column has" if len(grid.columns) > 1 else "with a score"
        common += "" if all(map(grid.is_alike, grid.lines)) else " of the same constructions"
        lines.append(f"{AVERAGE}: unweighted mean over the {len(grid.common)} {lines_are} {common}.")
    unlike = [name for name, line in zip(grid.names(), grid.lines, strict=True) if not grid.is_alike(line)]
    return [
        *lines,
        *notes_on_little(grid, marks_seeds),
        *(f"{name}: the columns cover different constructions, so no best one is marked." for name in unlike),
        *by_note(
            (name, note)
            for name, line in zip(grid.names(), grid.lines, strict=True)
            for note in _notes_of_constructions(grid, line)
        ),
        *_notes_of_wholes(grid),
    ]


def _notes_of_constructions(grid: Grid, line: Line) -> list[str]:
    """Returns what the rows of a line say beyond the marks, each with its column where they do not say the same."""
    notes = [(header, own_note(row)) for header, row in zip(grid.headers(), grid.of(line), strict=True) if row]
    if len({note for _, note in notes}) == 1:
        return [notes[0][1]]
    in_brackets = [(header.replace("\n", ", "), note) for header, note in notes if note]
    return [f" ({header}){note}" if header else note for header, note in in_brackets]


def _notes_of_wholes(grid: Grid) -> list[str]:
    """Returns the remarks of a run on its average: what its predictor does with words, starts and ends."""
    notes = []
    for header, column in zip(grid.headers(), grid.columns, strict=True):
        parts = (grid.whole(column) or {}).get("note", "").removesuffix(".").split("; ")
        note = "; ".join(part for part in parts if not part.startswith("mean over"))
        notes.append((header.replace("\n", ", "), f": {note}" if note else ""))
    if len({note for _, note in notes}) == 1:
        return by_note([(joined(grid.rows, "predictor"), notes[0][1])])
    return by_note(notes)


def _value_in(grid: Grid) -> Callable[[Sequence[Row]], str]:
    """Returns what says the value of a line by another metric, in the only column."""
    values = {row_line: row["value"] for (row_line, _), row in grid.cells.items()}
    return lambda line: percent(values.get((line[0]["suite"], line[0]["test"])))


def _bits(value: float | None) -> str:
    return NOTHING if value is None else f"{round(value, 2) + 0.0:.2f}"  # no -0.00
