"""Every objective learns eight sentences by heart, over every network: who confuses targets or sentences cannot."""

from functools import partial
from itertools import pairwise

import pytest
import torch

from polyprobe.datamodules.base.word_inputs import LearnedInputs
from polyprobe.datamodules.pairs import SentencePairsDataModule
from polyprobe.datamodules.sentence_targets import TextTargetsDataModule, TreeTargetsDataModule
from polyprobe.formats.texts.sentence_lines import TargetedSentence
from polyprobe.models.base.checkpoint_file import build_model
from polyprobe.models.decoders.unit_decoder import AttentionDecoder, LSTMDecoder
from polyprobe.models.objectives.pair_inference import PairClassifier, PairInference
from polyprobe.models.objectives.target_generation import NextSentence, TextGeneration, TreeGeneration
from polyprobe.models.sentence_networks.gated_convnet import GatedConvNet
from polyprobe.models.sentence_networks.sentence_network import BiLSTMLast, BiLSTMMax
from tests.models.in_memory import in_memory, trained
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
OBJECTIVES = {"seq2tree": TreeGeneration, "skipthought": NextSentence}
NETWORKS = {
    "bilstm_last": partial(BiLSTMLast, hidden_size=16, n_layers=1, dropout=0.0),
    "bilstm_max": partial(BiLSTMMax, hidden_size=16, n_layers=1, dropout=0.0),
    "gated_convnet": partial(GatedConvNet, hidden_size=32, n_layers=2, kernel_size=3, dropout=0.0, pooling="max"),
}
DECODER = partial(LSTMDecoder, unit_size=16, hidden_size=32, n_layers=1, dropout=0.0)
EPOCHS = 90


def learnt(data, network, objective, head):
    settings = {
        "_target_": "polyprobe.models.sentence_model.SentenceModel",
        "encoder": NETWORKS[network],
        "objective": objective,
        "head": head,
        "clip_norm": 5.0,
        "seed": 1,
        "optimizer": partial(torch.optim.Adam, lr=0.02),
        "rate_decay": None,
    }
    model = build_model(settings, data.model_inputs())
    trainer = trained(model, data, max_epochs=EPOCHS, check_val_every_n_epoch=EPOCHS)
    return model.eval(), trainer.callback_metrics


def written(objective, network="bilstm_max", head=DECODER):
    """Trains on the eight sentences; returns their targets and what the model writes."""
    targets = TARGETS[objective]
    sentences = [TargetedSentence(*one, n) for n, one in enumerate(zip(WORDS, targets, strict=True), start=1)]
    kind, options = (TreeTargetsDataModule, {}) if objective == "seq2tree" else (TextTargetsDataModule, {"merges": 20})
    sizes = {"longest": 50, "batch_sentences": 3, "evaluation_sentences": 4}
    inputs = LearnedInputs(16, 1, [2, 4], 1)
    data = in_memory(kind, sentences, sentences, (), inputs=inputs, seed=1, **sizes, **options)
    makes = partial(OBJECTIVES.get(objective, TextGeneration), beam_size=2, longest=40)
    model, metrics = learnt(data, network, makes, head)
    assert metrics["dev/unit_accuracy"] == 1
    return targets, model.answers(sentences)


@pytest.mark.parametrize("objective", TARGETS)
def test_the_targets_of_eight_sentences_are_learnt_by_heart(objective):
    targets, answers = written(objective)
    assert answers == targets


@pytest.mark.parametrize("network", ["bilstm_last", "gated_convnet"])
def test_other_networks_learn_to_translate_them(network):
    targets, answers = written("nmt", network)
    assert answers == targets


def test_a_decoder_with_attention_learns_to_translate_them():
    head = partial(AttentionDecoder, unit_size=16, hidden_size=32, n_layers=1, dropout=0.0)
    targets, answers = written("nmt", head=head)
    assert answers == targets


def test_eight_pairs_are_learnt_by_heart():
    inputs = LearnedInputs(16, 1, [2, 4], 1)
    sizes = {"batch_pairs": 3, "evaluation_pairs": 4, "padding_noise": 0}
    data = in_memory(SentencePairsDataModule, EIGHT_PAIRS, EIGHT_PAIRS, (), inputs=inputs, seed=1, **sizes)
    model, metrics = learnt(data, "bilstm_max", PairInference, partial(PairClassifier, hidden_size=16))
    assert metrics["dev/accuracy"] == 1
    assert model.answers(EIGHT_PAIRS) == [one.label for one in EIGHT_PAIRS]
