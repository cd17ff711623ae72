"""Outcomes of tasks that earlier runs, or earlier starts of this one, have found: nothing is fitted twice."""

import hashlib
import json
from pathlib import Path

import numpy as np
import torch

from src.formats.files.arrays import UnreadableArrays, read_arrays, write_arrays
from src.probing.bank import bank
from src.probing.bank.outcome_cache import source_digest
from src.probing.downstream.outcome import TaskOutcome


class KeptTaskOutcomes:
    """Files of outcomes in one folder, each named by all that it depends on.

    That is the name it is asked by, the number of threads, the version of torch and the source of this room and of the
    bank: a changed program fits anew.

    Args:
        folder: made when the first outcome is kept.
    """

    def __init__(self, folder: Path):
        rooms = Path(__file__).parent, Path(bank.__file__).parent
        self._folder = Path(folder)
        self._about = json.dumps([torch.__version__, torch.get_num_threads(), source_digest(*rooms)])

    def read(self, name: str) -> TaskOutcome | None:
        """Returns an outcome that was kept under this name; None where there is none, or it is damaged."""
        try:
            saved = read_arrays(self._path(name))
            if str(saved["name"]) != name:
                return None  # a file under the name of another
            folds = tuple(saved["fold_accuracies"].tolist())
            return TaskOutcome(saved["predictions"], folds, float(saved["dev"]), str(saved["cell"]))
        except (UnreadableArrays, KeyError, ValueError, TypeError):
            return None

    def write(self, name: str, outcome: TaskOutcome) -> None:
        """Keeps an outcome, whole or not at all."""
        arrays = {
            "name": np.array(name),
            "predictions": outcome.predictions,
            "fold_accuracies": np.array(outcome.fold_accuracies),
            "dev": np.array(outcome.dev),
            "cell": np.array(outcome.cell),
        }
        write_arrays(self._path(name), arrays)

    def _path(self, name: str) -> Path:
        digest = hashlib.sha256(f"{self._about} {name}".encode()).hexdigest()[:32]
        return self._folder / digest[:2] / f"{digest}.npz"
