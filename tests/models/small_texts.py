"""A text whose every next word is fixed or a fair coin, and language models small enough for a test."""

from functools import partial

import torch

from polyprobe.datamodules.language_model import LanguageModelDataModule, OwnVectors
from polyprobe.formats.texts.text_corpus import TextSentence
from polyprobe.models.base.checkpoint_file import build_model
from polyprobe.models.base.rate_decay import LoweredWithoutNewBest
from polyprobe.models.language_model import LanguageModel
from tests.models.in_memory import in_memory


def sentence(text: str, line: int = 1, folder: str = "lm") -> TextSentence:
    return TextSentence(tuple(text.split()), line, folder)


COIN = [sentence("the dogs bark loudly"), sentence("a dog barks loudly")]
"""Once the first word is known, all others are: ln 2 nats a sentence of five items at best."""

LENGTHS = [sentence("a"), sentence("a b b"), sentence("c d e f g h"), sentence("b c"), sentence("a x y b")]


def text_data(train=COIN * 8, dev=COIN, test=(), **settings) -> LanguageModelDataModule:
    small = {
        "columns": 3, "steps": 4, "n_words": 100, "least_word_count": 1, "vocabulary_splits": ["train"],
        "max_unknown_share": None, "evaluation_words": 8, "inputs": OwnVectors(), "seed": 1,
    }  # fmt: skip
    return in_memory(LanguageModelDataModule, train, dev, test, **{**small, **settings})


def language_model(data: LanguageModelDataModule, **settings) -> LanguageModel:
    small = {
        "_target_": "polyprobe.models.language_model.LanguageModel",
        "word_size": 8, "hidden_size": 8, "n_layers": 2, "dropout": 0.0, "tied": False, "first_range": 0.1,
        "clip_norm": 0.25, "seed": 1,
        "optimizer": partial(torch.optim.SGD, lr=2.0), "rate_decay": LoweredWithoutNewBest(0.5),
    }  # fmt: skip
    return build_model({**small, **settings}, data.model_inputs())
