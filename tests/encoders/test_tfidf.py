"""Tf-idf counts against sums by hand, and the lengths."""

import math

import numpy as np
import pytest
import sentencepiece
from tokenizers import Tokenizer, models, pre_tokenizers

from polyprobe.encoders.length import Length
from polyprobe.encoders.tfidf import NaiveBayesTfIdf, TfIdf
from polyprobe.errors import BadValue, UnknownChoice
from polyprobe.items import Form, Sentence, TokenInContext

OPTIONS = {
    "unit": "char",
    "tokenizer": None,
    "min_n": 1,
    "max_n": 1,
    "max_features": 100,
    "min_examples": 1,
    "lowercase": False,
    "dotless_i": False,
}


def encoder(**changes):
    return TfIdf(**{**OPTIONS, **changes})


def sentences(*texts):
    return [(Sentence(tuple(text.split(" "))),) for text in texts]


def dense(features):
    return features.toarray().round(6).tolist()


def test_weights_are_those_of_the_formula():
    """Train: "ab", "a". In both: a, weight 1. In one: b, weight ln(3 / 2) + 1. Then length 1; c is unknown."""
    train, test = encoder().features([(Form("ab"),), (Form("a"),)], [(Form("bc"),), (Form("abb"),)])
    b = math.log(3 / 2) + 1
    norm = math.hypot(1, b)
    assert dense(train) == [[round(1 / norm, 6), round(b / norm, 6)], [1, 0]]
    norm = math.hypot(1, 2 * b)
    assert dense(test) == [[0, 1], [round(1 / norm, 6), round(2 * b / norm, 6)]]


def test_the_features_of_naive_bayes_are_the_same_and_belong_to_their_probe():
    train = sentences("a b", "a", "b c")
    assert dense(NaiveBayesTfIdf(**OPTIONS).features(train)[0]) == dense(encoder().features(train)[0])
    assert (NaiveBayesTfIdf.own_probe, TfIdf.own_probe) == ("naive_bayes", None)


def test_ngrams_of_characters_run_over_blanks_and_keep_the_case():
    (train,) = encoder(max_n=2).features(sentences("A b"))
    assert train.shape == (1, 5)  # "A", " ", "b", "A ", " b"
    first, second = encoder().features(sentences("a"), sentences("A"))
    assert (first.nnz, second.nnz) == (1, 0)
    assert encoder(lowercase=True).features(sentences("a"), sentences("A"))[1].nnz == 1


def test_ngrams_of_words_are_words_side_by_side():
    (train,) = encoder(unit="word", max_n=2).features(sentences("ei , ei", "ei"))
    assert train.shape == (2, 4)  # "ei", ",", "ei ,", ", ei"


def test_a_token_goes_by_its_form_and_a_pair_by_both_forms():
    token, pair = [(TokenInContext(("suuri", "talo"), 1),)], [(Form("ta"), Form("lo"))]
    assert dense(encoder().features([(Form("talo"),)], token)[1]) == dense(encoder().features([(Form("talo"),)])[0])
    assert encoder().features(pair)[0].shape == (1, 5)  # t, a, blank, l, o


def test_rare_ngrams_are_left_out_by_number_and_by_count():
    assert encoder(max_features=2).features(sentences("aaabbc"))[0].shape == (1, 2)
    assert encoder(min_examples=2).features(sentences("ab", "ac", "a"))[0].shape == (3, 1)
    assert encoder(min_examples=0.5).features(sentences("ab", "ab", "ac", "a"))[0].shape == (4, 2)


@pytest.mark.parametrize(
    "changes",
    [
        {"unit": "letter"},
        {"unit": "piece"},
        {"tokenizer": "a.model"},
        {"max_n": 0},
        {"min_examples": 1.0},
    ],
)
def test_an_option_out_of_its_range_is_refused(changes):
    with pytest.raises((BadValue, UnknownChoice), match=r"encoder\."):
        encoder(**changes)


def test_every_option_that_matters_changes_the_fingerprint():
    changes = [{"unit": "word"}, {"max_n": 2}, {"max_features": 9}, {"min_examples": 0.1}, {"lowercase": True}]
    changes += [{}]
    assert len({encoder(**change).fingerprint for change in changes}) == len(changes)


def written_tokenizer(folder):
    pieces = {"[UNK]": 0, "ta": 1, "lo": 2, "talo": 3, "i": 4}
    tokenizer = Tokenizer(models.WordPiece({**pieces, "##lo": 5, "##i": 6}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.enable_truncation(2)
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder / "tokenizer.json"


def test_pieces_of_a_tokenizer_are_counted_and_never_cut(tmp_path):
    path = written_tokenizer(tmp_path)
    for given in (path, tmp_path):
        (train,) = encoder(unit="piece", tokenizer=str(given)).features(sentences("talo taloi ta i"))
        assert train.shape == (1, 4)  # talo, ##i, ta, i
    assert encoder(unit="piece", tokenizer=str(path)).fingerprint != encoder(unit="word").fingerprint


def test_pieces_of_a_sentencepiece_model_are_counted(tmp_path):
    (tmp_path / "text.txt").write_text("talo talot talossa\n" * 20)
    sentencepiece.SentencePieceTrainer.Train(
        input=str(tmp_path / "text.txt"), model_prefix=str(tmp_path / "small"), vocab_size=11, minloglevel=2
    )
    model = str(tmp_path / "small.model")
    pieces = sentencepiece.SentencePieceProcessor(model_file=model).encode("talot talo", out_type=str)
    (train,) = encoder(unit="piece", tokenizer=model).features(sentences("talot talo"))
    assert train.shape == (1, len(set(pieces)))


def test_lengths_are_words_or_characters_standardised_on_train():
    train, test = Length().features(sentences("a b", "a b c d"), sentences("a b c"))
    assert (train.tolist(), test.tolist()) == ([[-1], [1]], [[0]])
    forms = [(Form("a"), Form("abc")), (Form("abc"), Form("abc"))]
    assert Length().features(forms)[0].tolist() == [[-1, 0], [1, 0]]
    token = [(TokenInContext(("suuri", "talo"), 1),)]
    assert np.array_equal(*Length().features([(Form("talo"),)], token))
