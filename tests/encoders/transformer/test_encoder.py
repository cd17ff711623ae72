"""The transformer encoder: alignment, pooling, batches, long sentences."""

import json
import logging
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyprobe.encoders.transformer.sequences import window_starts, within_budget
from polyprobe.errors import PolyprobeError
from polyprobe.items import Form, Sentence, TokenInContext
from tests.encoders.kinds.transformer import transformer
from tests.encoders.plain_transformer import SPECIAL, pieces_one_by_one, states_one_by_one, tokenizer_and_model
from tests.encoders.tiny_transformers import ARCHITECTURES, LIMIT, write_transformer

SENTENCES = [("talo", "paloi", "eilen"), ("ta",), ("x", "talossa"), ("o", "o", "o", "o", "o", "o"), ("Xalo", "al")]
CONTEXTS = ("sentence", "none")
WORDS = [TokenInContext(words, index) for words in SENTENCES for index in range(len(words))]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("transformers")
    return {name: write_transformer(root / name, name) for name in ARCHITECTURES}


def encode(encoder, items):
    return [np.concatenate(layer) for layer in zip(*encoder.encode(items), strict=True)]


POOLED = {
    "first": lambda pieces: pieces[:, 0],
    "last": lambda pieces: pieces[:, -1],
    "mean": lambda pieces: pieces.mean(1),
    "max": lambda pieces: pieces.max(1),
}


@pytest.fixture(scope="module")
def slow(folders):
    """For each architecture and sentence: the states of all pieces, alone, and the word of each piece."""
    found = {}
    for architecture, folder in folders.items():
        for words in SENTENCES:
            ids, owners = pieces_one_by_one(folder, architecture, words)
            found[architecture, words] = states_one_by_one(folder, ids), np.array(owners)
    return found


def assert_close(found, expected):
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-5 * np.abs(other).max())


@pytest.mark.parametrize("pooling", POOLED)
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_word_is_pooled_over_its_pieces_in_its_sentence(folders, slow, architecture, pooling):
    expected = []
    for item in WORDS:
        states, owners = slow[architecture, item.words]
        expected.append(POOLED[pooling](states[:, owners == item.index]))
    found = encode(transformer(folders[architecture], word_pooling=pooling), WORDS)
    assert_close(found, np.stack(expected, axis=1))


@pytest.mark.parametrize("pooling", ["mean", "mean_with_special_tokens", "max", "cls"])
@pytest.mark.parametrize("architecture", ["bert", "xlmr"])
def test_a_sentence_is_pooled_with_or_without_special_tokens(folders, slow, architecture, pooling):
    expected = []
    for words in SENTENCES:
        states, owners = slow[architecture, words]
        counted = np.full(len(owners), True) if pooling == "mean_with_special_tokens" else owners >= 0
        kind = {"max": "max", "cls": "first"}.get(pooling, "mean")
        expected.append(POOLED[kind](states if pooling == "cls" else states[:, counted]))
    found = encode(
        transformer(folders[architecture], sentence_pooling=pooling), [Sentence(words) for words in SENTENCES]
    )
    assert_close(found, np.stack(expected, axis=1))


@pytest.fixture(scope="module")
def bert(folders):
    return transformer(folders["bert"])


SPELLINGS = st.lists(st.text("atolö猫.\u200d", min_size=1, max_size=5), min_size=1, max_size=4)


@settings(max_examples=30)
@given(sentences=st.lists(SPELLINGS, min_size=1, max_size=5))
def test_every_word_of_any_sentences_equals_a_plain_computation(folders, bert, sentences):
    items = [TokenInContext(tuple(words), index) for words in sentences for index in range(len(words))]
    expected = []
    for item in items:
        ids, owners = pieces_one_by_one(folders["bert"], "bert", item.words)
        expected.append(states_one_by_one(folders["bert"], ids)[:, np.array(owners) == item.index].mean(1))
    assert_close(encode(bert, items), np.stack(expected, axis=1))


def test_a_form_is_a_sentence_of_one_word(folders):
    encoder = transformer(folders["bert"])
    assert_close(encode(encoder, [Form("talo")]), encode(encoder, [TokenInContext(("talo",), 0)]))


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_without_context_a_word_has_the_vector_of_its_form_in_every_sentence(folders, architecture):
    items = [TokenInContext(("talo", "paloi", "eilen"), 1), TokenInContext(("x", "paloi"), 1), Form("paloi")]
    read, alone = (encode(transformer(folders[architecture], context=context), items) for context in CONTEXTS)
    for in_sentences, without in zip(read, alone, strict=True):
        np.testing.assert_array_equal(without[0], without[1])
        np.testing.assert_array_equal(without[0], without[2])
        np.testing.assert_allclose(without[2], in_sentences[2], rtol=0, atol=1e-6)
    top = read[-1]
    assert np.abs(top[0] - top[1]).max() > 1e-3
    assert np.abs(top[0] - top[2]).max() > 1e-3


def test_only_sentences_that_are_read_as_text_have_another_fingerprint_than_before(folders):
    as_text, as_words, of_words = (
        transformer(folders["gpt2"], **changes) for changes in ({}, {"reading": "words"}, {"level": "token"})
    )
    assert as_words.fingerprint == of_words.fingerprint != as_text.fingerprint


def test_words_and_their_sentence_are_encoded_together_whatever_the_reading(folders):
    items = [WORDS[0], Sentence(SENTENCES[0]), Sentence(("  ",), "  talo"), Sentence(SENTENCES[0], "x")]
    for reading in ("text", "words"):
        encoder = transformer(folders["gpt2"], reading=reading)
        alone = [encode(encoder, [item]) for item in items]
        assert_close(encode(encoder, items), [np.concatenate(layer) for layer in zip(*alone, strict=True)])


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_batches_do_not_change_vectors(folders, architecture):
    items = [*WORDS, *(Form("o" * length) for length in range(1, 20))]
    expected = encode(transformer(folders[architecture], token_budget=1), items)
    for budget in (40, 10_000):
        encoder = transformer(folders[architecture], token_budget=budget)
        assert_close(encode(encoder, items), expected)
        assert encoder.fingerprint == transformer(folders[architecture]).fingerprint


def test_layers_are_those_asked_for_lowest_first(folders):
    every = transformer(folders["xlmr"])
    some = transformer(folders["xlmr"], layers=[2, 0])
    assert [layer.name for layer in every.layers] == ["layer_0", "layer_1", "layer_2"]
    assert [layer.name for layer in some.layers] == ["layer_0", "layer_2"]
    all_layers = encode(every, WORDS)
    assert_close(encode(some, WORDS), [all_layers[0], all_layers[2]])


def test_a_word_of_which_the_tokenizer_keeps_nothing_has_the_unknown_piece(folders, caplog):
    encoder = transformer(folders["bert"])
    with caplog.at_level(logging.WARNING):
        found = encode(encoder, [TokenInContext(("talo", "\u200d", "al"), index) for index in range(3)])
    assert "returns nothing: 1." in caplog.text
    caplog.clear()
    # A word of a foreign script is one unknown piece.
    assert_close(found, encode(encoder, [TokenInContext(("talo", "猫", "al"), index) for index in range(3)]))
    assert not caplog.records


def test_a_word_without_a_piece_is_refused_where_there_is_no_unknown_piece(tmp_path):
    folder = write_transformer(tmp_path, "t5")
    for name in ("tokenizer_config.json", "tokenizer.json"):
        content = json.loads((folder / name).read_text())
        content.pop("unk_token", None)
        (folder / name).write_text(json.dumps(content))
    with pytest.raises(PolyprobeError, match=r"returns nothing for the word '\\u200d'"):
        encode(transformer(folder), [TokenInContext(("al", "\u200d"), 0)])


def test_lower_case_follows_the_language(folders):
    kept, turkish = transformer(folders["bert"]), transformer(folders["bert"], lowercase=True, dotless_i=True)
    assert_close(encode(turkish, [Form("İLTA")]), encode(kept, [Form("ilta")]))


@given(st.lists(st.integers(1, 50), max_size=40), st.integers(1, 120))
def test_batches_hold_every_sequence_once_within_the_budget(lengths, budget):
    batches = list(within_budget(lengths, budget))
    assert sorted(number for batch in batches for number in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) == 1 or len(batch) * max(lengths[number] for number in batch) <= budget


# Long sentences. bert takes 24 pieces, 2 of them special tokens; a letter is a piece, only "ta" is one too.
LONG = ("oooooooooo", "xxxxxxxxxx", "llll", "a")  # 10 + 10 | 4 + 1: a third word would not fit


def test_a_long_sentence_is_split_at_the_border_of_a_word(folders, caplog):
    encoder = transformer(folders["bert"])
    with caplog.at_level(logging.WARNING):
        found = encode(encoder, [TokenInContext(LONG, index) for index in range(4)])
    assert "longer than the model's limit: 1." in caplog.text
    parts = [TokenInContext(LONG[:2], 0), TokenInContext(LONG[:2], 1), *(TokenInContext(LONG[2:], i) for i in (0, 1))]
    assert_close(found, encode(encoder, parts))


@pytest.mark.parametrize("architecture", ["xlmr", "gpt2", "mbart"])
def test_a_sentence_that_just_fits_is_not_split(folders, architecture, caplog):
    fitting = LIMIT - sum(SPECIAL[architecture]) - 1  # one for the blank before the word
    encode(transformer(folders[architecture]), [Form("o" * fitting)])
    assert not caplog.records
    encode(transformer(folders[architecture]), [Form("o" * (fitting + 1))])
    assert "longer than the model's limit: 1." in caplog.text


def test_a_model_with_relative_positions_takes_any_length(folders, caplog):
    encode(transformer(folders["t5"]), [Form("o" * 500)])
    assert not caplog.records


def test_a_word_longer_than_the_model_allows_is_pooled_over_its_parts(folders):
    encoder = transformer(folders["bert"])
    (first, second) = (encode(encoder, [Form("o" * 22)]), pieces_alone(folders["bert"], ["##o"] * 8))
    means = [(22 * one[0] + other.sum(0)) / 30 for one, other in zip(first, second, strict=True)]
    assert_close([layer[0] for layer in encode(encoder, [Form("o" * 30)])], means)


def pieces_alone(folder, pieces):
    tokenizer, _ = tokenizer_and_model(folder)
    ids = tokenizer.convert_tokens_to_ids(["[CLS]", *pieces, "[SEP]"])
    return states_one_by_one(folder, ids)[:, 1:-1]


def test_a_split_sentence_is_pooled_over_all_its_parts(folders):
    parts = [Sentence(LONG[:2]), Sentence(LONG[2:])]
    for pooling, joined in (("mean", lambda one, two: (20 * one + 5 * two) / 25), ("max", np.maximum)):
        encoder = transformer(folders["bert"], sentence_pooling=pooling)
        expected = [joined(*layer) for layer in encode(encoder, parts)]
        assert_close([layer[0] for layer in encode(encoder, [Sentence(LONG)])], expected)
    first_alone = transformer(folders["bert"], sentence_pooling="cls")
    assert_close(encode(first_alone, [Sentence(LONG)]), encode(first_alone, [parts[0]]))


def test_a_long_sentence_is_refused_by_name_where_that_is_asked_for(folders):
    encoder = transformer(folders["bert"], over_long="refuse")
    with pytest.raises(PolyprobeError, match=r"oooooooooo.*has 25 pieces.*limit is 22.*encoder.over_long=split"):
        encode(encoder, [Form("talo"), TokenInContext(LONG, 1)])


@given(st.lists(st.integers(1, 9), min_size=1, max_size=12), st.integers(1, 7))
def test_windows_are_as_full_as_borders_of_words_allow(word_lengths, capacity):
    words = np.repeat(np.arange(len(word_lengths)), word_lengths)
    ends = [*window_starts(words, capacity), len(words)]
    for start, end in pairwise(ends):
        assert 0 < end - start <= capacity
        if end < len(words):
            within = words[end - 1] == words[end]
            assert not within or (words[start] == words[end] and end - start == capacity)
            next_word = int(np.sum(words[end:] == words[end]))
            assert within or end - start + next_word > capacity
