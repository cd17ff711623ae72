"""What the ELMo encoder alone promises; the promises of every encoder stand in test_contract.py."""

import copy

import numpy as np
import pytest

from polyprobe.encoders.base import context_encoder
from polyprobe.encoders.base.encoder import Layer
from polyprobe.encoders.elmo import ElmoEncoder
from polyprobe.items import Form, Sentence, TokenInContext
from tests.encoders.saved_elmo import (
    CHARACTERS,
    LONGEST,
    LSTM,
    OPTIONS,
    WORDS,
    allennlp_arrays,
    many_languages_arrays,
    write_allennlp,
    write_many_languages,
)
from tests.models.plain_elmo import PlainAllenNLP, PlainManyLanguages

SENTENCES = (
    ("talo", "paloi", "eilen", "."),
    ("a",),
    ("talolpoisinaanko", "ö" * LONGEST, "<bos>", "<S>", "\u3000", "Ω"),
    ("paloi", "paloi", "talo"),
)
TOKENS = [TokenInContext(words, index) for words in SENTENCES for index in range(len(words))]


def encoder(path, **changes):
    options = {"layers": None, "lowercase": False, "dotless_i": False, "batch_words": 16, "device": "cpu"}
    options["context"] = "sentence"
    return ElmoEncoder(path, **{**options, **changes})


def vectors(one, items):
    return [np.concatenate(layer) for layer in zip(*one.encode(items), strict=True)]


def assert_equals_plain(path, plain):
    expected = [np.concatenate(layer) for layer in zip(*(plain.sentence(words) for words in SENTENCES), strict=True)]
    for found, layer in zip(vectors(encoder(path), TOKENS), expected, strict=True):
        np.testing.assert_allclose(found, layer, rtol=0, atol=1e-5 * np.abs(layer).max())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_allennlp(tmp_path_factory.mktemp("allennlp"), allennlp_arrays(1))


@pytest.fixture(scope="module")
def many_languages(tmp_path_factory):
    return write_many_languages(tmp_path_factory.mktemp("many"), many_languages_arrays(1))


def test_an_allennlp_model_gives_what_a_plain_recomputation_gives(folder):
    assert_equals_plain(folder, PlainAllenNLP(allennlp_arrays(1), OPTIONS["lstm"], LONGEST))


def test_a_many_languages_model_gives_what_a_plain_recomputation_gives(many_languages):
    """Begin and end of a word are swapped, long words cut, unknown characters and words have rows of their own."""
    assert_equals_plain(many_languages, PlainManyLanguages(many_languages_arrays(1), LSTM, LONGEST, CHARACTERS, WORDS))


@pytest.mark.parametrize(
    "changes",
    [
        {"use_skip_connections": False},
        {"cell_clip": 0.2, "proj_clip": 0.3},
        {"cell_clip": None, "proj_clip": None},
        {"cell_clip": None},
        {"proj_clip": None},
    ],
)
def test_residual_connections_and_limits_are_those_of_the_options(tmp_path, changes):
    """With gates so open and projections so large that the usual limits matter, too: each case differs from them."""
    arrays = allennlp_arrays(2)
    for name in arrays:
        if name.endswith("/B"):
            arrays[name] += 3
        if name.endswith("/W_P_0"):
            arrays[name] *= 5
    options = copy.deepcopy(OPTIONS)
    options["lstm"].update(changes)
    path = write_allennlp(tmp_path / "changed", arrays, options)
    assert_equals_plain(path, PlainAllenNLP(arrays, options["lstm"], LONGEST))
    usual = encoder(write_allennlp(tmp_path / "usual", arrays))
    assert not np.allclose(vectors(usual, TOKENS)[2], vectors(encoder(path), TOKENS)[2], atol=1e-2)


def test_a_layer_each_and_their_average(folder):
    assert encoder(folder).layers == tuple(Layer(name, 12) for name in ("token", "lstm_1", "lstm_2", "average"))
    token, first, second, average = vectors(encoder(folder), TOKENS)
    np.testing.assert_allclose(average, (token + first + second) / 3, atol=1e-6)


def test_a_form_is_a_sentence_of_one_word_and_a_sentence_the_mean_of_its_words(folder):
    words = SENTENCES[0]
    items = [Form("talo"), TokenInContext(("talo",), 0), Sentence(words)]
    of_words = vectors(encoder(folder), [TokenInContext(words, index) for index in range(len(words))])
    for (form, alone, sentence), layer in zip(vectors(encoder(folder), items), of_words, strict=True):
        np.testing.assert_array_equal(form, alone)
        np.testing.assert_allclose(sentence, layer.mean(axis=0), atol=1e-6)


IN_TWO_SENTENCES = [TokenInContext(SENTENCES[0], 1), TokenInContext(SENTENCES[3], 0), Form("paloi")]


def test_without_context_a_word_has_the_vector_of_its_form_in_every_sentence(folder, many_languages):
    for path in (folder, many_languages):
        read, alone = (vectors(encoder(path, context=context), IN_TWO_SENTENCES) for context in ("sentence", "none"))
        for in_sentences, without, name in zip(read, alone, ("token", "lstm_1", "lstm_2", "average"), strict=True):
            np.testing.assert_array_equal(without[0], without[1])
            np.testing.assert_array_equal(without[0], without[2])
            np.testing.assert_allclose(without[2], in_sentences[2], rtol=0, atol=1e-6)
            if name != "token":  # of the word alone in any case
                assert np.abs(in_sentences[0] - in_sentences[1]).max() > 1e-2
                assert np.abs(in_sentences[0] - in_sentences[2]).max() > 1e-2


def test_without_context_each_word_goes_through_the_model_once_for_each_window(folder, monkeypatch):
    read = []
    one = encoder(folder, context="none")
    states = one._states
    monkeypatch.setattr(one, "_states", lambda sentences, *rest: read.extend(sentences) or states(sentences, *rest))
    vectors(one, [*IN_TWO_SENTENCES, *(TokenInContext(SENTENCES[3], index) for index in range(3))])
    assert sorted(read) == [("paloi",), ("talo",)]


@pytest.mark.parametrize("batch_words", [1, 7, 1000])
def test_the_size_of_a_batch_changes_no_vector_and_no_fingerprint(folder, many_languages, batch_words):
    for path in (folder, many_languages):
        usual, other = encoder(path), encoder(path, batch_words=batch_words)
        assert usual.fingerprint == other.fingerprint
        for first, second in zip(vectors(usual, TOKENS), vectors(other, TOKENS), strict=True):
            np.testing.assert_allclose(first, second, atol=1e-5)


def test_each_distinct_sentence_goes_through_the_model_once_for_each_window(folder, monkeypatch):
    monkeypatch.setattr(context_encoder, "BLOCK_ITEMS", 12)
    read = []
    one = encoder(folder)
    states = one._states
    monkeypatch.setattr(one, "_states", lambda sentences, *rest: read.extend(sentences) or states(sentences, *rest))
    vectors(one, [*TOKENS[:4], *TOKENS[:4], Sentence(SENTENCES[0]), Form("a"), Form("b"), Form("a"), Form("a")])
    assert sorted(read) == [("a",), ("a",), ("b",), SENTENCES[0]]


def test_words_are_lower_cased_as_the_language_does(folder):
    capital, small, dotless, python = Form("IŞIK"), Form("işik"), Form("ışık"), Form("işik")
    for lowercase, dotless_i, expected in ((True, False, small), (True, True, dotless), ("python", True, python)):
        one = encoder(folder, lowercase=lowercase, dotless_i=dotless_i)
        for layer in vectors(one, [capital, expected]):
            np.testing.assert_array_equal(layer[0], layer[1])
    assert not np.allclose(*vectors(encoder(folder), [capital, small])[0], atol=1e-3)


def test_a_randomised_encoder_has_the_same_layers_and_other_vectors(folder, many_languages):
    for path in (folder, many_languages):
        one = encoder(path)
        before = vectors(one, TOKENS)
        fresh, same, other = one.randomised(1), encoder(path).randomised(1), one.randomised(2)
        assert fresh.layers == one.layers
        assert fresh.fingerprint == same.fingerprint
        assert len({one.fingerprint, fresh.fingerprint, other.fingerprint}) == 3
        for mine, again, others, pretrained in zip(
            vectors(fresh, TOKENS), vectors(same, TOKENS), vectors(other, TOKENS), before, strict=True
        ):
            np.testing.assert_array_equal(mine, again)
            assert not np.allclose(mine, others, atol=1e-2)
            assert not np.allclose(mine, pretrained, atol=1e-2)
        np.testing.assert_array_equal(vectors(one, TOKENS)[0], before[0])


def test_a_randomised_encoder_depends_on_no_weights(tmp_path):
    paths = [write_allennlp(tmp_path / str(seed), allennlp_arrays(seed)) for seed in (1, 2)]
    first, second = (encoder(path).randomised(5) for path in paths)
    assert first.fingerprint == second.fingerprint
    np.testing.assert_array_equal(vectors(first, TOKENS)[3], vectors(second, TOKENS)[3])
