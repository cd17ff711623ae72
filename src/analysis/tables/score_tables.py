"""Formats scores of probing, of downstream tasks and on minimal sets: lines by runs, layers, models and epochs."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from src.analysis.output.tables import BELOW, BEST, NOTHING, Table, marked, marks, notes_on_marks
from src.analysis.results.kinds import (
    ACCURACY,
    AVERAGE,
    CONSTRUCTIONS,
    DOWNSTREAM_TASKS,
    METRICS,
    PREDICTION,
    PROBING,
    WHOLE,
    Kind,
    groupings,
    groups_of,
    n_ties,
    single_predictions,
    task_rows,
    worth_of_ties,
)
from src.analysis.results.result_grid import Grid, Line, grid_of
from src.analysis.results.rows import (
    Row,
    distinct,
    joined,
    percent,
    rests_on_few_items,
    said_of_one,
    value_of,
    without_marks,
)
from src.metrics.probe_metrics import BESIDE_ACCURACY, BITS, COLUMNS_OF_LAYERS, FRACTION, LayerColumn
from src.runs.results import FEW_ITEMS
from src.splits import SPLITS

BASELINES = {name: name for name in PROBING.baselines}
OF_THE_ITEMS = {"leakage": "leakage", "oov": "OOV"}
OF_TASKS = {"majority": "largest class", "length": "length"}
CORRELATIONS = ("pearson", "spearman")
MEANS = {"": "", "_weighted_mean": "weighted", "_of_joined_rows": "joined"}
OTHERS = {"f1": "F1", "mse": "squared error"}
MARGINS = {"margin": "margin (bits)", "median_margin": "median"}
OF_ITEMS = "accuracy: items of which all predictions hold, of all scored items; a margin is the least of theirs."
OF_SETS = "accuracy: sets whose grammatical sentence scores higher than every variant, of all scored sets."
ROUNDING = 1e-9
BESIDE_FIRST = "beside_first"  # of rows beside those of another run: "+" or "-" where they differ significantly
Beside = Mapping[str, Callable[[Sequence[Row]], str]]  # by header: what a column says of the rows of a line


def tables_of_kind(kind: Kind, rows: Sequence[Row]) -> list[Table]:
    """Formats all results of a kind in rows of one or more runs."""
    return TABLES[kind.stage](rows)


def probing_tables(rows: Sequence[Row]) -> list[Table]:
    """Formats all results of a probing run.

    Args:
        rows: of one probing run, of a training run that probes its epochs, or of several probing runs.
    """
    grid = grid_of(PROBING, rows)
    of_layers = [_table_of(grid, column) for column in COLUMNS_OF_LAYERS if grid.has(column.name)]
    return [probing_table(rows), *(of_layers if len(grid.columns) > 1 else []), *coverage_tables(rows)]


def probing_table(rows: Sequence[Row]) -> Table:
    """Formats probing accuracies in percent: a line per test, a column per run, layer and epoch, the best marked.

    Baselines have columns where the rows have them; what depends on the layer only where there is a single layer.
    """
    grid = grid_of(PROBING, rows)
    single = len(grid.columns) == 1
    of_layer = [column for column in BESIDE_ACCURACY if single and grid.has(column.name)]
    compared, others = (
        {
            one.header: lambda line, one=one: _written(one, line[0].get(one.name))
            for one in of_layer
            if one.is_compared is is_so
        }
        for is_so in (True, False)
    )
    before = {"n": _n_of_first, **_fractions(grid, BASELINES), **compared}
    after = {**others, **_fractions(grid, OF_THE_ITEMS)}
    marks_seeds = not all(map(PROBING.has_one_seed, grid.rows))
    layer = f", layer {_place(grid.rows[0])}" if single else ""
    notes = [*_notes_on_probing(grid, marks_seeds), *_failures(rows)]
    return _score_table(grid, before, after, marks_seeds).titled(f"{_title(grid)}{layer}", notes)


def coverage_tables(rows: Iterable[Row]) -> list[Table]:
    """Formats the share of word occurrences that the encoder's vocabulary lacks, by split; none without such rows."""
    rows = [row for row in rows if row["stage"] == "coverage"]
    table = Table(["test"], [header for split in SPLITS for header in (split, "of words")], folds=True)
    for (test,) in distinct(rows, "test"):
        by_split = {row["split"]: row for row in rows if row["test"] == test}
        found = [by_split.get(split, {}) for split in SPLITS]
        cells = [cell for row in found for cell in (percent(row.get("value")), str(row.get("n", NOTHING)))]
        table.add_row(test, *cells)
    title = f"Words unknown to the encoder (OOV, %): {joined(rows, 'lang')}, {joined(rows, 'encoder')}"
    return [table.titled(title, ["Occurrences are counted; a pair counts two."])] if rows else []


def downstream_tables(rows: Sequence[Row]) -> list[Table]:
    """Formats all scores of downstream tasks: the headline of each, correlations in every manner, data sets."""
    grid = grid_of(DOWNSTREAM_TASKS, rows)
    before = {
        "n": _n_of_first,
        "metric": lambda line: ACCURACY if line[0]["metric"] == ACCURACY else f"Pearson, {_manner(line[0])}",
        **_fractions(grid, OF_TASKS),
    }
    after = _fractions(grid, {"leakage": "in train, too"})
    tables = [_score_table(grid, before, after, False).titled(_title(grid), _notes_on_tasks(grid))]
    whole = [row for row in task_rows(rows) if row["split"] == WHOLE]
    if any(row["metric"] in CORRELATIONS for row in whole):
        tables.append(_correlations(whole))
    return [*tables, *_others(whole), *_data_sets(rows)] if len(grid.columns) == 1 else tables


def minimal_set_tables(rows: Sequence[Row]) -> list[Table]:
    """Formats all scores on minimal sets: of constructions, then of each way to group them.

    Args:
        rows: of one or more runs of minimal sets, or of a training run that scores them at each epoch.
    """
    grids = [grid_of(kind, rows) for kind in (CONSTRUCTIONS, *map(groups_of, groupings(rows)))]
    has_items = bool(single_predictions(rows))
    tables: list[Table] = []
    for grid in (grid for grid in grids if grid.rows):
        if len(grid.columns) == 1:
            tables.append(_table_of_one_model(grid, has_items))
        else:
            tables += [_table_of_models(grid, has_items), *_counts(grid)]
    return tables + _predictions(grids[0])


def best_places(values: Sequence[float], lowest: bool = False) -> list[int]:
    """Returns the places of the best of several values, all of equals; none where fewer than two are numbers."""
    known = [value for value in values if not math.isnan(value)]
    if len(known) < 2:
        return []
    best = min(known) if lowest else max(known)
    return [place for place, value in enumerate(values) if abs(value - best) <= ROUNDING]


# --- what all kinds have in common ---


def _score_table(grid: Grid, before: Beside, after: Beside, marks_seeds: bool) -> Table:
    """Formats a line of scores for every line of a grid, the best marked, with columns beside."""
    headers = grid.headers()
    headers = [grid.kind.score] if headers == [ACCURACY] else headers
    table = Table([grid.kind.noun], [*before, *headers, *after], folds=True)
    for name, line, values in zip(grid.names(), grid.lines, grid.values("value"), strict=True):
        cells, rows = [_score(row, grid.kind, marks_seeds) for row in grid.of(line)], grid.known(line)
        scores = _with_best(cells, values) if grid.is_of_one_language and grid.is_alike(line) else cells
        left, right = ([cell(rows) for cell in columns.values()] for columns in (before, after))
        table.add_row(name, *left, *scores, *right)
    return table


def _with_best(cells: Sequence[str], values: Sequence[float], lowest: bool = False) -> list[str]:
    best = best_places(values, lowest)
    return [marked(cell, place in best) for place, cell in enumerate(cells)]


def _score(row: Row | None, kind: Kind, marks_seeds: bool) -> str:
    """Writes a score in percent, with its marks and its interval.

    "59.1↓ ±2.3" has half the interval; a score on minimal sets, "79.3 ±1.2 (75.1 to 83.0)", has its deviation over
    seeds and the ends.
    """
    if row is None:
        return NOTHING
    found = BELOW if _beaten_by(row, kind) else ""
    found += marks(rests_on_few_items(row), marks_seeds and kind.has_one_seed(row)) + row.get(BESIDE_FIRST, "")
    low, high = row.get("interval_low"), row.get("interval_high")
    if low is None or high is None:
        interval = ""
    elif kind.has_languages:
        interval = f" ({percent(low)} to {percent(high)})"
    else:
        interval = f" ±{percent((high - low) / 2)}"
    deviation = "" if row.get("sd") is None else f" ±{percent(row['sd'])}"
    return f"{percent(row['value'])}{found}{deviation}{interval}"


def _fractions(grid: Grid, columns: Mapping[str, str]) -> Beside:
    """Returns columns of fractions that are the same for all rows of a line, those that there are."""
    return {
        header: lambda line, name=name: percent(line[0].get(name)) for name, header in columns.items() if grid.has(name)
    }


def _n_of_first(line: Sequence[Row]) -> str:
    return str(line[0]["n"])


def _title(grid: Grid) -> str:
    return f"{grid.kind.title}{grid.kind.by} (%): {said_of_one(grid.rows, *grid.kind.said)}"


def _notes_on_best(grid: Grid, more: str = "") -> list[str]:
    return [f"{BEST} best of its line{more}."] if len(grid.columns) > 1 and grid.is_of_one_language else []


def _notes_on_intervals(grid: Grid, words: str) -> list[str]:
    return [words] if grid.has("interval_low") else []


def _notes_on_little(grid: Grid, marks_seeds: bool) -> list[str]:
    """Explains the marks of few items and of one seed."""
    has_one_seed = any(map(grid.kind.has_one_seed, grid.rows))
    few = grid.kind.items if any(map(rests_on_few_items, grid.rows)) else None
    every = ["Every value rests on one seed."] if has_one_seed and not marks_seeds else []
    return [*notes_on_marks(few, marks_seeds and has_one_seed), *every]


def _by_note(notes: Iterable[tuple[str, str]]) -> list[str]:
    """Says each note once, behind the names of all of which it is to be said: pairs of name and note."""
    names: dict[str, dict[str, None]] = {}
    for name, note in notes:
        names.setdefault(note, {})[name] = None
    return [f"{', '.join(of_note)}{note}." for note, of_note in names.items() if note]


def _own_note(row: Row, items: str) -> str:
    """Returns what the note of a row says beyond the marks of the table."""
    note = without_marks(row.get("note"), "one seed", f"fewer than {FEW_ITEMS} {items}")
    return f": {note}" if note else ""


# --- probing ---


def _table_of(grid: Grid, column: LayerColumn) -> Table:
    table = Table(["test"], grid.headers(), folds=True)
    for test, values in zip(grid.names(), grid.values(column.name), strict=True):
        cells = [_written(column, value) for value in values]
        table.add_row(test, *(cells if column.is_compared else _with_best(cells, values, column.is_lower_better)))
    return table.titled(column.title)


def _written(column: LayerColumn, value: float | None) -> str:
    if value is None or math.isnan(value) or column.unit == FRACTION:
        return percent(value)
    return f"{value:.0f}" if column.unit == BITS else f"{value:.2f}"


def _beaten_by(row: Row, kind: Kind) -> list[str]:
    """Returns the baselines of a row that are above its score."""
    known = [name for name in kind.baselines if row.get(name) is not None]
    return [name for name in known if row[name] > value_of(row) + ROUNDING]


def _notes_on_probing(grid: Grid, marks_seeds: bool) -> list[str]:
    beaten_by = {header for row in grid.rows if row["value"] is not None for header in _beaten_by(row, PROBING)}
    below = " or ".join(header for header in BASELINES.values() if header in beaten_by)
    return [
        *_notes_on_best(grid, ", by the score on test items"),
        *_notes_on_intervals(grid, PROBING.interval),
        *([f"{BELOW} below {below}."] if below else []),
        *_notes_on_little(grid, marks_seeds),
        *_by_note(
            (name, _own_note(row, "items"))
            for name, line in zip(grid.names(), grid.lines, strict=True)
            for row in grid.known(line)
            if row["value"] is not None
        ),
    ]


def _failures(rows: Iterable[Row]) -> list[str]:
    failed = [row for row in rows if row["stage"] == PROBING.stage and row["value"] is None]
    return [
        f"{row['test']}, {_place(row)}, seed {row.get('seed')} {row.get('note', 'has no result')}." for row in failed
    ]


def _place(row: Row) -> str:
    layer = row.get("layer") or ACCURACY
    return layer if row.get("epoch") is None else f"{layer}, epoch {row['epoch']}"


# --- downstream tasks ---


def _manner(row: Row) -> str:
    return "regression" if row.get("probe") == "score_regression" else str(row.get("probe"))


def _notes_on_tasks(grid: Grid) -> list[str]:
    rows = grid.rows
    notes = [*_notes_on_best(grid), *_notes_on_intervals(grid, DOWNSTREAM_TASKS.interval)]
    if any(row["test"].startswith("STS") and row.get("probe") == "cosine" for row in rows):
        notes.append("STS: the unweighted mean over data sets; the other means stand below.")
    if grid.has("leakage"):
        notes.append(
            "in train, too: share of the scored items all of whose sentences train has; with folds, that occur twice."
        )
    if any(row.get("scorer") == "released" for row in rows):
        notes.append("By the rules of the published toolkit, its faults included (protocol=released).")
    notes += notes_on_marks(DOWNSTREAM_TASKS.items if any(map(rests_on_few_items, rows)) else None, False)
    if any(map(DOWNSTREAM_TASKS.has_one_seed, rows)):
        notes.append("Every fit rests on one seed.")
    return [*notes, *_by_note((row["test"], _own_note(row, "items")) for row in rows)]


def _correlations(rows: Sequence[Row]) -> Table:
    """Formats both correlations in every manner: a line per task, manner, layer and epoch."""
    metrics = [f"{name}{mean}" for name in CORRELATIONS for mean in MEANS]
    scored = [row for row in rows if row["metric"] in metrics]
    shown = [metric for metric in metrics if any(row["metric"] == metric for row in scored)]
    table = Table(["task"], [*map(_correlation_header, shown), "manner", "layer"], folds=True)
    several_runs = len(distinct(scored, "run")) > 1
    of_line = ("run", "test", "probe", "layer", "epoch")
    for key in distinct(scored, *of_line):
        by_metric = {row["metric"]: row for row in scored if tuple(map(row.get, of_line)) == key}
        first = next(iter(by_metric.values()))
        values = [percent(by_metric[metric]["value"]) if metric in by_metric else NOTHING for metric in shown]
        run = f", {first['run']}" if several_runs else ""
        epoch = "" if first.get("epoch") is None else f", epoch {first['epoch']}"
        table.add_row(first["test"], *values, _manner(first), f"{first.get('layer') or NOTHING}{epoch}{run}")
    notes = ["Of several data sets: the mean over them, weighted by their pairs, and of the rows of all joined."]
    return table.titled("Correlations with the gold scores (x 100)", notes)


def _correlation_header(metric: str) -> str:
    name, _, mean = metric.partition("_")
    words = MEANS.get(f"_{mean}", "") if mean else ""
    return f"{name.capitalize()} {words}".strip()


def _others(rows: Sequence[Row]) -> list[Table]:
    table = Table(["task"], ["metric", "value"], folds=True)
    for row in rows:
        if row["metric"] in OTHERS:
            value = percent(row["value"]) if row["metric"] == "f1" else f"{row['value']:.3f}"
            table.add_row(row["test"], OTHERS[row["metric"]], value)
    return [table.titled("Further scores: F1 of the paraphrases (%), mean squared error")] if table.rows else []


def _data_sets(rows: Sequence[Row]) -> list[Table]:
    of_sets = [row for row in task_rows(rows) if row["split"] != WHOLE]
    table = Table(["data set"], ["n", "Pearson", "Spearman"], folds=True)
    for test, split in distinct(of_sets, "test", "split"):
        by_metric = {row["metric"]: row for row in of_sets if (row["test"], row["split"]) == (test, split)}
        scores = [_score(by_metric.get(name), DOWNSTREAM_TASKS, False) for name in CORRELATIONS]
        table.add_row(f"{test} {split}", _n_of_first([*by_metric.values()]), *scores)
    return [table.titled("Correlations of cosines by data set (x 100)")] if of_sets else []


# --- minimal sets ---


def _table_of_one_model(grid: Grid, has_items: bool) -> Table:
    """Formats one model: accuracy by every rule, margins, ties and skipped sets where there are any."""
    others = [grid_of(grid.kind.of_metric(metric), grid.all_rows) for metric in METRICS if metric != grid.kind.metric]
    others = [other for other in others if other.rows]
    rules = {METRICS[other.kind.metric]: _value_in(other) for other in others}
    margins = {
        header: lambda line, name=name: _bits(line[0].get(name))
        for name, header in MARGINS.items()
        if not np.isnan(grid.values(name)).all()
    }
    counts = {
        name.lower(): lambda line, count=count: _count(count(line[0]))
        for name, count in _counted(grid).items()
        if any(map(count, grid.rows))
    }
    table = _score_table(grid, {"n": _n_of_first}, {**rules, **margins, **counts}, False)
    if len(grid.lines) > 1 and grid.kind.noun != AVERAGE:
        averages = [percent(float(other.averages()[0])) for other in others]
        table.add_row(AVERAGE, "", _average(grid, 0), *averages, *[""] * (len(margins) + len(counts)))
    return table.titled(_title(grid), _notes_on_sets(grid, False, has_items))


def _table_of_models(grid: Grid, has_items: bool) -> Table:
    """Formats constructions by columns; the best of a line is marked where all columns are of one language."""
    has_one_seed = list(map(grid.kind.has_one_seed, grid.rows))
    marks_seeds = any(has_one_seed) and not all(has_one_seed)
    n = {"n": _range_of_n} if grid.is_of_one_language else {}
    table = _score_table(grid, n, {}, marks_seeds)
    if len(grid.common) > 1:
        cells = [_average(grid, place) for place in range(len(grid.columns))]
        cells = _with_best(cells, grid.averages()) if grid.is_of_one_language else cells
        table.add_row(AVERAGE, *[""] * len(n), *cells)
    return table.titled(_title(grid), _notes_on_sets(grid, marks_seeds, has_items))


def _counts(grid: Grid) -> list[Table]:
    """Formats the counts of ties and skipped sets, each where there are any."""
    tables = []
    for name, count in _counted(grid).items():
        if any(map(count, grid.rows)):
            rows = [["-" if row is None else _count(count(row)) for row in grid.of(line)] for line in grid.lines]
            lines = [[name, *cells] for name, cells in zip(grid.names(), rows, strict=True)]
            tables.append(Table([grid.kind.noun], grid.headers(), lines, f"{name}{grid.kind.by} (sets)", folds=True))
    return tables


def _counted(grid: Grid) -> dict[str, Callable[[Row], float | None]]:
    return {"Ties": lambda row: n_ties(row, grid.all_rows), "Skipped": lambda row: row.get("skipped")}


def _predictions(grid: Grid) -> list[Table]:
    """Formats each prediction of the test suites that have several: an item is right by all of them together."""
    several = {test: metrics for test, metrics in single_predictions(grid.all_rows).items() if len(metrics) > 1}
    table = Table(["construction"], ["prediction", *grid.headers()], folds=True)
    for metric in dict.fromkeys(metric for metrics in several.values() for metric in metrics):
        of_metric = grid_of(grid.kind.of_metric(metric), grid.all_rows)
        for line in of_metric.lines:
            if line[1] in several:
                rows = [of_metric.cells.get((line, column)) for column in grid.columns]
                scores = [_score(row, grid.kind, False) for row in rows]
                table.add_row(line[1], metric.removeprefix(PREDICTION), *scores)
    table.rows.sort(key=lambda line: list(several).index(line[0]))
    return [table.titled("Items of which a single prediction holds (%)")] if table.rows else []


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


def _notes_on_sets(grid: Grid, marks_seeds: bool, has_items: bool) -> list[str]:
    rows, worth = grid.rows, worth_of_ties(grid.all_rows)
    of_items = "( ): 95 % bootstrap interval over items."
    lines = [OF_ITEMS if has_items else OF_SETS, *([f"{worth}."] if worth else [])]
    lines += _notes_on_intervals(grid, of_items if has_items else grid.kind.interval)
    if grid.has("sd"):
        n_seeds = sorted({row["n_seeds"] for row in rows if row.get("n_seeds", 0) > 1})
        lines.append(f"±: standard deviation over seeds ({' or '.join(map(str, n_seeds))}).")
    lines += _notes_on_best(grid)
    if len(grid.common) > 1:
        lines_are = "groups" if grid.kind.grouping else "constructions"
        common = "that every column has" if len(grid.columns) > 1 else "with a scored set"
        common += "" if all(map(grid.is_alike, grid.lines)) else " of the same constructions"
        lines.append(f"{AVERAGE}: unweighted mean over the {len(grid.common)} {lines_are} {common}.")
    unlike = [name for name, line in zip(grid.names(), grid.lines, strict=True) if not grid.is_alike(line)]
    return [
        *lines,
        *_notes_on_little(grid, marks_seeds),
        *(f"{name}: the columns have other constructions, so that none is best." for name in unlike),
        *_by_note(
            (name, note)
            for name, line in zip(grid.names(), grid.lines, strict=True)
            for note in _notes_of_constructions(grid, line)
        ),
        *_notes_of_wholes(grid),
    ]


def _notes_of_constructions(grid: Grid, line: Line) -> list[str]:
    """Returns what the rows of a line say beyond the marks, each with its column where they do not say the same."""
    notes = [(header, _own_note(row, "sets")) for header, row in zip(grid.headers(), grid.of(line), strict=True) if row]
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
        return _by_note([(joined(grid.rows, "predictor"), notes[0][1])])
    return _by_note(notes)


def _value_in(grid: Grid) -> Callable[[Sequence[Row]], str]:
    """Returns what says the value of a line by another metric, in the only column."""
    values = {row_line: row["value"] for (row_line, _), row in grid.cells.items()}
    return lambda line: percent(values.get((line[0]["suite"], line[0]["test"])))


def _bits(value: float | None) -> str:
    return NOTHING if value is None else f"{round(value, 2) + 0.0:.2f}"  # no -0.00


def _count(count: float | None) -> str:
    return NOTHING if count is None else f"{count:.1f}".removesuffix(".0")


TABLES: Mapping[str, Callable[[Sequence[Row]], list[Table]]] = {
    PROBING.stage: probing_tables,
    CONSTRUCTIONS.stage: minimal_set_tables,
    DOWNSTREAM_TASKS.stage: downstream_tables,
}
"""By the stage of a kind, its tables."""
