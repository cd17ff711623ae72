"""Chooses one layer of a run that has several: by dev, so that no test item has a say."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from src.analysis.results.rows import Row, layer_of_row

ON_DEV, LAST = "the best on dev", "the last, since dev is not recorded"
SENTENCE_EMBEDDING = "sentence_embedding"  # is made of the last layer


@dataclass(frozen=True, slots=True)
class ChosenLayer:
    """A layer as predictions name it ("8", "encoding/8"), and why it was taken; "" where there is no other."""

    name: str
    reason: str


def chosen_layer(rows: Sequence[Row]) -> ChosenLayer:
    """Returns the layer whose probes do best on dev in the mean of all tests, the first of equals.

    Where a row has no score on dev, as in runs of earlier versions, it is the last layer in the order of the run; what
    sentence-transformers make of a sentence counts as the last.

    Args:
        rows: one for each test and layer of a run.
    """
    layers = list(dict.fromkeys(map(layer_of_row, rows)))
    if len(layers) == 1:
        return ChosenLayer(layers[0], "")
    if any(row.get("dev") is None for row in rows):
        return ChosenLayer(SENTENCE_EMBEDDING if SENTENCE_EMBEDDING in layers else layers[-1], LAST)
    on_dev = {layer: fmean(row["dev"] for row in rows if layer_of_row(row) == layer) for layer in layers}
    return ChosenLayer(max(layers, key=on_dev.__getitem__), ON_DEV)
