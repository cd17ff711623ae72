import json
from pathlib import Path

import numpy as np

from polyprobe.predictors.base.predictor import Question
from polyprobe.predictors.log_probabilities import LogProbabilities
from tests.predictors.kind import Kind
from tests.predictors.saved_run import QUESTIONS, UNKNOWN


def drawn(question: Question, seed: int) -> list[float]:
    """The first sentence has a number for all its words, the others one for each."""
    n_words = 1 if question == QUESTIONS[0] else len(question.words)
    return (-np.random.default_rng([seed, *map(ord, " ".join(question.words))]).random(n_words)).tolist()


def build(folder: Path, seed: int = 1) -> LogProbabilities:
    path = folder / f"file{seed}.jsonl"
    values = {" ".join(one.words): drawn(one, seed) for one in (*QUESTIONS, UNKNOWN)}
    whole, *others = ({"sentence": text, "words": of_words} for text, of_words in values.items())
    lines = [{"sentence": whole["sentence"], "log_probability": whole["words"][0]}, *others]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return LogProbabilities(path)


def expected(predictor: LogProbabilities, question: Question) -> list[float]:
    return drawn(question, 1)


KIND = Kind("log_probabilities", build, ({"seed": 2},), QUESTIONS, None, UNKNOWN, expected)
