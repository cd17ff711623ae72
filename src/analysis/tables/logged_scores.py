"""Tables and numbers of scores for a dashboard: values as they are, without marks."""

from collections.abc import Iterable, Mapping, Sequence

from polyprobe.analysis.output.tables import Table, table_of_rows
from polyprobe.analysis.results.kinds import ACCURACY, AVERAGE
from polyprobe.analysis.results.paired_runs import LABEL_COLUMNS, label_rows, predictions_of
from polyprobe.analysis.results.result_grid import Grid
from polyprobe.analysis.results.rows import Row, best_layer, layer_of_row
from polyprobe.analysis.tables.score_tables import OF_THE_ITEMS
from polyprobe.formats.files.file_names import file_name
from polyprobe.metrics.probe_metrics import beside_accuracy
from polyprobe.runs.directory import RunDirectory

OF_MINIMAL_SETS = (
    *("lang", "predictor", "epoch", "metric", "n", "value", "sd", "interval_low", "interval_high"),
    *("ties", "skipped", "margin", "median_margin", "n_seeds"),
)
Logged = tuple[Mapping[str, Table], Mapping[str, float]]
"""Tables, and numbers, by their names."""


def logged_cells(grid: Grid, run: RunDirectory) -> Logged:
    """Returns of tests or tasks the table of scores, that of lines by columns, and that of labels where the run has
    predictions; a number for each line and layer, under `<metric>/<test>/<layer>`, and those of `summary_of_line` for
    its best layer on dev. What failed has none."""
    named = [{**row, "layer": layer_of_row(row)} for row in grid.rows]
    of_layers = [column.name for column in beside_accuracy()]
    columns = ("value", "interval_low", "interval_high", *grid.kind.baselines, *of_layers, *OF_THE_ITEMS)
    by_label = [row for predictions in predictions_of(run).values() for row in label_rows(predictions)]
    tables = {
        "scores": table_of_rows(named, ["test", "layer", "n", *_filled(grid.rows, columns)]),
        "tests by layers": _by_columns(grid, "test"),
        **({"labels": Table(LABEL_COLUMNS, rows=by_label)} if by_label else {}),
    }
    numbers = {f"{row['metric']}/{file_name(row['test'])}/{row['layer']}": row["value"] for row in named}
    for name, line in zip(grid.names(), grid.lines, strict=True):
        layer, _ = best_layer(grid.known(line))
        best = next(row for row in grid.known(line) if layer_of_row(row) == layer)
        numbers |= summary_of_line(file_name(name), best, [*grid.kind.baselines, *of_layers])
    return tables, _known(numbers)


def summary_of_line(name: str, row: Row, compared: Iterable[str] = ()) -> dict[str, float | None]:
    """Returns what runs are sorted by: a score as `Case`, its interval as `Case/low` and `Case/high`, and what it is
    compared with as `memoriser/Case`.

    Args:
        name: of the test, task or construction.
        row: of its score; may be empty.
        compared: columns of rows.
    """
    interval = {f"{name}/low": row.get("interval_low"), f"{name}/high": row.get("interval_high")}
    return {name: row.get("value"), **interval, **{f"{column}/{name}": row.get(column) for column in compared}}


def logged_sets(grid: Grid, of_metrics: Sequence[Row]) -> Logged:
    """Returns of minimal sets the table of scores and that of lines by columns; a number for each construction, under
    `accuracy/<construction>`, with its epoch where there are several, and those of `summary_of_line` for the last
    column. What failed has none.
    """
    headers = [f"/{header}" if len(grid.columns) > 1 else "" for header in grid.one_line_headers()]
    endings = dict(zip(grid.columns, headers, strict=True))
    tables = {
        "scores": table_of_rows(of_metrics, ["test", *_filled(of_metrics, OF_MINIMAL_SETS)], ["construction"]),
        "constructions": _by_columns(grid, "construction"),
    }
    numbers = {
        f"{ACCURACY}/{file_name(test)}{endings[at]}": row["value"] for ((_, test), at), row in grid.cells.items()
    }
    last = [*zip(grid.names(), grid.of_column(grid.columns[-1]), strict=True), (AVERAGE, grid.whole(grid.columns[-1]))]
    for name, row in last:
        numbers |= summary_of_line(file_name(name), row or {})
    return tables, _known(numbers)


def _filled(rows: Iterable[Row], columns: Sequence[str]) -> list[str]:
    """Returns the columns in which a row has something."""
    rows = list(rows)
    return [column for column in columns if any(row.get(column) is not None for row in rows)]


def _by_columns(grid: Grid, noun: str) -> Table:
    lines = zip(grid.names(), grid.values("value").tolist(), strict=True)
    return Table([noun], grid.one_line_headers(), [[name, *values] for name, values in lines])


def _known(numbers: Mapping[str, float | None]) -> dict[str, float]:
    return {name: value for name, value in numbers.items() if value is not None}
