"""The scores of every sentence of every minimal set: one checked `.npz` file for each construction.

Another scoring rule (sum, per token, focus; ties) needs no second pass over the model; comparisons pair sets by
these files.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from src.formats.files.arrays import check_places
from src.runs.array_records import read_array_record

_LAYOUT = {
    "sentences": ("U", "sentences"),
    "set_of_sentence": ("i", "sentences"),
    "numbers": ("iu", "sets"),
    "lemmas": ("U", "sets"),
    "left_out": ("U", "sets"),
    "is_identical": ("b", "sets"),
    "models": ("U", "models"),
    "sums": ("f", "models", "sentences"),
    "focuses": ("f", "models", "sentences"),
    "n_tokens": ("iu", "sentences"),
    "n_characters": ("iu", "sentences"),
}


@dataclass(frozen=True, eq=False)
class SetScores:
    """The sets of one construction and their scores by the models.

    Attributes:
        test: name of the construction.
        sentences: as they were scored: str `[sentences]`.
        set_of_sentence: 0, 0, 1, 1, …: int64 `[sentences]`; the first sentence of each set is the grammatical one.
        numbers: of the sets in their file, from 1: int64 `[sets]`.
        lemmas: the lexemes of the varied slots where a grammar or JSON lines name them ("laughs" for laughs and laugh),
            else the forms that differ, joined ("laugh/laughs"); sets of one lemma are not independent observations:
            str `[sets]`.
        left_out: why a set is not scored, "" where it is: str `[sets]`.
        is_identical: whether a variant is spelt as the grammatical sentence: bool `[sets]`.
        models: names, as "s1" or "s1/8" for seed 1 and its epoch 8: str `[models]`.
        sums: log-probabilities in nats, NaN where there is none: float64 `[models, sentences]`.
        focuses: those of the words that differ, from the first to the last: float64 `[models, sentences]`.
        n_tokens: behind each sum: int64 `[sentences]`.
        n_characters: of each sentence, blanks included: int64 `[sentences]`.
    """

    test: str
    sentences: np.ndarray
    set_of_sentence: np.ndarray
    numbers: np.ndarray
    lemmas: np.ndarray
    left_out: np.ndarray
    is_identical: np.ndarray
    models: np.ndarray
    sums: np.ndarray
    focuses: np.ndarray
    n_tokens: np.ndarray
    n_characters: np.ndarray


def read_set_scores(path: Path) -> SetScores:
    """Reads the set scores that `write_array_record` wrote.

    Raises:
        PolyprobeError: the file is absent, damaged, not of this kind, or of a construction that it is not named after.
    """
    return read_array_record(path, SetScores, _LAYOUT, _check, "set scores")


def _check(scores: SetScores) -> None:
    check_places("set_of_sentence", scores.set_of_sentence, 0, len(scores.numbers))
