"""The scores that were predicted for every pair of a downstream task: one checked `.npz` file for each task.

Comparisons pair items by these files.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from src.formats.files.arrays import check_places
from src.runs.array_records import read_array_record

_LAYOUT = {
    "inputs": ("U", "items"),
    "lines": ("iu", "items"),
    "sets": ("U", "sets"),
    "set_of_item": ("i", "items"),
    "gold": ("f", "items"),
    "manners": ("U", "manners"),
    "layers": ("U", "layers"),
    "seeds": ("iu", "seeds"),
    "predicted": ("f", "manners", "layers", "seeds", "items"),
}


@dataclass(frozen=True, eq=False)
class PredictedScores:
    """The pairs of one task that are scored, and what was predicted for them.

    Attributes:
        test: name of the task.
        inputs: each pair in words, a tab between its sentences: str `[items]`.
        lines: of its file, from 1: int64 `[items]`.
        sets: names of the data sets, "test" where there is one: str `[sets]`.
        set_of_item: positions in `sets`: int64 `[items]`.
        gold: float64 `[items]`.
        manners: how the scores were predicted, "score_regression" or "cosine": str `[manners]`.
        layers: as "encoding" or "encoding/8": str `[layers]`.
        seeds: int64 `[seeds]`; what is drawn in no manner is the same for all.
        predicted: NaN where a vector has no length: float64 `[manners, layers, seeds, items]`.
    """

    test: str
    inputs: np.ndarray
    lines: np.ndarray
    sets: np.ndarray
    set_of_item: np.ndarray
    gold: np.ndarray
    manners: np.ndarray
    layers: np.ndarray
    seeds: np.ndarray
    predicted: np.ndarray


def read_predicted_scores(path: Path) -> PredictedScores:
    """Reads the scores that `write_array_record` wrote.

    Raises:
        PolyprobeError: the file is absent, damaged, not of this kind, or of a task that it is not named after.
    """
    return read_array_record(path, PredictedScores, _LAYOUT, _check, "predicted scores")


def _check(scores: PredictedScores) -> None:
    check_places("set_of_item", scores.set_of_item, 0, len(scores.sets))
