"""Log-probabilities of one sentence at a time, found in the plainest way."""

from collections.abc import Sequence

import numpy as np
import torch

from polyprobe.models.batches.text_vocabulary import UNKNOWN_ID
from polyprobe.predictors.base.predictor import Question
from polyprobe.predictors.word_level.in_memory import LanguageModelPredictor


@torch.no_grad()
def of_network(predictor: LanguageModelPredictor, question: Question) -> list[float]:
    """One pass in float64, log-softmax at every position."""
    model = predictor.model.double()
    coded = torch.from_numpy(model.vocabulary.coded(question.words)).long()
    begin = 0 if predictor.options.start else 1
    outputs, _ = model.network(coded[begin:-1, None], model.network.zero_states(1))
    log_softmax = model.network.output(outputs[-1][:, 0]).log_softmax(1)
    model.float()
    of_words = log_softmax[range(len(log_softmax)), coded[begin + 1 :]].tolist()
    return what_counts(predictor, coded[1:].numpy(), [0.0] * begin + of_words)


def what_counts(predictor: LanguageModelPredictor, ids: np.ndarray, of_words: Sequence[float]) -> list[float]:
    """Leaves out what the options leave out.

    Args:
        predictor: whose options they are.
        ids: of the words and of the end.
        of_words: log-probabilities, as many.
    """
    return [
        value
        for place, value in enumerate(of_words)
        if (place > 0 or predictor.options.first)
        and (place < len(ids) - 1 or predictor.options.end)
        and (ids[place] != UNKNOWN_ID or predictor.options.unknown == "scored")
    ]
