"""Eight trees that a parser must learn by heart, and parsers small enough for a test."""

from functools import partial

import torch

from polyprobe.datamodules.base.word_inputs import LearnedInputs
from polyprobe.datamodules.dependencies import DependenciesDataModule
from polyprobe.formats.treebanks.dependencies import DependencySentence
from polyprobe.models.base.checkpoint_file import build_model
from polyprobe.models.biaffine_parser import BiaffineParser
from tests.models.in_memory import in_memory


def tree(number: int, text: str) -> DependencySentence:
    """Makes a sentence of words written as form/UPOS/head/relation."""
    forms, upos, heads, relations = zip(*(word.rsplit("/", 3) for word in text.split()), strict=True)
    return DependencySentence(str(number), number, forms, upos, tuple(map(int, heads)), relations)


EIGHT = [
    tree(1, "Liisa/PROPN/2/nsubj luki/VERB/0/root kirjan/NOUN/2/obj ./PUNCT/2/punct"),
    tree(2, "Kirjan/NOUN/2/obj luki/VERB/0/root Liisa/PROPN/2/nsubj eilen/ADV/2/advmod"),
    tree(3, "Koira/NOUN/2/nsubj näki/VERB/0/root kissan/NOUN/2/obj ja/CCONJ/5/cc juoksi/VERB/2/conj"),
    tree(4, "Kissa/NOUN/2/nsubj nukkui/VERB/0/root"),
    tree(5, "Sataa/VERB/0/root"),
    tree(6, "Liisan/PROPN/2/nmod:poss koira/NOUN/3/nsubj nukkui/VERB/0/root"),
    tree(7, "Kirjan/NOUN/4/obj eilen/ADV/3/advmod Liisa/PROPN/0/root luki/VERB/3/acl"),
    tree(8, "yksi/NUM/2/nummod kirja/NOUN/0/root $/SYM/2/dep"),
]


def datamodule(
    train=EIGHT, dev=EIGHT, test=(), upos="gold", batch_sentences=3, word_size=6, inputs=None, seed=1, padding_noise=0
) -> DependenciesDataModule:
    return in_memory(
        DependenciesDataModule,
        train,
        dev,
        test,
        upos=upos,
        batch_sentences=batch_sentences,
        evaluation_sentences=3,
        padding_noise=padding_noise,
        inputs=inputs or LearnedInputs(word_size, 1, [2, 3], 1),
        seed=seed,
    )


def parser(data: DependenciesDataModule, **settings) -> BiaffineParser:
    small = {
        "_target_": "polyprobe.models.biaffine_parser.BiaffineParser",
        "tag_size": 4,
        "hidden_size": 7,
        "n_layers": 2,
        "projection_size": 5,
        "activation": "relu",
        "dropout": 0.0,
        "clip_norm": 5.0,
        "seed": 1,
        "optimizer": partial(torch.optim.SGD, lr=0.1),
    }
    return build_model({**small, **settings}, data.model_inputs())
