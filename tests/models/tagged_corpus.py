"""Eight sentences that a tagger must learn by heart, and taggers small enough for a test."""

from functools import partial

import torch

from polyprobe.datamodules.base.word_inputs import LearnedInputs
from polyprobe.datamodules.tagging import TaggingDataModule
from polyprobe.formats.treebanks.labelled_words import LabelledWords
from polyprobe.models.base.checkpoint_file import build_model
from polyprobe.models.tagger import Tagger
from tests.models.in_memory import in_memory


def sentence(line: int, items: str) -> LabelledWords:
    """Reads `word/TAG word/TAG`."""
    pairs = [item.split("/") for item in items.split()]
    return LabelledWords(tuple(word for word, _ in pairs), tuple(tag for _, tag in pairs), line)


EIGHT_TAGGED = [
    sentence(1, "zum/_ zu/ADP dem/DET Haus/NOUN"),
    sentence(2, "dem/PRON folgt/VERB niemand/PRON"),
    sentence(3, "Folgt/VERB das/DET Haus/NOUN ?/PUNCT"),
    sentence(4, "das/PRON lebt/VERB"),
    sentence(5, "Ja/INTJ"),
    sentence(6, "Das/DET Leben/NOUN lebt/VERB zu/ADV gut/ADV"),
    sentence(7, "Wir/PRON leben/VERB im/_ in/ADP dem/DET Haus/NOUN !/PUNCT"),
    sentence(8, "gut/ADJ leben/VERB Häuser/NOUN"),
]


def tagging(
    train=EIGHT_TAGGED, dev=EIGHT_TAGGED, test=(), batch_sentences=3, word_size=6, inputs=None, seed=1
) -> TaggingDataModule:
    learned = LearnedInputs(word_size, 2, [2, 4], 1)
    sizes = {"batch_sentences": batch_sentences, "evaluation_sentences": 4, "padding_noise": 0}
    return in_memory(TaggingDataModule, train, dev, test, inputs=inputs or learned, seed=seed, **sizes)


def tagger(data: TaggingDataModule, **settings) -> Tagger:
    small = {
        "_target_": "polyprobe.models.tagger.Tagger",
        "hidden_size": 7,
        "n_layers": 1,
        "dropout": 0.0,
        "seed": 1,
        "optimizer": partial(torch.optim.Adam, lr=0.02),
    }
    return build_model({**small, **settings}, data.model_inputs())
