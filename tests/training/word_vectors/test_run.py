"""Vectors that gensim trains here: what is in the files, and that the seed alone decides it."""

import numpy as np
import pytest
from gensim.models import KeyedVectors
from gensim.models.fasttext import load_facebook_vectors
from sentencepiece import SentencePieceProcessor

from polyprobe.errors import BadValue, PolyprobeError
from polyprobe.training.word_vectors.gensim_models import Pieces, Words, WordsAndNgrams
from polyprobe.training.word_vectors.run import read_text

SMALL = {"width": 8, "window": 5, "min_count": 2, "negative": 5, "sample": 0.001, "rate": 0.025, "last_rate": 0.0001}
CBOW = {**SMALL, "epochs": 2, "workers": 1}
NGRAMS = {"min_n": 5, "max_n": 5, "bucket": 500}
PIECES = {"n_pieces": 150, "character_coverage": 0.9995}
MODELS = {
    "word2vec": Words(**CBOW),
    "fasttext": WordsAndNgrams(**CBOW, **NGRAMS),
    "subword": Pieces(**{**CBOW, "min_count": 1}, **PIECES),
}
EACH = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)


@pytest.fixture(scope="module")
def text(small_data):
    settings = {"reader": "polyprobe.formats.texts.text_corpus.corpus_sentences", "train": "corpora/mini.txt"}
    return read_text("text", settings, None, small_data, None, "turkish").sentences


def contents(model, text, seed, folder):
    folder.mkdir()
    model.train(text, seed, folder)
    return {name: (folder / name).read_bytes() for name in model.files}


@EACH
def test_a_seed_decides_every_byte(model, text, tmp_path):
    first = contents(model, text, 1, tmp_path / "first")
    assert contents(model, text, 1, tmp_path / "again") == first
    assert contents(model, text, 2, tmp_path / "other")["vectors.vec"] != first["vectors.vec"]


def test_words_below_the_minimum_count_have_no_vector_and_are_counted_as_such(tmp_path):
    coverage = MODELS["word2vec"].train([["bir", "ev", "bir"], ["ev", "kedi"]], 1, tmp_path)
    assert KeyedVectors.load_word2vec_format(tmp_path / "vectors.vec").index_to_key == ["ev", "bir"]
    assert (coverage.units, coverage.known, coverage.types, coverage.vocabulary) == (5, 4, 3, 2)


def test_the_two_files_of_fasttext_agree_and_unseen_words_have_vectors(text, tmp_path):
    MODELS["fasttext"].train(text, 1, tmp_path)
    binary, table = (
        load_facebook_vectors(tmp_path / "fasttext.bin"),
        KeyedVectors.load_word2vec_format(tmp_path / "vectors.vec"),
    )
    assert binary.index_to_key == table.index_to_key
    np.testing.assert_allclose(binary.vectors, table.vectors, rtol=0, atol=1e-6)
    assert "evlerimizdenmişler" not in binary.key_to_index
    assert np.abs(binary["evlerimizdenmişler"]).sum() > 0


def test_rows_of_piece_vectors_are_the_pieces_by_their_number(text, tmp_path):
    coverage = MODELS["subword"].train(text, 1, tmp_path)
    pieces = SentencePieceProcessor(model_file=str(tmp_path / "pieces.model"))
    vectors = KeyedVectors.load_word2vec_format(tmp_path / "vectors.vec")
    assert vectors.index_to_key == [pieces.id_to_piece(number) for number in range(150)]
    assert not vectors["<s>"].any()
    assert vectors["<unk>"].any() == (coverage.known < coverage.units)
    assert np.count_nonzero(vectors.vectors[1:].any(axis=1)) == coverage.vocabulary


def test_pieces_know_no_digit_but_0_as_their_encoder(tmp_path):
    text = [["1999", "ev"], ["20", "ev"]]
    Pieces(**{**CBOW, "min_count": 1}, n_pieces=8, character_coverage=1.0).train(text, 1, tmp_path)
    pieces = KeyedVectors.load_word2vec_format(tmp_path / "vectors.vec").index_to_key
    assert {character for piece in pieces[3:] for character in piece} == set("▁0ev")


def test_no_sentence_is_too_long_for_pieces(tmp_path):
    text = [["ab"] * 3000, ["cd", "cd"]]
    Pieces(**{**CBOW, "min_count": 1}, n_pieces=10, character_coverage=1.0).train(text, 1, tmp_path)
    assert "▁ab" in KeyedVectors.load_word2vec_format(tmp_path / "vectors.vec").key_to_index


def test_a_text_is_lower_cased_by_the_rule_of_its_language(tmp_path):
    (tmp_path / "text").write_text("Iğdır İyi IŞIK\n", encoding="utf-8")
    settings = {"reader": "polyprobe.formats.texts.text_corpus.corpus_sentences", "train": "text"}
    read = {rule: read_text("text", settings, None, tmp_path, None, rule).sentences[0] for rule in ("turkish", "kept")}
    assert read == {"turkish": ["ığdır", "iyi", "ışık"], "kept": ["Iğdır", "İyi", "IŞIK"]}


def test_a_text_is_the_share_of_train(tmp_path):
    (tmp_path / "text").write_text("bir ev\niki ev\nüç ev\n", encoding="utf-8")
    settings = {
        "reader": "polyprobe.formats.texts.text_corpus.corpus_sentences",
        "train": "text",
        "shares": {"train": [0, 0.7]},
    }
    assert read_text("text", settings, None, tmp_path, None, "kept").sentences == [["bir", "ev"], ["iki", "ev"]]


def test_a_text_without_frequent_words_is_refused_with_the_key(tmp_path):
    with pytest.raises(PolyprobeError, match=r"No word of the text occurs 2 times\. Lower model\.min_count"):
        MODELS["word2vec"].train([["bir", "ev"]], 1, tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_number_of_pieces_that_the_text_does_not_give_is_refused_by_its_key(text, tmp_path):
    with pytest.raises(PolyprobeError, match=r"model\.n_pieces=90000 does not suit this text: .*value <= \d+"):
        Pieces(**CBOW, n_pieces=90_000, character_coverage=1.0).train(text, 1, tmp_path)


def test_ngrams_need_a_range(tmp_path):
    with pytest.raises(BadValue, match=r"model\.max_n must be at least model\.min_n"):
        WordsAndNgrams(**CBOW, **{**NGRAMS, "max_n": 3})
