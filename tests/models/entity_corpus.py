"""Sentences with entities in every scheme that a reader meets, and models small enough for a test."""

from functools import partial

import torch

from polyprobe.datamodules.base.word_inputs import LearnedInputs
from polyprobe.datamodules.entities import EntitiesDataModule
from polyprobe.formats.treebanks.labelled_words import LabelledWords
from polyprobe.models.base.checkpoint_file import build_model
from polyprobe.models.entity_tagger import EntityTagger
from tests.models.in_memory import in_memory


def sentence(line: int, items: str) -> LabelledWords:
    """Reads `word/TAG word/TAG`."""
    pairs = [item.split("/") for item in items.split()]
    return LabelledWords(tuple(word for word, _ in pairs), tuple(tag for _, tag in pairs), line)


EIGHT_WITH_ENTITIES = [
    sentence(1, "Ali/B-PER Van/B-LOC kentine/O gitti/O"),
    sentence(2, "Van/B-LOC Gölü/I-LOC büyük/O"),
    sentence(3, "Ayşe/I-PER Ali/B-PER ile/O geldi/O"),
    sentence(4, "Vincent/B-PER van/I-PER Gogh/I-PER öldü/O"),
    sentence(5, "gitti/O"),
    sentence(6, "Ali/B-ORG Bank/I-ORG battı/O"),
    sentence(7, "Kars/I-LOC Bank/I-ORG Kars/I-LOC kentine/O taşındı/O"),
    sentence(8, "Ali/B-PER"),
]


def entities(train=EIGHT_WITH_ENTITIES, dev=EIGHT_WITH_ENTITIES, test=(), inputs=None, seed=1) -> EntitiesDataModule:
    sizes = {"batch_sentences": 3, "evaluation_sentences": 4, "padding_noise": 0}
    learned = LearnedInputs(16, 1, [2, 4], 1)
    return in_memory(EntitiesDataModule, train, dev, test, inputs=inputs or learned, seed=seed, **sizes)


def entity_tagger(data: EntitiesDataModule, **settings) -> EntityTagger:
    small = {
        "_target_": "polyprobe.models.entity_tagger.EntityTagger",
        "hidden_size": 16,
        "n_layers": 2,
        "dropout": 0.0,
        "clip_norm": 5.0,
        "seed": 1,
        "optimizer": partial(torch.optim.Adam, lr=0.02),
    }
    return build_model({**small, **settings}, data.model_inputs())
