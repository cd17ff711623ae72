"""The surprisals of every region of SyntaxGym's items: one checked `.npz` file for each of its test suites."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from src.formats.files.arrays import check_places
from src.runs.array_records import read_array_record

_LAYOUT = {
    "numbers": ("iu", "items"),
    "left_out": ("U", "items"),
    "sentences": ("U", "sentences"),
    "conditions": ("U", "sentences"),
    "set_of_sentence": ("i", "sentences"),
    "sentence_of_region": ("i", "regions"),
    "region_numbers": ("iu", "regions"),
    "models": ("U", "models"),
    "surprisals": ("f", "models", "regions"),
    "predictions": ("U", "predictions"),
    "margins": ("f", "models", "predictions", "items"),
}


@dataclass(frozen=True, eq=False)
class RegionScores:
    """The items of one test suite and what the models make of their regions.

    Attributes:
        test: name of the test suite.
        numbers: of the items in their file: int64 `[items]`.
        left_out: why an item is not scored, "" where it is: str `[items]`.
        sentences: as they were scored: str `[sentences]`.
        conditions: of the sentences: str `[sentences]`.
        set_of_sentence: 0, 0, 1, 1, …: int64 `[sentences]`.
        sentence_of_region: the sentence that each region is part of, rising: int64 `[regions]`.
        region_numbers: in their sentences: int64 `[regions]`.
        models: names, as "s1" or "s1/8" for seed 1 and its epoch 8: str `[models]`.
        surprisals: in bits, 0 for an empty region, NaN where its words have no score: float64 `[models, regions]`.
        predictions: the formulas: str `[predictions]`.
        margins: by how many bits each prediction holds of each item, 0 for a tie, below 0 where it fails, NaN where the
            item is left out: float64 `[models, predictions, items]`.
    """

    test: str
    numbers: np.ndarray
    left_out: np.ndarray
    sentences: np.ndarray
    conditions: np.ndarray
    set_of_sentence: np.ndarray
    sentence_of_region: np.ndarray
    region_numbers: np.ndarray
    models: np.ndarray
    surprisals: np.ndarray
    predictions: np.ndarray
    margins: np.ndarray

    @property
    def lemmas(self) -> np.ndarray:
        """What is resampled: the items, by their numbers: str `[items]`."""
        return self.numbers.astype(str)

    @property
    def all_margins(self) -> np.ndarray:
        """By how many bits all predictions hold, the least of their margins: float64 `[models, items]`."""
        return self.margins.min(axis=1)


def read_region_scores(path: Path) -> RegionScores:
    """Reads the region scores that `write_array_record` wrote.

    Raises:
        PolyprobeError: the file is absent, damaged, not of this kind, or of a test that it is not named after.
    """
    return read_array_record(path, RegionScores, _LAYOUT, _check, "region scores")


def _check(scores: RegionScores) -> None:
    check_places("set_of_sentence", scores.set_of_sentence, 0, len(scores.numbers))
    check_places("sentence_of_region", scores.sentence_of_region, 0, len(scores.sentences))
