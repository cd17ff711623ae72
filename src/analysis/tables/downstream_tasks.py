"""Formats scores on downstream tasks as tables: the headline of each task, correlations in every manner, data sets."""

import math
from collections.abc import Iterable, Sequence

from src.analysis.output.marks import notes_on_marks
from src.analysis.output.terminal_tables import BEST, FoldedTable, TitledTable
from src.analysis.results.downstream_rows import WHOLE, headline_rows, task_rows
from src.analysis.results.probing_grid import ACCURACY, Grid, arranged
from src.analysis.results.rows import (
    Row,
    distinct,
    percent,
    rests_on_few_items,
    said_of_one,
    value_of,
    without_marks,
)
from src.analysis.tables.probing import BESIDE_FIRST, best_places, marked
from src.runs.results import FEW_ITEMS

SAID = ("lang", "suite", "encoder")
BASELINES = {"majority": "largest class", "length": "length"}
CORRELATIONS = ("pearson", "spearman")
MEANS = {"": "", "_weighted_mean": "weighted", "_of_joined_rows": "joined"}
OTHERS = {"f1": "F1", "mse": "squared error"}


def downstream_tables(rows: Sequence[Row]) -> list[TitledTable]:
    """Formats all scores of one or more runs of downstream tasks."""
    grid = arranged(headline_rows(rows))
    tables = [_headlines(grid)]
    whole = [row for row in task_rows(rows) if row["split"] == WHOLE]
    if any(row["metric"] in CORRELATIONS for row in whole):
        tables.append(_correlations(whole))
    if len(grid.columns) == 1:
        tables += _others(whole)
        tables += _data_sets(rows)
    return tables


def _headlines(grid: Grid) -> TitledTable:
    before = {name: header for name, header in BASELINES.items() if grid.has(name)}
    after = {"leakage": "in train, too"} if grid.has("leakage") else {}
    headers = ["score"] if grid.headers() == [ACCURACY] else grid.headers()
    table = FoldedTable("task", ["n", "metric", *before.values(), *headers, *after.values()])
    for name, test in zip(grid.test_names(), grid.tests, strict=True):
        cells, first = grid.of_test(test), grid.first(test)
        best = best_places([math.nan if row is None else value_of(row) for row in cells])
        scores = [marked(_score(row), place in best) for place, row in enumerate(cells)]
        left, right = ([percent(first.get(column)) for column in columns] for columns in (before, after))
        table.rows.append([name, str(first["n"]), _metric(first), *left, *scores, *right])
    title = f"Downstream tasks (%): {said_of_one(grid.rows, *SAID)}"
    return TitledTable(title, table, _notes(grid))


def _metric(row: Row) -> str:
    return row["metric"] if row["metric"] == ACCURACY else f"Pearson, {_manner(row)}"


def _manner(row: Row) -> str:
    return "regression" if row.get("probe") == "score_regression" else str(row.get("probe"))


def _score(row: Row | None) -> str:
    if row is None:
        return "-"
    low, high = row.get("interval_low"), row.get("interval_high")
    half = "" if low is None or high is None else f" ±{percent((high - low) / 2)}"
    few = "*" if rests_on_few_items(row) else ""
    return f"{percent(row['value'])}{few}{row.get(BESIDE_FIRST, '')}{half}"


def _notes(grid: Grid) -> list[str]:
    rows, notes = grid.rows, []
    if len(grid.columns) > 1:
        notes.append(f"{BEST} best of its line.")
    if any(row.get("interval_low") is not None for row in rows):
        notes.append("±: half the 95 % bootstrap interval over items, those of a data set among themselves.")
    if any(row["test"].startswith("STS") and row.get("probe") == "cosine" for row in rows):
        notes.append("STS: the unweighted mean over data sets; the other means stand below.")
    if grid.has("leakage"):
        notes.append(
            "in train, too: share of the scored items all of whose sentences train has; with folds, that occur twice."
        )
    if any(row.get("scorer") == "released" for row in rows):
        notes.append("By the rules of the published toolkit, its faults included (protocol=released).")
    notes += notes_on_marks("items" if any(map(rests_on_few_items, rows)) else None, False)
    if any(row.get("n_seeds") == 1 for row in rows):
        notes.append("Every fit rests on one seed.")
    return [*notes, *_notes_of_tasks(rows)]


def _notes_of_tasks(rows: Iterable[Row]) -> list[str]:
    tasks: dict[str, list[str]] = {}
    for row in rows:
        note = without_marks(row.get("note"), "one seed", f"fewer than {FEW_ITEMS} items")
        if note and row["test"] not in tasks.setdefault(note, []):
            tasks[note].append(row["test"])
    return [f"{', '.join(names)}: {note}." for note, names in tasks.items()]


def _correlations(rows: Sequence[Row]) -> TitledTable:
    """Formats both correlations in every manner: a line per task, manner, layer and epoch."""
    metrics = [f"{name}{mean}" for name in CORRELATIONS for mean in MEANS]
    found = {metric for metric in metrics if any(row["metric"] == metric for row in rows)}
    shown = [metric for metric in metrics if metric in found]
    table = FoldedTable("task", [*map(_correlation_header, shown), "manner", "layer"])
    scored = [row for row in rows if row["metric"] in metrics]
    several_runs = len(distinct(scored, "run")) > 1
    for key in distinct(scored, "run", "test", "probe", "layer", "epoch"):
        of_line = {row["metric"]: row for row in scored if _key(row) == key}
        first = next(iter(of_line.values()))
        values = [percent(of_line[metric]["value"]) if metric in of_line else "-" for metric in shown]
        run = f", {first['run']}" if several_runs else ""
        epoch = "" if first.get("epoch") is None else f", epoch {first['epoch']}"
        table.rows.append([first["test"], *values, _manner(first), f"{first.get('layer') or '-'}{epoch}{run}"])
    notes = ["Of several data sets: the mean over them, weighted by their pairs, and of the rows of all joined."]
    return TitledTable("Correlations with the gold scores (x 100)", table, notes)


def _key(row: Row) -> tuple:
    return tuple(row.get(column) for column in ("run", "test", "probe", "layer", "epoch"))


def _correlation_header(metric: str) -> str:
    name, _, mean = metric.partition("_")
    words = MEANS.get(f"_{mean}", "") if mean else ""
    return f"{name.capitalize()} {words}".strip()


def _others(rows: Sequence[Row]) -> list[TitledTable]:
    table = FoldedTable("task", ["metric", "value"])
    for row in rows:
        if row["metric"] in OTHERS:
            value = percent(row["value"]) if row["metric"] == "f1" else f"{row['value']:.3f}"
            table.rows.append([row["test"], OTHERS[row["metric"]], value])
    return [TitledTable("Further scores: F1 of the paraphrases (%), mean squared error", table)] if table.rows else []


def _data_sets(rows: Sequence[Row]) -> list[TitledTable]:
    of_sets = [row for row in task_rows(rows) if row["split"] != WHOLE]
    table = FoldedTable("data set", ["n", "Pearson", "Spearman"])
    for test, split in distinct(of_sets, "test", "split"):
        by_metric = {row["metric"]: row for row in of_sets if (row["test"], row["split"]) == (test, split)}
        first = next(iter(by_metric.values()))
        table.rows.append([f"{test} {split}", str(first["n"]), *(_score(by_metric.get(name)) for name in CORRELATIONS)])
    return [TitledTable("Correlations of cosines by data set (x 100)", table)] if of_sets else []
