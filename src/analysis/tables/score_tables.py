"""Formats scores as tables: tests or tasks by runs, layers and epochs.

What all kinds have in common, then probing and downstream tasks; minimal sets: `minimal_sets.py` beside.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from polyprobe.analysis.output.tables import BELOW, BEST, NOTHING, Table, marked, marks, notes_on_marks
from polyprobe.analysis.results.kinds import (
    ACCURACY,
    DOWNSTREAM_TASKS,
    PROBING,
    WHOLE,
    Kind,
    task_rows,
)
from polyprobe.analysis.results.result_grid import Grid, Line, grid_of
from polyprobe.analysis.results.rows import (
    ON_DEV,
    Row,
    best_layer,
    distinct,
    interval_behind,
    joined,
    layer_of_row,
    note_on_one_seed,
    notes_on_metrics,
    notes_on_one_sided,
    percent,
    rests_on_few_items,
    said_of_one,
    value_of,
    without_marks,
)
from polyprobe.metrics.probe_metrics import BITS, LayerColumn, beside_accuracy, columns_of_layers
from polyprobe.runs.metric_units import metric_in_words
from polyprobe.runs.results import FEW_ITEMS
from polyprobe.splits import SPLITS

LEAKAGES = {"leakage": "leakage", "leakage_of_parts": "leakage of parts"}
OF_THE_ITEMS = {**LEAKAGES, "oov": "OOV"}
MEANINGS = {
    "memoriser": "memoriser: majority training label of the identical item.",
    "leakage": "leakage: share of test items that also occur in train.",
    "leakage_of_parts": "leakage of parts: share of test pairs both of whose parts occur in train, in any pairs.",
}
OVER_PRIOR = (
    "label prior: codelength of the labels by their shares, without vectors; compression over prior: that over the "
    "codelength, at most 1 where the vectors say nothing."
)
CORRELATIONS = ("pearson", "spearman")
MEANS = {"": "", "_weighted_mean": "weighted", "_of_joined_rows": "joined"}
OTHERS = ("f1", "mse")
ROUNDING = 1e-9
BESIDE_FIRST = "beside_first"  # of rows beside those of another run: "+" or "-" where they differ significantly
Beside = Mapping[str, Callable[[Sequence[Row]], str]]  # by header: what a column says of the rows of a line


def probing_tables(rows: Sequence[Row]) -> list[Table]:
    """Formats all results of a probing run.

    Args:
        rows: of one probing run, of a training run that probes its epochs, or of several probing runs.
    """
    grid = grid_of(PROBING, rows)
    of_layers = [_table_of(grid, column) for column in columns_of_layers() if grid.has(column.name)]
    return [probing_table(rows), *(of_layers if len(grid.columns) > 1 else []), *coverage_tables(rows)]


def probing_table(rows: Sequence[Row]) -> Table:
    """Formats probing accuracies in percent: a line per test, a column per run, layer and epoch, the best marked.

    Baselines have columns where the rows have them; what depends on the layer only where there is a single layer.
    """
    grid = grid_of(PROBING, rows)
    single = len(grid.columns) == 1
    of_layer = [column for column in beside_accuracy() if single and grid.has(column.name)]
    compared = _of_one_layer(one for one in of_layer if one.is_baseline)
    others = _of_one_layer(one for one in of_layer if not one.is_baseline)
    before = {"n": n_of_first, **_fractions(grid, PROBING.baselines), **compared}
    after = {**others, **_fractions(grid, OF_THE_ITEMS)}
    marks_seeds = not all(map(PROBING.has_one_seed, grid.rows))
    layer = f", layer {_place(grid.rows[0])}" if single else ""
    prior = [OVER_PRIOR] if single and grid.has("prior_compression") else []
    notes = [*_notes_on_probing(grid, marks_seeds), *prior, *_failures(rows)]
    return score_table(grid, before, after, marks_seeds).titled(f"{title_of(grid)}{layer}", notes)


def layers_tables(rows: Sequence[Row]) -> list[Table]:
    """Formats all results of a probing run of few tests: one table with a line for each test, layer and epoch.

    Its columns are all that is known of a layer, then the baselines of the test.
    """
    grid = grid_of(PROBING, rows)
    has_tests, marks_seeds = len(grid.lines) > 1, not all(map(PROBING.has_one_seed, grid.rows))
    of_layers = [column for column in columns_of_layers() if grid.has(column.name)]
    of_tests = {header: name for name, header in {**PROBING.baselines, **OF_THE_ITEMS}.items() if grid.has(name)}
    headers = [grid.kind.score, *(column.header for column in of_layers), *of_tests, "n"]
    table = Table([*(["test"] if has_tests else []), "layer"], headers)
    for name, line in zip(grid.names(), grid.lines, strict=True):
        scores = _with_best_of_line(grid, line, [score(row, PROBING, marks_seeds) for row in grid.of(line)])
        for row, cell in zip(grid.of(line), scores, strict=True):
            if row is None:
                continue
            beside = [_written(column, row.get(column.name)) for column in of_layers]
            fractions = [percent(row.get(column)) for column in of_tests.values()]
            which = [*([name] if has_tests else []), _place(row)]
            table.add_row(*which, cell, *beside, *fractions, n_of_first([row]))
    notes = [*_notes_on_probing(grid, marks_seeds), *_failures(rows)]
    over = "layer and epoch" if grid.has("epoch") else "layer"
    return [table.titled(f"Accuracy by {over} (%)", notes), *coverage_tables(rows)]


def coverage_tables(rows: Iterable[Row]) -> list[Table]:
    """Formats the share of word occurrences that the encoder's vocabulary lacks, by split; none without such rows."""
    rows = [row for row in rows if row["stage"] == "coverage"]
    table = Table(["test"], [header for split in SPLITS for header in (split, "of words")], folds=True)
    for (test,) in distinct(rows, "test"):
        by_split = {row["split"]: row for row in rows if row["test"] == test}
        found = [by_split.get(split, {}) for split in SPLITS]
        cells = [cell for row in found for cell in (percent(row.get("value")), str(row.get("n", NOTHING)))]
        table.add_row(test, *cells)
    title = f"OOV rate of the encoder (%): {joined(rows, 'lang')}, {joined(rows, 'encoder')}"
    return [table.titled(title, ["Token-level OOV rate; both members of a pair count."])] if rows else []


def downstream_tables(rows: Sequence[Row]) -> list[Table]:
    """Formats all scores of downstream tasks: the headline of each, correlations in every manner, data sets."""
    grid = grid_of(DOWNSTREAM_TASKS, rows)
    before = {
        "n": n_of_first,
        "metric": lambda line: ACCURACY if line[0]["metric"] == ACCURACY else f"Pearson, {_manner(line[0])}",
        **_fractions(grid, DOWNSTREAM_TASKS.baselines),
    }
    after = _fractions(grid, LEAKAGES)
    tables = [score_table(grid, before, after, False).titled(title_of(grid), _notes_on_tasks(grid))]
    whole = [row for row in task_rows(rows) if row["split"] == WHOLE]
    if any(row["metric"] in CORRELATIONS for row in whole):
        tables.append(_correlations(whole))
    return [*tables, *_others(whole), *_data_sets(rows)] if len(grid.columns) == 1 else tables


# --- what all kinds have in common ---


def score_table(grid: Grid, before: Beside, after: Beside, marks_seeds: bool) -> Table:
    """Formats a line of scores for every line of a grid, the best marked, with columns beside."""
    headers = grid.headers()
    headers = [grid.kind.score] if headers == [ACCURACY] else headers
    table = Table([grid.kind.noun], [*before, *headers, *after], folds=True)
    for name, line in zip(grid.names(), grid.lines, strict=True):
        cells, rows = [score(row, grid.kind, marks_seeds) for row in grid.of(line)], grid.known(line)
        scores = _with_best_of_line(grid, line, cells) if grid.is_of_one_language and grid.is_alike(line) else cells
        left, right = ([cell(rows) for cell in columns.values()] for columns in (before, after))
        table.add_row(name, *left, *scores, *right)
    return table


def _with_best_of_line(grid: Grid, line: Line, cells: Sequence[str]) -> list[str]:
    """Marks the best layer of one run, selected on dev; of several runs and of minimal sets the highest scores."""
    rows = grid.of(line)
    if not grid.is_of_one_run:
        return with_best(cells, [math.nan if row is None else value_of(row) for row in rows])
    layer, reason = best_layer(grid.known(line))
    is_best = [reason == ON_DEV and row is not None and layer_of_row(row) == layer for row in rows]
    return list(map(marked, cells, is_best))


def with_best(cells: Sequence[str], values: Sequence[float]) -> list[str]:
    """Marks the cells of the highest of several values, of all equals; none where fewer than two are numbers."""
    known = [value for value in values if not math.isnan(value)]
    if len(known) < 2:
        return [*cells]
    return [marked(cell, abs(value - max(known)) <= ROUNDING) for cell, value in zip(cells, values, strict=True)]


def score(row: Row | None, kind: Kind, marks_seeds: bool) -> str:
    """Writes a score in percent, with its marks and its interval.

    "59.1↓ ±2.3" has half the interval; a score on minimal sets, "79.3 ±1.2 (75.1 to 83.0)", has its deviation over
    seeds and the ends.
    """
    if row is None or row["value"] is None:
        return NOTHING
    found = BELOW if _beaten_by(row, kind) else ""
    found += marks(rests_on_few_items(row), marks_seeds and kind.has_one_seed(row)) + row.get(BESIDE_FIRST, "")
    low, high = row.get("interval_low"), row.get("interval_high")
    interval = interval_behind(row["metric"], row["value"], low, high)
    if interval and kind.is_of_sets:
        interval = f" ({percent(low)} to {percent(high)})"
    deviation = "" if row.get("sd") is None else f" ±{percent(row['sd'])}"
    return f"{percent(row['value'])}{found}{deviation}{interval}"


def _fractions(grid: Grid, columns: Mapping[str, str]) -> Beside:
    """Returns columns of fractions that are the same for all rows of a line, those that there are."""
    return {
        header: lambda line, name=name: percent(line[0].get(name)) for name, header in columns.items() if grid.has(name)
    }


def _of_one_layer(columns: Iterable[LayerColumn]) -> Beside:
    """Returns columns of what is said of a layer, where there is no other."""
    return {one.header: lambda line, one=one: _written(one, line[0].get(one.name)) for one in columns}


def n_of_first(line: Sequence[Row]) -> str:
    """Returns how many items the first row of a line rests on."""
    return str(line[0]["n"])


def title_of(grid: Grid) -> str:
    """Returns the line above the table of a grid."""
    return f"{grid.kind.title}{grid.kind.by} (%): {said_of_one(grid.rows, *grid.kind.said)}"


def notes_on_best(grid: Grid) -> list[str]:
    """Explains the mark of the best of a line."""
    if len(grid.columns) < 2 or not grid.is_of_one_language:
        return []
    if not grid.is_of_one_run:
        return [f"{BEST} best of its row."]
    several = [name for name in ("layer", "epoch") if len(distinct(grid.rows, name)) > 1]
    return [f"{BEST} best {' and '.join(several)}, selected on dev."] if grid.has("dev") else []


def notes_on_intervals(grid: Grid) -> list[str]:
    """Explains the intervals of scores, where they have some."""
    return [grid.kind.interval, *notes_on_one_sided(grid.rows)] if grid.has("interval_low") else []


def notes_on_little(grid: Grid, marks_seeds: bool) -> list[str]:
    """Explains the marks of few items and of one seed."""
    has_one_seed = any(map(grid.kind.has_one_seed, grid.rows))
    few = grid.kind.items if any(map(rests_on_few_items, grid.rows)) else None
    every = [note_on_one_seed(grid.rows)] if has_one_seed and not marks_seeds else []
    return [*notes_on_marks(few, marks_seeds and has_one_seed), *every]


def by_note(notes: Iterable[tuple[str, str]]) -> list[str]:
    """Says each note once, behind the names of all of which it is to be said: pairs of name and note."""
    names: dict[str, dict[str, None]] = {}
    for name, note in notes:
        names.setdefault(note, {})[name] = None
    return [f"{', '.join(of_note)}{note}." for note, of_note in names.items() if note]


def own_note(row: Row) -> str:
    """Returns what the note of a row says beyond the marks of the table."""
    note = without_marks(row.get("note"), "one seed", f"fewer than {FEW_ITEMS} items", f"fewer than {FEW_ITEMS} sets")
    return f": {note}" if note else ""


# --- probing ---


def _table_of(grid: Grid, column: LayerColumn) -> Table:
    table = Table(["test"], grid.headers(), folds=True)
    is_marked = not grid.is_of_one_run and column.unit.is_in_percent and not column.is_compared
    for test, values in zip(grid.names(), grid.values(column.name), strict=True):
        cells = [_written(column, value) for value in values]
        table.add_row(test, *(with_best(cells, values) if is_marked else cells))
    return table.titled(column.title)


def _written(column: LayerColumn, value: float | None) -> str:
    if value is None or math.isnan(value) or column.unit.is_in_percent:
        return percent(value)
    return f"{value:.0f}" if column.unit == BITS else f"{value:.2f}"


def _beaten_by(row: Row, kind: Kind) -> list[str]:
    """Returns the baselines of a row that are above its score."""
    known = [name for name in kind.baselines if kind.marks_below and row.get(name) is not None]
    return [name for name in known if row[name] > value_of(row) + ROUNDING]


def _notes_on_probing(grid: Grid, marks_seeds: bool) -> list[str]:
    beaten_by = {header for row in grid.rows if row["value"] is not None for header in _beaten_by(row, PROBING)}
    below = " or ".join(header for header in PROBING.baselines.values() if header in beaten_by)
    return [
        *notes_on_best(grid),
        *(meaning for column, meaning in MEANINGS.items() if grid.has(column)),
        *notes_on_intervals(grid),
        *([f"{BELOW} below {below}."] if below else []),
        *notes_on_little(grid, marks_seeds),
        *by_note(
            (name, own_note(row))
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


def _place(row: Row, without: str = ACCURACY) -> str:
    layer = row.get("layer") or without
    return layer if row.get("epoch") is None else f"{layer}, epoch {row['epoch']}"


# --- downstream tasks ---


def _manner(row: Row) -> str:
    return "regression" if row.get("probe") == "score_regression" else str(row.get("probe"))


def _notes_on_tasks(grid: Grid) -> list[str]:
    has_means = any(row["test"].startswith("STS") and row.get("probe") == "cosine" for row in grid.rows)
    said = {
        "STS: unweighted mean over data sets; other averages below.": has_means,
        "leakage: share of scored items that also occur in train (with folds: occur twice).": grid.has("leakage"),
        MEANINGS["leakage_of_parts"]: grid.has("leakage_of_parts"),
        "Replicates the published toolkit including its bugs (protocol=released).": any(
            row.get("scorer") == "released" for row in grid.rows
        ),
    }
    return [
        *notes_on_best(grid),
        *notes_on_intervals(grid),
        *(note for note, is_so in said.items() if is_so),
        *notes_on_little(grid, False),
        *by_note((row["test"], own_note(row)) for row in grid.rows),
    ]


def _by_metric(rows: Iterable[Row], *columns: str) -> list[tuple[Row, dict[str, Row]]]:
    """Groups rows that are alike in some columns: the first of each group, and all of it by their metric."""
    groups: dict[tuple, dict[str, Row]] = {}
    for row in rows:
        groups.setdefault(tuple(map(row.get, columns)), {})[row["metric"]] = row
    return [(next(iter(group.values())), group) for group in groups.values()]


def _correlations(rows: Sequence[Row]) -> Table:
    """Formats both correlations in every manner: a line per task, manner, layer and epoch."""
    metrics = [f"{name}{mean}" for name in CORRELATIONS for mean in MEANS]
    scored = [row for row in rows if row["metric"] in metrics]
    shown = [metric for metric in metrics if any(row["metric"] == metric for row in scored)]
    several_runs = len(distinct(scored, "run")) > 1
    right = {
        _correlation_header(metric): lambda one, metric=metric: percent(one[1].get(metric, {}).get("value"))
        for metric in shown
    }
    right["manner"] = lambda one: _manner(one[0])
    right["layer"] = lambda one: ", ".join([_place(one[0], NOTHING), *([one[0]["run"]] if several_runs else [])])
    lines = _by_metric(scored, "run", "test", "probe", "layer", "epoch")
    notes = ["With several data sets: the mean weighted by number of pairs, and the score on all pairs joined."]
    table = Table.of(lines, {"task": lambda one: one[0]["test"]}, right, folds=True)
    return table.titled("Correlations with the gold scores (x 100)", notes)


def _correlation_header(metric: str) -> str:
    name, _, mean = metric.partition("_")
    words = MEANS.get(f"_{mean}", "") if mean else ""
    return f"{name.capitalize()} {words}".strip()


def _others(rows: Sequence[Row]) -> list[Table]:
    others = [row for row in rows if row["metric"] in OTHERS]
    right = {
        "metric": lambda row: metric_in_words(row["metric"]),
        "value": lambda row: percent(row["value"]) if row["metric"] == "f1" else f"{row['value']:.3f}",
    }
    table = Table.of(others, {"task": lambda row: row["test"]}, right, folds=True)
    notes = notes_on_metrics(row["metric"] for row in others)
    return [table.titled("Further scores: F1 of the paraphrases (%), mean squared error", notes)] if others else []


def _data_sets(rows: Sequence[Row]) -> list[Table]:
    of_sets = [row for row in task_rows(rows) if row["split"] != WHOLE]
    right = {"n": lambda one: str(one[0]["n"])}
    right |= {
        name.capitalize(): lambda one, name=name: score(one[1].get(name), DOWNSTREAM_TASKS, False)
        for name in CORRELATIONS
    }
    left = {"data set": lambda one: f"{one[0]['test']} {one[0]['split']}"}
    table = Table.of(_by_metric(of_sets, "test", "split"), left, right, folds=True)
    return [table.titled("Correlations of cosines by data set (x 100)")] if of_sets else []
