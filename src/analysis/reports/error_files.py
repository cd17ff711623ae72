"""The details behind the scores of a probing run, in its folder: errors, confusions, F1 of each label."""

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
from src.analysis.results.paired_runs import PairedRun, predictions_of, read_probes
from src.display.shown import cell_of, say, shown
from src.formats.files.file_names import file_name
from src.runs.array_records import Predictions
from src.runs.directory import RunDirectory


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


def draw_confusions(work: Path, reference: str, tests: Sequence[str] | None) -> list[Path]:
    """Draws the confusion matrix of each test into `pictures/` of the run; prints and returns the files.

    Args:
        work: the work folder.
        reference: "run" for the best layer of each test, or "run:layer".
        tests: names of tests, or None for all.

    Raises:
        UnknownChoice: the run, the layer or a test is unknown; names the nearest.
        PolyprobeError: the run is not finished or has no predictions.
    """
    predicted = read_probes(work, reference, tests)
    files = [file for test in predicted.tests for file in _draw(predicted, test)]
    for file in files:
        say(f"picture   {file}")
    return files


def _draw(predicted: PairedRun, test: str) -> list[Path]:
    from src.analysis.pictures.heat_maps import confusion_figure  # matplotlib
    from src.analysis.pictures.panels import save_figure

    predictions = predicted.tests[test]
    layer = predicted.parts[0] if len(predicted.parts) == 1 else best_layer(predictions)
    if layer is None:
        return []
    run, lines = predicted.run, "\n".join(filter(None, (predicted.which, predicted.run.name)))
    return save_figure(confusion_figure(predictions, layer, lines), run.pictures / f"confusion-{file_name(test)}")
