"""What became of one task: what was predicted for each of its items, and how."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class TaskOutcome:
    """The predictions of one task by one layer and seed.

    Attributes:
        predictions: for the items that are scored, in their order: int64 label ids, or float64 scores or cosines, NaN
            where there is none (the cosine of a vector without length).
        fold_accuracies: of the test folds, 0 to 1; empty without nested folds.
        dev: the dev score of what was chosen (accuracy, or Pearson's correlation); NaN where nothing was.
        cell: what dev chose ("weight_decay=0.001"), or "".
    """

    predictions: np.ndarray
    fold_accuracies: tuple[float, ...] = ()
    dev: float = float("nan")
    cell: str = ""
