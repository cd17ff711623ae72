"""Draws confusion matrices: `python analyze.py confusion=run tests=[Case]`."""

from collections.abc import Sequence
from pathlib import Path

from src.analysis.pictures.heat_maps import draw_confusion
from src.analysis.results.errors_and_labels import best_layer
from src.analysis.results.probing_run import Predicted, read_predicted
from src.display.shown import say
from src.formats.files.file_names import file_name


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
    predicted = read_predicted(work, reference, tests)
    files = [file for test in predicted.tests for file in _draw(predicted, test)]
    for file in files:
        say(f"picture   {file}")
    return files


def _draw(predicted: Predicted, test: str) -> list[Path]:
    predictions = predicted.tests[test]
    layer = predicted.layers[0] if len(predicted.layers) == 1 else best_layer(predictions)
    if layer is None:
        return []
    run, lines = predicted.run, "\n".join(filter(None, (predicted.which, predicted.run.name)))
    return draw_confusion(predictions, layer, lines, run.pictures / f"confusion-{file_name(test)}")
