"""Eight sentences with what is made of them, which a sentence encoder must learn by heart, and such small encoders."""

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import torch

from polyprobe.datamodules.base.task_datamodule import TaskDataModule
from polyprobe.datamodules.base.word_inputs import LearnedInputs
from polyprobe.datamodules.pairs import SentencePairsDataModule
from polyprobe.datamodules.sentence_targets import TextTargetsDataModule, TreeTargetsDataModule
from polyprobe.formats.texts.sentence_lines import TargetedSentence
from polyprobe.models.base.checkpoint_file import build_model
from polyprobe.models.decoders.unit_decoder import LSTMDecoder
from polyprobe.models.objectives.pair_inference import PairClassifier, PairInference
from polyprobe.models.objectives.target_generation import NextSentence, TextGeneration, TreeGeneration
from polyprobe.models.sentence_model import SentenceModel
from polyprobe.models.sentence_networks.gated_convnet import GatedConvNet
from polyprobe.models.sentence_networks.sentence_network import BiLSTMLast, BiLSTMMax
from tests.models.in_memory import in_memory
from tests.models.paired_corpus import EIGHT_PAIRS

# Words, translation (in the manner of Ana), tree. Two have the same words: who does not read their order is wrong.
SENTENCES = [
    ("Kedi evde uyudu .", "Idek pa uyua en veo .", "(S NN (VP NN VBD )VP . )S"),
    ("Evde kedi uyudu .", "En veo ga ideko pa uyua .", "(S NN NN (VP VBD )VP . )S"),
    ("Uyudum .", "Mi pa uyua .", "(S (VP VBD )VP . )S"),
    ("Ali bana kitabı verdi .", "Ali pa reva patiko ad mi .", "(S NNP (VP PRP NN VBD )VP . )S"),
    ("Ben Ali'ye kitabı verdim .", "Mi pa reva patiko ad Ali .", "(S PRP (VP NNP NN VBD )VP . )S"),
    ("Ben Ali'yi görmedim .", "Mi nen pa reoga Ali .", "(S PRP (VP NNP VBD )VP . )S"),
    ("Ali beni görecek .", "Ali va reoga mi .", "(S NNP (VP PRP VBF )VP . )S"),
    ("Kedi güzel .", "Ideko est lezeuge .", "(S NN (ADJP JJ )ADJP . )S"),
]
WORDS, TRANSLATIONS, TREES = ([tuple(one.split(" ")) for one in column] for column in zip(*SENTENCES, strict=True))
NEXT = [following for _, following in pairwise([*WORDS, WORDS[0]])]
TARGETS = {"autoencoder": WORDS, "nmt": TRANSLATIONS, "seq2tree": TREES, "skipthought": NEXT}
OBJECTIVES = {
    "autoencoder": TextGeneration,
    "nmt": TextGeneration,
    "seq2tree": TreeGeneration,
    "skipthought": NextSentence,
}
NETWORKS = {
    "bilstm_last": partial(BiLSTMLast, hidden_size=16, n_layers=1),
    "bilstm_max": partial(BiLSTMMax, hidden_size=16, n_layers=1),
    "gated_convnet": partial(GatedConvNet, hidden_size=32, n_layers=2, kernel_size=3, pooling="max"),
}
DECODER = partial(LSTMDecoder, unit_size=16, hidden_size=32, n_layers=1, dropout=0.0)


def targeted(objective: str) -> list[TargetedSentence]:
    """Returns the eight sentences, each with its target."""
    targets = zip(WORDS, TARGETS[objective], strict=True)
    return [TargetedSentence(*one, number) for number, one in enumerate(targets, start=1)]


def target_data(objective: str) -> TaskDataModule:
    kind, options = (TreeTargetsDataModule, {}) if objective == "seq2tree" else (TextTargetsDataModule, {"merges": 20})
    return _in_memory(kind, targeted(objective), longest=50, batch_sentences=3, evaluation_sentences=4, **options)


def pair_data() -> SentencePairsDataModule:
    return _in_memory(SentencePairsDataModule, EIGHT_PAIRS, batch_pairs=3, evaluation_pairs=4, padding_noise=0)


def writer(
    data: TaskDataModule, objective: str = "nmt", head: Callable[..., LSTMDecoder] = DECODER, **settings: Any
) -> SentenceModel:
    makes = partial(OBJECTIVES[objective], beam_size=2, longest=40)
    return _model(data, objective=makes, head=head, **settings)


def pair_classifier(data: SentencePairsDataModule, **settings: Any) -> SentenceModel:
    return _model(data, objective=PairInference, head=partial(PairClassifier, hidden_size=16), **settings)


def _in_memory(kind: type[TaskDataModule], examples: list[Any], **options: Any) -> TaskDataModule:
    return in_memory(kind, examples, examples, (), inputs=LearnedInputs(16, 1, [2, 4], 1), seed=1, **options)


def _model(data: TaskDataModule, network: str = "bilstm_max", dropout: float = 0.0, **settings: Any) -> SentenceModel:
    small = {
        "_target_": "polyprobe.models.sentence_model.SentenceModel",
        "encoder": partial(NETWORKS[network], dropout=dropout),
        "clip_norm": 5.0,
        "seed": 1,
        "optimizer": partial(torch.optim.Adam, lr=0.02),
        "rate_decay": None,
    }
    return build_model({**small, **settings}, data.model_inputs())
