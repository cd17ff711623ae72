"""The scores of every sentence of every minimal set: one checked `.npz` file for each construction.

Another scoring rule (sum, per token, focus; ties) needs no second pass over the model; comparisons pair sets by
these files.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from src.formats.files.arrays import UnreadableArrays, check_layout, check_name, check_places, read_fields, write_fields
from src.errors import PolyprobeError
from src.formats.files.file_names import file_name

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
    """The sets of one construction and what the models make of them.

    Attributes:
        test: name of the construction.
        sentences: as they were scored: str `[sentences]`.
        set_of_sentence: 0, 0, 1, 1, …: int64 `[sentences]`; the first sentence of each set is the grammatical one.
        numbers: of the sets in their file, from 1: int64 `[sets]`.
        lemmas: the lexemes of the varied slots where a grammar or JSON lines tell them ("laughs" for laughs and laugh),
            else the forms that differ, joined ("laugh/laughs"); sets of one lemma are no independent observations:
            str `[sets]`.
        left_out: why a set is not scored, "" where it is: str `[sets]`.
        is_identical: whether a variant is spelt as the grammatical sentence: bool `[sets]`.
        models: names, as "s1" or "s1/8" for seed 1 and its epoch 8: str `[models]`.
        sums: log-probabilities in nats, not a number where there is none: float64 `[models, sentences]`.
        focuses: those of the words that differ, from the first to the last: float64 `[models, sentences]`.
        n_tokens: behind each sum: int64 `[sentences]`.
        n_characters: of each sentence, blanks among them: int64 `[sentences]`.
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


def write_set_scores(folder: Path, scores: SetScores) -> Path:
    """Writes `<folder>/<test>.npz`, whole or not at all, and gives its path."""
    path = set_scores_path(folder, scores.test)
    write_fields(path, scores)
    return path


def set_scores_path(folder: Path, test: str) -> Path:
    """Returns the file of a construction, whose name is a path nowhere else."""
    return folder / f"{file_name(test)}.npz"


def read_set_scores(path: Path) -> SetScores:
    """Reads what `write_set_scores` wrote.

    Raises:
        PolyprobeError: the file is absent, damaged, not of this kind, or of a construction that it is not named after.
    """
    try:
        scores = read_fields(path, SetScores)
        check_name(path, scores.test)
        check_layout(scores, _LAYOUT)
        check_places("set_of_sentence", scores.set_of_sentence, 0, len(scores.numbers))
        return scores
    except UnreadableArrays as error:
        found = f"{path} is no readable file of set scores ({error})."
        raise PolyprobeError(f"{found} Its run has to be made anew.") from error
