"""What char_ngrams alone promises; the promises of every encoder stand in test_contract.py."""

import numpy as np
import pytest

from polyprobe.encoders.char_ngrams import CharNgrams
from polyprobe.items import Form


def encoder(**changes):
    return CharNgrams(
        **{"width": 64, "min_n": 3, "max_n": 5, "lowercase": False, "dotless_i": False, "seed": 1, **changes}
    )


def vectors(items, **changes):
    return np.concatenate([layer for (layer,) in encoder(**changes).encode(items)])


def ngrams_in(form, min_n, max_n):
    """Counts n-grams by the squared length: every n-gram adds random signs, orthogonal up to chance."""
    (vector,) = vectors([Form(form)], width=4096, min_n=min_n, max_n=max_n)
    return (vector.astype(float) ** 2).mean() * 24


def test_a_word_of_one_letter_is_one_trigram():
    assert ngrams_in("a", 3, 3) == pytest.approx(1, rel=1e-6)


def test_a_word_shorter_than_the_shortest_ngram_is_one_ngram():
    assert ngrams_in("a", 5, 6) == pytest.approx(1, rel=1e-6)


def test_a_word_of_ten_different_letters_has_twenty_seven_ngrams_of_three_to_five():
    assert ngrams_in("abcdefghij", 3, 5) == pytest.approx(10 + 9 + 8, rel=0.15)


def test_the_order_of_letters_counts():
    assert not np.allclose(*vectors([Form("abc"), Form("cba")]))


def test_words_that_share_their_ending_are_nearer_than_others():
    """Six n-grams are shared (oss, ssa, ossa, and sa, ssa, ossa with the mark); each adds 1/24 to the mean product."""
    talossa, autossa, kirjat = vectors([Form("talossa"), Form("autossa"), Form("kirjat")], width=4096)
    assert (talossa * autossa).mean() * 24 == pytest.approx(6, abs=2)
    assert (talossa * kirjat).mean() * 24 == pytest.approx(0, abs=2)


def test_a_mark_is_no_character():
    """A form with a NUL, which the marks replace while hashing, is neither its prefix nor two words."""
    with_nul, without = vectors([Form("a\0b"), Form("ab")])
    assert not np.allclose(with_nul, without)
    np.testing.assert_array_equal(vectors([Form("x\0"), Form("y")])[1], vectors([Form("y")])[0])


def test_the_vectors_stay_what_they_are():
    """The bits come from integer arithmetic: these signs hold on every machine, and changing them is a new version."""
    (vector,) = vectors([Form("a")], width=16, min_n=3, max_n=3)
    assert "".join("+" if value > 0 else "-" for value in vector) == "+---++--++--+-+-"
