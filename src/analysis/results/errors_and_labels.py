"""Details behind the scores of a probing run: F1 of each label, confusion counts, and the list of errors."""

from collections.abc import Iterator

import numpy as np

from src.analysis.results.paired_runs import n_trained
from src.metrics.classification import confusion, f1_by_label
from src.runs.array_records import NO_PREDICTION, Predictions

ERROR_COLUMNS = ("line", "item", "gold", "predicted", "seeds", "layer")
DIGITS = 9  # sums of thirds differ beyond
LABEL_COLUMNS = ("test", "layer", "label", "f1", "n")


def best_layer(predictions: Predictions) -> str | None:
    """Names the layer with the highest accuracy on the test; None where every probe failed."""
    trained = [str(layer) for layer in predictions.layers if n_trained(predictions, layer)]
    scores = {layer: round(float(predictions.correct(layer).mean()), DIGITS) for layer in trained}
    return max(scores, key=scores.get, default=None)


def error_rows(predictions: Predictions, layer: str) -> Iterator[tuple]:
    """Yields a row for every item and every wrong label that some seed predicted for it, in the order of the test file.

    A row has the columns `ERROR_COLUMNS`; seeds are joined by commas.
    """
    at_layer = _predicted(predictions, layer)
    for place, gold in enumerate(predictions.gold):
        said = at_layer[:, place]
        for label in np.unique(said[(said != gold) & (said != NO_PREDICTION)]):
            seeds = ",".join(str(seed) for seed in predictions.seeds[said == label])
            line, item = int(predictions.lines[place]), str(predictions.inputs[place])
            yield line, item, str(predictions.labels[gold]), str(predictions.labels[label]), seeds, layer


def confusion_counts(predictions: Predictions, layer: str) -> np.ndarray:
    """Counts how often each gold label was predicted as each label, summed over seeds: int64 `[gold, predicted]`."""
    n_labels = len(predictions.labels)
    trained = _trained(predictions, layer)
    return sum((confusion(predictions.gold, one, n_labels) for one in trained), np.zeros((n_labels,) * 2, np.int64))


def label_rows(predictions: Predictions) -> Iterator[tuple]:
    """Yields the F1 of every label in gold at every layer, averaged over seeds, and its number of items."""
    numbers = np.bincount(predictions.gold, minlength=len(predictions.labels))
    for layer in predictions.layers:
        by_seed = [f1_by_label(predictions.gold, one) for one in _trained(predictions, layer)]
        for label in by_seed[0] if by_seed else ():
            f1 = float(np.mean([scores[label] for scores in by_seed]))
            yield predictions.test, str(layer), str(predictions.labels[label]), round(f1, 6), int(numbers[label])


def _predicted(predictions: Predictions, layer: str) -> np.ndarray:
    """Returns the labels that each seed predicted: int64 `[seeds, items]`."""
    return predictions.predicted[list(predictions.layers).index(layer)]


def _trained(predictions: Predictions, layer: str) -> np.ndarray:
    predicted = _predicted(predictions, layer)
    return predicted[(predicted != NO_PREDICTION).all(axis=1)]
