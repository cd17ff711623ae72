"""Reports a finished run: its tables, its pictures, and where the files are.

Of a probing run details are among these: errors, confusions and the F1 of each label.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from polyprobe.analysis.output.tables import (
    Printable,
    Table,
    files_line,
    picture_lines,
    shown_cells,
    write_file,
    write_table,
    write_tables,
)
from polyprobe.analysis.pictures.percent_axes import CLOSE
from polyprobe.analysis.published.scoreboard import published_of_runs
from polyprobe.analysis.reports.expectations import expected_of_run, report_expected
from polyprobe.analysis.reports.made_files import MadeFiles, files_made_before, remember_files
from polyprobe.analysis.results.kinds import DOWNSTREAM_TASK, GROUPS, KINDS, MINIMAL_SETS, PROBING, Kind
from polyprobe.analysis.results.paired_runs import (
    ERROR_COLUMNS,
    LABEL_COLUMNS,
    PairedRun,
    best_layer,
    confusion_counts,
    error_rows,
    label_rows,
    predictions_of,
    read_probes,
)
from polyprobe.analysis.results.rows import Row, epoch_scores
from polyprobe.analysis.tables.minimal_sets import minimal_set_tables
from polyprobe.analysis.tables.score_tables import downstream_tables, probing_tables
from polyprobe.analysis.tables.training import training_table
from polyprobe.display.shown import cell_of, short_path, shown
from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.atomic import READ_ONLY
from polyprobe.formats.files.file_names import file_name
from polyprobe.runs.array_records import Predictions
from polyprobe.runs.directory import RunDirectory


def report_run(path: Path, expected: Mapping[str, Any] | None, axis: str = CLOSE) -> Iterator[Printable]:
    """Tells the scores of a finished run, draws its pictures, and says where everything is.

    Args:
        path: the folder of a run of training, probing, minimal sets or downstream tasks.
        expected: what an experiment expects of the run (`source`, `rows`), or None.

    Raises:
        PolyprobeError: the run has no results.
    """
    run = RunDirectory(Path(path))
    rows = rows_of_run(run)
    tables = tables_of_rows(rows)
    yield from (table for of_name in tables.values() for table in of_name)
    if expected:
        yield from report_expected(expected_of_run(expected, run), rows)
    yield from published_of_runs([run.path])
    try:
        made = files_made_before(run, axis)
        if made is None:
            written = [write_tables(run.pictures / name, of_name) for name, of_name in tables.items()]
            made = MadeFiles(write_details(run), written, _draw(run, rows, axis))
            remember_files(run, axis, made)
    except OSError as error:
        if error.errno not in READ_ONLY:
            raise
        found = f"{error.filename or run.path} cannot be written ({error.strerror})"
        yield f"{found}: the tables and pictures of the run stay as they are."
        return
    places = dict.fromkeys(file.parent if file.parent == run.errors else file for file in made.details)
    yield from (f"details   {short_path(place)}" for place in places)
    yield from map(files_line, made.tables)
    yield from _places(run, made.pictures)


def draw_run(path: Path, axis: str = CLOSE) -> Iterator[Printable]:
    """Draws the pictures of a run again, into its folder. Arguments as `report_run`.

    Raises:
        PolyprobeError: the run has no results, or none that a picture shows, or its folder cannot be written.
    """
    run = RunDirectory(Path(path))
    rows = rows_of_run(run)
    try:
        run.made_files.unlink(missing_ok=True)  # what it remembers is drawn over
        pictures = _draw(run, rows, axis)
    except OSError as error:
        if error.errno not in READ_ONLY:
            raise
        found = f"{error.filename or run.path} cannot be written ({error.strerror}): pictures belong into their run"
        raise PolyprobeError(f"{found}. Copy the run, and draw the copy.") from error
    if not pictures:
        raise PolyprobeError(
            f"{run.results} has no row that a picture shows: none of stage training, probing, minimal_sets or "
            "downstream_task."
        )
    yield from _places(run, pictures)


TABLES: Mapping[str, Callable[[Sequence[Row]], list[Table]]] = {
    PROBING.stage: probing_tables,
    MINIMAL_SETS: minimal_set_tables,
    DOWNSTREAM_TASK: downstream_tables,
}
"""By the stage of a kind, its tables."""


def tables_of_kind(kind: Kind, rows: Sequence[Row]) -> list[Table]:
    """Formats all results of a kind in rows of one or more runs."""
    return TABLES[kind.stage](rows)


def rows_of_run(run: RunDirectory) -> list[Row]:
    """Reads the rows of a finished run.

    Raises:
        PolyprobeError: it is not finished.
    """
    try:
        return run.rows()
    except FileNotFoundError as error:
        raise PolyprobeError(f"{run.path} has no results.jsonl: the run is not finished.") from error


def tables_of_rows(rows: Sequence[Row]) -> dict[str, list[Table]]:
    """Makes the tables of a run by what they are about, which names their files."""
    tables = {"training": [training_table(rows)]} if any(row["stage"] == "test" for row in rows) else {}
    shown = first_best_last(rows)
    return tables | {name: tables_of_kind(kind, shown) for name, kind in KINDS.items() if kind.rows(rows)}


def first_best_last(rows: Sequence[Row]) -> Sequence[Row]:
    """Leaves of what a training run probed and scored the rows before training, at the best and at the last epoch."""
    trained = next(iter(epoch_scores(rows, "training").values()), None)
    if trained is None:
        return rows
    best = [row["epoch"] for row in rows if row["stage"] == "test" and row.get("epoch") is not None]
    shown = {min(trained), max(trained), *best}
    return [row for row in rows if row["stage"] not in ("probing", MINIMAL_SETS, GROUPS) or row.get("epoch") in shown]


def _draw(run: RunDirectory, rows: Sequence[Row], axis: str) -> list[Path]:
    from polyprobe.analysis.pictures.of_run import figures_of_run  # matplotlib
    from polyprobe.analysis.pictures.panels import save_figure

    figures = figures_of_run(rows, axis)
    return [file for name, figure in figures for file in save_figure(figure, run.pictures / name)]


def _places(run: RunDirectory, pictures: Sequence[Path]) -> Iterator[str]:
    yield f"results   {short_path(run.results)}"
    yield f"run       {short_path(run.provenance)}"
    yield from picture_lines(pictures)


def write_details(run: RunDirectory) -> list[Path]:
    """Writes `errors/<test>.tsv` and `errors/<test>.confusion.csv` for every test of a run, and `labels.csv`.

    Errors and confusion are those of one layer, the one with the highest score on the test (the lowest of equals): a
    choice of what to look at, no result. The files name it. Labels have all layers.

    Returns:
        the files written; none for a run without predictions.
    """
    tests = predictions_of(run)
    files = [file for predictions in tests.values() for file in _written_details(run, predictions)]
    if tests:
        rows = [row for predictions in tests.values() for row in label_rows(predictions)]
        files.append(write_table(run.labels, LABEL_COLUMNS, map(shown_cells, rows)))
    return files


def _written_details(run: RunDirectory, predictions: Predictions) -> list[Path]:
    layer = best_layer(predictions)
    if layer is None:
        return []
    counts = confusion_counts(predictions, layer)
    labels = [str(label) for label in predictions.labels]
    header = [f"gold (layer {layer})", *labels]
    rows = [(label, *of_label.tolist()) for label, of_label in zip(labels, counts, strict=True)]
    errors, name = run.errors, file_name(predictions.test)
    return [
        write_file(errors / f"{name}.tsv", "".join(map(_tsv_line, (ERROR_COLUMNS, *error_rows(predictions, layer))))),
        write_table(errors / f"{name}.confusion.csv", shown_cells(header), map(shown_cells, rows)),
    ]


def _tsv_line(row: Iterable[object]) -> str:
    return "\t".join(str(cell_of(shown(" ".join(str(value).split())))) for value in row) + "\n"


def draw_confusions(work: Path, reference: str, tests: object = None) -> Iterator[Printable]:
    """Draws the confusion matrix of each test into `pictures/` of the run.

    Args:
        reference: "run" for the best layer of each test, or "run:layer".
        tests: names of tests, or None for all.

    Raises:
        UnknownChoice: the run, the layer or a test is unknown; names the nearest.
        PolyprobeError: the run is not finished or has no predictions.
    """
    predicted = read_probes(work, reference, tests)
    for test in predicted.tests:
        yield from (f"picture   {file}" for file in _drawn_confusion(predicted, test))


def _drawn_confusion(predicted: PairedRun, test: str) -> list[Path]:
    from polyprobe.analysis.pictures.heat_maps import confusion_figure  # matplotlib
    from polyprobe.analysis.pictures.panels import save_figure

    predictions = predicted.tests[test]
    layer = predicted.parts[0] if len(predicted.parts) == 1 else best_layer(predictions)
    if layer is None:
        return []
    run, lines = predicted.run, "\n".join(filter(None, (predicted.which, predicted.run.name)))
    return save_figure(confusion_figure(predictions, layer, lines), run.pictures / f"confusion-{file_name(test)}")
