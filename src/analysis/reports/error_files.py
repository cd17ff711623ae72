"""Writes the details behind the scores of a probing run into its folder: errors, confusions, F1 of each label."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from src.analysis.output.csv_files import shown_cells, write_file, write_table
from src.analysis.results.errors_and_labels import (
    ERROR_COLUMNS,
    LABEL_COLUMNS,
    best_layer,
    confusion_counts,
    error_rows,
    label_rows,
)
from src.analysis.results.probing_run import predictions_of
from src.display.shown import shown
from src.display.spreadsheets import cell_of
from src.formats.files.file_names import file_name
from src.runs.directory import RunDirectory
from src.runs.predictions import Predictions


def write_details(run: RunDirectory) -> list[Path]:
    """Writes `errors/<test>.tsv` and `errors/<test>.confusion.csv` for every test of a run, and `labels.csv`.

    Errors and confusion are those of one layer, the one with the highest score on the test (the lowest of equals): a
    choice of what to look at, no result. The files name it. Labels have all layers.

    Returns:
        the files written; none for a run without predictions.
    """
    tests = predictions_of(run)
    files = [file for predictions in tests.values() for file in _write_test(run, predictions)]
    if tests:
        rows = [row for predictions in tests.values() for row in label_rows(predictions)]
        files.append(write_table(run.labels, LABEL_COLUMNS, map(shown_cells, rows)))
    return files


def _write_test(run: RunDirectory, predictions: Predictions) -> list[Path]:
    layer = best_layer(predictions)
    if layer is None:
        return []
    counts = confusion_counts(predictions, layer)
    labels = [str(label) for label in predictions.labels]
    header = [f"gold (layer {layer})", *labels]
    rows = [(label, *of_label.tolist()) for label, of_label in zip(labels, counts, strict=True)]
    errors, name = run.errors, file_name(predictions.test)
    return [
        _write_tsv(errors / f"{name}.tsv", ERROR_COLUMNS, error_rows(predictions, layer)),
        write_table(errors / f"{name}.confusion.csv", shown_cells(header), map(shown_cells, rows)),
    ]


def _write_tsv(path: Path, header: Sequence[str], rows: Iterable[tuple]) -> Path:
    lines = ["\t".join(map(_one_line, row)) + "\n" for row in (header, *rows)]
    return write_file(path, "".join(lines))


def _one_line(value: object) -> str:
    return str(cell_of(shown(" ".join(str(value).split()))))
