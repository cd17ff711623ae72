"""Eight pairs that a model must learn by heart, and models small enough for a test."""

from functools import partial

import torch

from polyprobe.datamodules.base.word_inputs import LearnedInputs
from polyprobe.datamodules.pairs import PairsDataModule
from polyprobe.formats.pairs.labelled_pairs import LabelledPair
from polyprobe.formats.reading.tokenised import words_and_signs
from polyprobe.models.base.checkpoint_file import build_model
from polyprobe.models.base.rate_decay import LoweredWithoutNewBest
from polyprobe.models.esim import Esim
from tests.models.in_memory import in_memory


def pair(line: int, premise: str, hypothesis: str, label: str | None) -> LabelledPair:
    return LabelledPair(words_and_signs(premise), words_and_signs(hypothesis), label, line)


# The hypothesis "The dog is asleep" has all three labels: who does not read the premise is wrong.
EIGHT_PAIRS = [
    pair(1, "The dog sleeps .", "The dog is asleep", "entailment"),
    pair(2, "The dog barks .", "The dog is asleep", "contradiction"),
    pair(3, "A cat sleeps on the mat .", "The dog is asleep", "neutral"),
    pair(4, "A cat sleeps on the mat .", "A cat is asleep", "entailment"),
    pair(5, "Nobody is here", "Somebody is here", "contradiction"),
    pair(6, "It rains", "It rains and the dog barks at the cat", "neutral"),
    pair(7, "The dog barks .", "It barks", "entailment"),
    pair(8, "Yes", "No", "contradiction"),
]


def pairing(
    train=EIGHT_PAIRS, dev=EIGHT_PAIRS, test=(), batch_pairs=3, word_size=8, inputs=None, seed=1
) -> PairsDataModule:
    learned = LearnedInputs(word_size, 1, [2, 4], 1)
    sizes = {"batch_pairs": batch_pairs, "evaluation_pairs": 4, "padding_noise": 0}
    return in_memory(PairsDataModule, train, dev, test, inputs=inputs or learned, seed=seed, **sizes)


def esim(data: PairsDataModule, **settings) -> Esim:
    small = {
        "_target_": "polyprobe.models.esim.Esim",
        "hidden_size": 6,
        "dropout": 0.0,
        "clip_norm": 10.0,
        "seed": 1,
        "optimizer": partial(torch.optim.Adam, lr=0.01),
        "rate_decay": LoweredWithoutNewBest(1.0),
    }
    return build_model({**small, **settings}, data.model_inputs())
