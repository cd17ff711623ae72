"""Records of one test in a run: a data class of arrays with the name of the test, in a checked `.npz` file.

Comparisons pair items and sets by these files; lists of errors, confusion and other scoring rules (per token,
focus; ties) are made of them without a second pass over a model.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Self, get_origin, get_type_hints

import numpy as np

from polyprobe.errors import PolyprobeError, layer_name
from polyprobe.formats.files.arrays import UnreadableArrays, check_name, read_fields, write_fields
from polyprobe.formats.files.file_names import file_name

NO_PREDICTION = -1
NO_EPOCH = -1
SEARCHED = ("l1", "l2", "dev accuracy", "dev accuracy of the top", "dev accuracy of the bottom", "score")
"""The columns of `NeuronWeights.searched`."""
_TEXT, _COUNT, _INTEGER, _NUMBER, _FLAG = "U", "iu", "i", "f", "b"  # kinds of NumPy's types


@dataclass(frozen=True, eq=False)
class ArrayRecord:
    """What a run keeps of one test; all fields but the name are arrays.

    `Annotated` says of an array the kinds of NumPy's types that it may have, and its axes in words; in one record all
    axes of one word are equally long.
    """

    what: ClassVar[str]
    """The record in words, for messages."""

    test: str
    """Name of the test, task, construction or test suite."""

    def write(self, folder: Path) -> Path:
        """Writes `<folder>/<test>.npz`, whole or not at all, and returns its path."""
        path = array_record_path(folder, self.test)
        write_fields(path, self)
        return path

    @classmethod
    def read(cls, path: Path) -> Self:
        """Reads what `write` wrote.

        Raises:
            PolyprobeError: the file is absent, damaged, not of this kind, or of a test that it is not named after.
        """
        try:
            record = read_fields(path, cls, _layout(cls))
            check_name(path, record.test)
        except UnreadableArrays as error:
            found = f"{path} is not a readable file of {cls.what} ({error})."
            raise PolyprobeError(f"{found} Run its command again.") from error
        return record


def array_record_path(folder: Path, test: str) -> Path:
    """Returns the file of a test; only here does its name become a path."""
    return folder / f"{file_name(test)}.npz"


def _layout(kind: type[ArrayRecord]) -> dict[str, tuple[str, ...]]:
    """Returns kinds and axes of each field that is an array."""
    hints = get_type_hints(kind, include_extras=True)
    return {name: one.__metadata__ for name, one in hints.items() if get_origin(one) is Annotated}


@dataclass(frozen=True, eq=False)
class Predictions(ArrayRecord):
    """The test items of one probing test and the predictions of the probes."""

    what = "predictions"

    inputs: Annotated[np.ndarray, _TEXT, "items"]
    """Each item in words, as it is shown."""
    lines: Annotated[np.ndarray, _COUNT, "items"]
    """Of the test file, from 1."""
    labels: Annotated[np.ndarray, _TEXT, "labels"]
    """Of the test."""
    gold: Annotated[np.ndarray, _INTEGER, "items"]
    layers: Annotated[np.ndarray, _TEXT, "layers"]
    """As "encoding" or "encoding/8"."""
    seeds: Annotated[np.ndarray, _COUNT, "seeds"]
    predicted: Annotated[np.ndarray, _INTEGER, "layers", "seeds", "items"]
    """`NO_PREDICTION` where a probe failed."""

    def at_layer(self, layer: str | int) -> np.ndarray:
        """Returns the labels that the probe of each seed predicted: int64 `[seeds, items]`.

        Raises:
            UnknownChoice: there is no such layer.
        """
        names = self.layers.tolist()
        return self.predicted[names.index(layer_name("layer", layer, names))]

    def trained(self, layer: str | int) -> np.ndarray:
        """Returns the same of the seeds whose probe of this layer did not fail."""
        predicted = self.at_layer(layer)
        return predicted[(predicted != NO_PREDICTION).all(axis=1)]

    def correct(self, layer: str | int) -> np.ndarray:
        """Returns for each item the share of seeds whose probe of this layer is right: float64 `[items]`.

        Failed probes are left out; NaN if all failed.
        """
        trained = self.trained(layer)
        return (trained == self.gold).mean(axis=0) if len(trained) else np.full(len(self.gold), np.nan)


@dataclass(frozen=True, eq=False)
class PredictedScores(ArrayRecord):
    """The pairs of one downstream task that are scored, and what was predicted for them."""

    what = "predicted scores"

    inputs: Annotated[np.ndarray, _TEXT, "items"]
    """Each pair in words, a tab between its sentences."""
    lines: Annotated[np.ndarray, _COUNT, "items"]
    """Of its file, from 1."""
    sets: Annotated[np.ndarray, _TEXT, "sets"]
    """Names of the data sets, "test" where there is one."""
    set_of_item: Annotated[np.ndarray, _INTEGER, "items"]
    gold: Annotated[np.ndarray, _NUMBER, "items"]
    manners: Annotated[np.ndarray, _TEXT, "manners"]
    """How the scores were predicted, "score_regression" or "cosine"."""
    layers: Annotated[np.ndarray, _TEXT, "layers"]
    """As "encoding" or "encoding/8"."""
    seeds: Annotated[np.ndarray, _COUNT, "seeds"]
    """What is drawn in no manner is the same for all."""
    predicted: Annotated[np.ndarray, _NUMBER, "manners", "layers", "seeds", "items"]
    """NaN where a vector has no length."""


@dataclass(frozen=True, eq=False)
class SetScores(ArrayRecord):
    """The minimal sets of one construction and the scores of every sentence by the models."""

    what = "set scores"

    sentences: Annotated[np.ndarray, _TEXT, "sentences"]
    """As they were scored."""
    set_of_sentence: Annotated[np.ndarray, _INTEGER, "sentences"]
    """0, 0, 1, 1, …; the first sentence of each set is the grammatical one."""
    numbers: Annotated[np.ndarray, _COUNT, "sets"]
    """Of the sets in their file, from 1."""
    lemmas: Annotated[np.ndarray, _TEXT, "sets"]
    """The lexemes of the varied slots where a grammar or JSON lines name them ("laughs" for laughs and laugh), else the
    forms that differ, joined ("laugh/laughs"); sets of one lemma are not independent observations."""
    left_out: Annotated[np.ndarray, _TEXT, "sets"]
    """Why a set is not scored, "" where it is."""
    is_identical: Annotated[np.ndarray, _FLAG, "sets"]
    """Whether a variant is spelt as the grammatical sentence."""
    models: Annotated[np.ndarray, _TEXT, "models"]
    """Names, as "s1" or "s1/8" for seed 1 and its epoch 8."""
    sums: Annotated[np.ndarray, _NUMBER, "models", "sentences"]
    """Log-probabilities in nats, NaN where there is none."""
    focuses: Annotated[np.ndarray, _NUMBER, "models", "sentences"]
    """Those of the words that differ, from the first to the last."""
    n_tokens: Annotated[np.ndarray, _COUNT, "sentences"]
    """Behind each sum."""
    n_characters: Annotated[np.ndarray, _COUNT, "sentences"]
    """Of each sentence, blanks included."""


@dataclass(frozen=True, eq=False)
class NeuronWeights(ArrayRecord):
    """What linear probes of one test over the neurons of all layers weigh, epoch by epoch and seed by seed."""

    what = "weights of neurons"

    labels: Annotated[np.ndarray, _TEXT, "labels"]
    """Of the test."""
    layers: Annotated[np.ndarray, _TEXT, "layers"]
    """Of the encoder, lowest first."""
    widths: Annotated[np.ndarray, _INTEGER, "layers"]
    """Neurons of each; neuron 0 is the first of the lowest layer."""
    epochs: Annotated[np.ndarray, _INTEGER, "epochs"]
    """Of the encoder's checkpoints, `NO_EPOCH` for one that has none."""
    seeds: Annotated[np.ndarray, _INTEGER, "seeds"]
    weights: Annotated[np.ndarray, _NUMBER, "epochs", "seeds", "labels", "neurons"]
    """float32; NaN where the probe failed."""
    biases: Annotated[np.ndarray, _NUMBER, "epochs", "seeds", "labels"]
    searched: Annotated[np.ndarray, _NUMBER, "epochs", "seeds", "cells", "columns"]
    """How each cell of the grid did, in the columns `SEARCHED`."""
    control_weights: Annotated[np.ndarray, _NUMBER, "controls", "seeds", "labels", "neurons"]
    """Of the probes of the control task; no epoch where none were trained."""
    control_biases: Annotated[np.ndarray, _NUMBER, "controls", "seeds", "labels"]
