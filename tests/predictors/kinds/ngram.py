from pathlib import Path

import numpy as np

from polyprobe.models.baselines.ngram_lm import NgramModel
from polyprobe.predictors.base.predictor import Question
from polyprobe.predictors.ngram import NgramPredictor
from tests.predictors.kind import Kind
from tests.predictors.plain_scores import what_counts
from tests.predictors.saved_run import ALIKE, QUESTIONS, TEXT, UNKNOWN, write_run

OPTIONS = {"order": None, "first": True, "end": False, "unknown": "scored", "split_off": ["."]}


def build(folder: Path, **changes) -> NgramPredictor:
    paths = {"data": folder / "data", "work": folder, "mirror": None}
    return NgramPredictor(**{"run": write_run(folder), **OPTIONS, "paths": paths, **changes})


def expected(predictor: NgramPredictor, question: Question) -> list[float]:
    """Counted in the test, and the sentence alone."""
    vocabulary = predictor.vocabulary
    counted = NgramModel.counted([coded(vocabulary, line.split()) for line in TEXT], len(vocabulary), predictor.order)
    ids = coded(vocabulary, question.words)
    return what_counts(predictor, ids, counted.log_probabilities([ids])[0])


def coded(vocabulary, words) -> np.ndarray:
    return vocabulary.coded(words)[1:]


KIND = Kind(
    "ngram",
    build,
    ({"order": 2}, {"first": False}, {"end": True}, {"unknown": "left_out"}, {"split_off": []}),
    QUESTIONS,
    ALIKE,
    UNKNOWN,
    expected,
)
