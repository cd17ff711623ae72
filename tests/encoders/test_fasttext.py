"""What fasttext alone promises; the promises of every encoder stand in test_contract.py."""

import numpy as np

from src.formats.fasttext_bin import read_vectors
from src.formats.items import Form, Sentence, TokenInContext
from tests.encoders.kinds.fasttext import build


def test_items_are_their_words_under_the_case_rule(tmp_path):
    encoder = build(tmp_path, lowercase=True, dotless_i=True)
    words = ["paloi", "ılık", "."]
    ((layer,),) = encoder.encode([Form("PALOi"), TokenInContext(("a", "ILIK"), 1), Sentence(("Paloi", "ILIK", "."))])
    vectors = read_vectors(encoder.model, words)
    np.testing.assert_allclose(layer, [vectors[0], vectors[1], vectors.mean(axis=0)], atol=1e-6)


def test_words_that_share_their_ending_are_nearer_than_others(tmp_path):
    """Unseen words have vectors of their own: the n-grams make them."""
    ((layer,),) = build(tmp_path).encode([Form("mökissämme"), Form("järvissämme"), Form("kahvia")])
    first, second, other = layer / np.linalg.norm(layer, axis=1, keepdims=True)
    assert first @ second > first @ other


def test_no_word_is_unknown(tmp_path):
    assert build(tmp_path).known(["paloi", "zzzz"]) is None
