"""The weights of linear probes over the neurons of all layers: one checked `.npz` file for each test of a run."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from src.formats.files.arrays import UnreadableArrays
from src.runs.array_records import read_array_record

NO_EPOCH = -1
SEARCHED = ("l1", "l2", "dev accuracy", "dev accuracy of the top", "dev accuracy of the bottom", "score")
"""The columns of `NeuronWeights.searched`."""
_LAYOUT = {
    "labels": ("U", "labels"),
    "layers": ("U", "layers"),
    "widths": ("i", "layers"),
    "epochs": ("i", "epochs"),
    "seeds": ("i", "seeds"),
    "weights": ("f", "epochs", "seeds", "labels", "neurons"),
    "biases": ("f", "epochs", "seeds", "labels"),
    "searched": ("f", "epochs", "seeds", "cells", "columns"),
    "control_weights": ("f", "controls", "seeds", "labels", "neurons"),
    "control_biases": ("f", "controls", "seeds", "labels"),
}


@dataclass(frozen=True, eq=False)
class NeuronWeights:
    """What the probes of one test weigh, epoch by epoch and seed by seed.

    Attributes:
        test: name of the test.
        labels: of the test: str `[labels]`.
        layers: of the encoder, lowest first: str `[layers]`.
        widths: neurons of each: int64 `[layers]`; neuron 0 is the first of the lowest layer.
        epochs: of the encoder's checkpoints, `NO_EPOCH` for one that has none: int64 `[epochs]`.
        seeds: int64 `[seeds]`.
        weights: float32 `[epochs, seeds, labels, neurons]`; NaN where the probe failed.
        biases: float32 `[epochs, seeds, labels]`.
        searched: how each cell of the grid did, in the columns `SEARCHED`: float64 `[epochs, seeds, cells, 6]`.
        control_weights, control_biases: of the probes of the control task; no epoch where none were trained.
    """

    test: str
    labels: np.ndarray
    layers: np.ndarray
    widths: np.ndarray
    epochs: np.ndarray
    seeds: np.ndarray
    weights: np.ndarray
    biases: np.ndarray
    searched: np.ndarray
    control_weights: np.ndarray
    control_biases: np.ndarray


def read_neuron_weights(path: Path) -> NeuronWeights:
    """Reads the weights that `write_array_record` wrote.

    Raises:
        PolyprobeError: the file is absent, damaged, not of this kind, or of a test that it is not named after.
    """
    return read_array_record(path, NeuronWeights, _LAYOUT, _check, "weights of neurons")


def _check(record: NeuronWeights) -> None:
    n_neurons = record.weights.shape[-1]
    if (record.widths < 1).any() or record.widths.sum() != n_neurons:
        raise UnreadableArrays(f"widths are {record.widths.tolist()}, but weights are of {n_neurons} neurons")
    if record.searched.shape[-1] != len(SEARCHED):
        raise UnreadableArrays(f"searched has {record.searched.shape[-1]} columns, not {len(SEARCHED)}")
    if len(record.control_weights) not in (0, len(record.epochs)):
        raise UnreadableArrays(
            f"{len(record.control_weights)} epochs of a control task, {len(record.epochs)} of the test"
        )
