"""What the probes of a run got wrong, item by item: files of errors, confusions and the F1 of each label."""

from collections.abc import Iterator
from pathlib import Path

from polyprobe.analysis.output.tables import Printable, shown_cells, write_file, write_table
from polyprobe.analysis.results.kinds import PROBING
from polyprobe.analysis.results.paired_runs import (
    ERROR_COLUMNS,
    LABEL_COLUMNS,
    PairedRun,
    best_layer_of_test,
    confusion_counts,
    error_rows,
    label_rows,
    predictions_of,
    read_paired_run,
)
from polyprobe.display.shown import cell_of, shown
from polyprobe.formats.files.file_names import file_name
from polyprobe.runs.array_records import Predictions
from polyprobe.runs.directory import RunDirectory


def write_details(run: RunDirectory) -> list[Path]:
    """Writes `errors/<test>.tsv` and `errors/<test>.confusion.csv` for every test of a run, and `labels.csv`.

    Errors and confusion are those of the layer that does best on dev. The files name it. Labels have all layers.

    Returns:
        the files written; none for a run without predictions.
    """
    tests = predictions_of(run)
    results = run.rows() if tests else []
    files = [file for one in tests.values() for file in _written_details(run, one, best_layer_of_test(results, one))]
    if tests:
        rows = [row for predictions in tests.values() for row in label_rows(predictions)]
        files.append(write_table(run.labels, LABEL_COLUMNS, map(shown_cells, rows)))
    return files


def _written_details(run: RunDirectory, predictions: Predictions, layer: str | None) -> list[Path]:
    if layer is None:
        return []
    counts = confusion_counts(predictions, layer)
    labels = [str(label) for label in predictions.labels]
    header = [f"gold (layer {layer})", *labels]
    rows = [(label, *of_label.tolist()) for label, of_label in zip(labels, counts, strict=True)]
    errors, name = run.errors, file_name(predictions.test)
    lines = [
        "\t".join(str(cell_of(shown(" ".join(str(value).split())))) for value in row)
        for row in (ERROR_COLUMNS, *error_rows(predictions, layer))
    ]
    return [
        write_file(errors / f"{name}.tsv", "".join(f"{line}\n" for line in lines)),
        write_table(errors / f"{name}.confusion.csv", shown_cells(header), map(shown_cells, rows)),
    ]


def draw_confusions(
    work: Path, reference: str, tests: object = None, layer: str | int | None = None
) -> Iterator[Printable]:
    """Draws the confusion matrix of each test into `pictures/` of the run.

    Args:
        tests: names of tests, or None for all.
        layer: None for the best one of each test.

    Raises:
        UnknownChoice: the run, the layer or a test is unknown; names the nearest.
        PolyprobeError: the run is not finished or has no predictions.
    """
    predicted = read_paired_run(work, PROBING, reference if layer is None else f"{reference}:{layer}", tests)
    for test in predicted.tests:
        yield from (f"picture   {file}" for file in _drawn_confusion(predicted, test))


def _drawn_confusion(predicted: PairedRun, test: str) -> list[Path]:
    from polyprobe.analysis.pictures.heat_maps import confusion_figure  # matplotlib
    from polyprobe.analysis.pictures.panels import save_figure

    predictions = predicted.tests[test]
    run = predicted.run
    layer = predicted.parts[0] if len(predicted.parts) == 1 else best_layer_of_test(run.rows(), predictions)
    if layer is None:
        return []
    lines = "\n".join(filter(None, (predicted.which, predicted.run.name)))
    return save_figure(confusion_figure(predictions, layer, lines), run.pictures / f"confusion-{file_name(test)}")
