"""Tables and numbers of scores for a dashboard: values as they are, without marks."""

from collections.abc import Iterable, Sequence

from polyprobe.analysis.output.tables import Table, table_of_rows
from polyprobe.analysis.results.kinds import ACCURACY, CONSTRUCTIONS, DOWNSTREAM_TASKS, METRICS, PROBING
from polyprobe.analysis.results.paired_runs import LABEL_COLUMNS, label_rows, predictions_of
from polyprobe.analysis.results.result_grid import Grid, grid_of
from polyprobe.analysis.results.rows import Row, layer_of_row, probing_rows
from polyprobe.analysis.tables.score_tables import BASELINES, OF_THE_ITEMS
from polyprobe.formats.files.file_names import file_name
from polyprobe.metrics.probe_metrics import beside_accuracy
from polyprobe.runs.directory import RunDirectory

OF_MINIMAL_SETS = (
    *("lang", "predictor", "epoch", "metric", "n", "value", "sd", "interval_low", "interval_high"),
    *("ties", "skipped", "margin", "median_margin", "n_seeds"),
)


def logged_tables(run: RunDirectory) -> dict[str, Table]:
    """Returns the table of scores, that of lines by columns, and where the run has predictions that of labels."""
    rows = run.rows()
    constructions, tasks = grid_of(CONSTRUCTIONS, rows), grid_of(DOWNSTREAM_TASKS, rows)
    if constructions.rows:
        of_metrics = [row for metric in METRICS for row in CONSTRUCTIONS.of_metric(metric).rows(rows)]
        scores = table_of_rows(of_metrics, ["test", *_filled(of_metrics, OF_MINIMAL_SETS)], ["construction"])
        return {"scores": scores, "constructions": _by_columns(constructions, "construction")}
    found = [*probing_rows(rows), *tasks.rows]
    named = [{**row, "layer": layer_of_row(row)} for row in found]
    of_layers = [column.name for column in beside_accuracy()]
    of_probing = ("value", "interval_low", "interval_high", *BASELINES, *of_layers, *OF_THE_ITEMS)
    by_label = [row for predictions in predictions_of(run).values() for row in label_rows(predictions)]
    return {
        "scores": table_of_rows(named, ["test", "layer", "n", *_filled(found, of_probing)]),
        "tests by layers": _by_columns(tasks if tasks.rows else grid_of(PROBING, rows), "test"),
        **({"labels": Table(LABEL_COLUMNS, rows=by_label)} if by_label else {}),
    }


def logged_numbers(rows: Sequence[Row]) -> dict[str, float]:
    """Returns a number for each test and layer, under `accuracy/<test>/<layer>`; of minimal sets for each construction,
    under `accuracy/<construction>`, with its epoch where there are several; of downstream tasks the headline, under
    its metric. What failed has none."""
    grid = grid_of(CONSTRUCTIONS, rows)
    headers = [f"/{_one_line(header)}" if len(grid.columns) > 1 else "" for header in grid.headers()]
    endings = dict(zip(grid.columns, headers, strict=True))
    named = {f"{ACCURACY}/{file_name(test)}{endings[column]}": row for ((_, test), column), row in grid.cells.items()}
    for row in [*probing_rows(rows), *DOWNSTREAM_TASKS.rows(rows)]:
        named[f"{row['metric']}/{file_name(row['test'])}/{layer_of_row(row)}"] = row
    return {name: row["value"] for name, row in named.items() if row["value"] is not None}


def _filled(rows: Iterable[Row], columns: Sequence[str]) -> list[str]:
    """Returns the columns in which a row has something."""
    rows = list(rows)
    return [column for column in columns if any(row.get(column) is not None for row in rows)]


def _by_columns(grid: Grid, noun: str) -> Table:
    lines = zip(grid.names(), grid.values("value").tolist(), strict=True)
    return Table([noun], list(map(_one_line, grid.headers())), [[name, *values] for name, values in lines])


def _one_line(header: str) -> str:
    return header.replace("\n", ", ")
