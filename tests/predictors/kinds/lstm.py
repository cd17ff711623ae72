from pathlib import Path

import numpy as np
import torch

from src.models.text_vocabulary import UNKNOWN_ID
from src.predictors.base import Question
from src.predictors.lstm import LSTMPredictor
from tests.predictors.kind import Kind
from tests.predictors.saved_run import QUESTIONS, write_run

OPTIONS = {"epoch": "best", "start": True, "first": True, "end": False, "unknown": "scored", "device": "cpu"}


def build(folder: Path, **changes) -> LSTMPredictor:
    return LSTMPredictor(**{"run": write_run(folder), **OPTIONS, **changes})


@torch.no_grad()
def expected(predictor: LSTMPredictor, question: Question) -> list[float]:
    """One sentence, one pass, log-softmax of every position; then what the options leave out is left out."""
    model = predictor.model.double()
    coded = torch.from_numpy(model.vocabulary.coded(question.words)).long()
    begin = 0 if predictor.start else 1
    outputs, _ = model.network(coded[begin:-1, None], [(h.double(), c) for h, c in model.network.zero_states(1)])
    of_words = model.network.output(outputs[-1][:, 0]).log_softmax(1)
    found = of_words[range(len(of_words)), coded[begin + 1 :]].numpy()
    predictor.model.float()
    return [
        value
        for place, value in enumerate(found, start=begin)
        if (place > 0 or predictor.first)
        and (place < len(question.words) or predictor.end)
        and (coded[place + 1] != UNKNOWN_ID or predictor.unknown == "scored")
        and not np.isnan(value)
    ]


KIND = Kind(
    "lstm",
    build,
    (
        {"epoch": 0},
        {"start": False, "first": False},
        {"first": False},
        {"end": True},
        {"unknown": "left_out"},
    ),
    QUESTIONS,
    alike=(Question(("a", "ξξ", "b")), Question(("a", "ζζζ", "b"))),
    unknown=Question(("ξξ", "barks")),
    expected=expected,
)
