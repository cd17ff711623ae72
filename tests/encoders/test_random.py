"""Random vectors and random counterparts; the promises of every encoder stand in test_contract.py."""

import hashlib

import numpy as np
import pytest
from scipy import stats

from polyprobe.encoders.base.encoder import Layer
from polyprobe.encoders.char_ngrams import CharNgrams
from polyprobe.encoders.random import RandomVectors, random_counterpart
from polyprobe.items import Form, Sentence, TokenInContext


def vectors(encoder, items):
    return [np.concatenate(layer) for layer in zip(*encoder.encode(items), strict=True)]


def test_a_word_has_one_vector_wherever_it_stands():
    encoder = RandomVectors(20, 1, False, False)
    form, token, sentence, other = vectors(
        encoder, [Form("talo"), TokenInContext(("suuri", "talo"), 1), Sentence(("suuri", "talo")), Form("suuri")]
    )[0]
    np.testing.assert_array_equal(form, token)
    np.testing.assert_allclose(sentence, (form + other) / 2, atol=1e-6)


def test_numbers_are_standard_normal_and_words_unrelated():
    (matrix,) = vectors(RandomVectors(300, 1, False, False), [Form(f"sana{number}") for number in range(200)])
    assert stats.kstest(matrix.ravel(), "norm").pvalue > 0.01
    correlations = np.corrcoef(matrix)[np.triu_indices(200, 1)]
    assert abs(correlations).max() < 0.35
    assert abs(np.corrcoef(matrix.T)[np.triu_indices(300, 1)].mean()) < 0.01


def test_the_numbers_are_the_same_everywhere():
    """Worked out with Python's integers: the first bits of "talo" under seed 1, and their normal quantile."""

    def mixed(value):
        value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        value = (value ^ value >> 27) * 0x94D049BB133111EB % 2**64
        return value ^ value >> 31

    word = int.from_bytes(hashlib.blake2b(b"talo", digest_size=8).digest(), "little")
    bits = mixed((mixed(word ^ mixed(1)) + 0x9E3779B97F4A7C15) % 2**64)
    expected = stats.norm.ppf(((bits >> 11) + 0.5) / 2**53)
    assert vectors(RandomVectors(3, 1, False, False), [Form("talo")])[0][0, 0] == pytest.approx(expected, abs=1e-6)


def test_the_counterpart_of_vectors_has_layers_of_the_same_shape():
    encoder = CharNgrams(width=70, min_n=3, max_n=5, lowercase=True, dotless_i=False, seed=1)
    counterpart = random_counterpart(encoder, 4)
    assert counterpart.layers == (Layer("char_ngrams", 70),)
    first, second = vectors(counterpart, [Form("Talo"), Form("talo")])[0]
    np.testing.assert_array_equal(first, second)
    assert counterpart.fingerprint != random_counterpart(encoder, 5).fingerprint
