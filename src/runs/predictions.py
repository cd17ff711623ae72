"""The predictions of every probe of a run for every test item: one checked `.npz` file for each test.

Comparisons pair items by these files; lists of errors, confusion and the F1 of each label are made of them.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from src.formats.files.arrays import check_places
from src.runs.array_records import read_array_record

NO_PREDICTION = -1
_LAYOUT = {
    "inputs": ("U", "items"),
    "lines": ("iu", "items"),
    "labels": ("U", "labels"),
    "gold": ("i", "items"),
    "layers": ("U", "layers"),
    "seeds": ("iu", "seeds"),
    "predicted": ("i", "layers", "seeds", "items"),
}


@dataclass(frozen=True, eq=False)
class Predictions:
    """The test items of one probing test and the predictions of the probes.

    Attributes:
        test: name of the test.
        inputs: each item in words, as it is shown: str `[items]`.
        lines: of the test file, from 1: int64 `[items]`.
        labels: of the test: str `[labels]`.
        gold: positions in `labels`: int64 `[items]`.
        layers: as "encoding" or "encoding/8": str `[layers]`.
        seeds: int64 `[seeds]`.
        predicted: positions in `labels`, -1 where a probe failed: int64 `[layers, seeds, items]`.
    """

    test: str
    inputs: np.ndarray
    lines: np.ndarray
    labels: np.ndarray
    gold: np.ndarray
    layers: np.ndarray
    seeds: np.ndarray
    predicted: np.ndarray

    def correct(self, layer: str) -> np.ndarray:
        """Returns for each item the share of seeds whose probe of this layer is right: float64 `[items]`.

        Failed probes are left out; NaN if all failed.
        """
        predicted = self.predicted[list(self.layers).index(layer)]
        trained = predicted[(predicted != NO_PREDICTION).all(axis=1)]
        return (trained == self.gold).mean(axis=0) if len(trained) else np.full(len(self.gold), np.nan)


def read_predictions(path: Path) -> Predictions:
    """Reads the predictions that `write_array_record` wrote.

    Raises:
        PolyprobeError: the file is absent, damaged, not of this kind, or of a test that it is not named after.
    """
    return read_array_record(path, Predictions, _LAYOUT, _check, "predictions")


def _check(predictions: Predictions) -> None:
    check_places("gold", predictions.gold, 0, len(predictions.labels))
    check_places("predicted", predictions.predicted, NO_PREDICTION, len(predictions.labels))
