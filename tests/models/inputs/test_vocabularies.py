"""Trigram vocabularies, against cases worked out by hand."""

import pytest

from polyprobe.models.inputs.vocabularies import TrigramVocabulary


def named(vocabulary: TrigramVocabulary, word: str) -> list[str]:
    return [vocabulary.units[number] for number in vocabulary.ids(word)]


def test_units_are_padding_unknown_trigrams_by_frequency_then_characters():
    # Windows of ^yö$ (twice) and ^ö$: ^yö 2, yö$ 2, ^ö$ 1.
    vocabulary = TrigramVocabulary.counted(["Yö", "ö", "yö"])
    assert vocabulary.units == ("<padding>", "<unknown>", "^yö", "yö$", "^ö$", "$", "^", "y", "ö")


def test_a_known_word_gives_its_trigrams_whatever_its_case():
    vocabulary = TrigramVocabulary.counted(["talo"])
    assert named(vocabulary, "TALO") == ["^ta", "tal", "alo", "lo$"]


def test_a_word_of_one_letter_gives_one_trigram():
    vocabulary = TrigramVocabulary.counted(["a"])
    assert named(vocabulary, "a") == ["^a$"]


def test_an_unseen_trigram_becomes_its_characters_and_unseen_characters_unknown():
    vocabulary = TrigramVocabulary.counted(["tal"])
    assert named(vocabulary, "tax") == ["^ta", "t", "a", "<unknown>", "a", "<unknown>", "$"]


def test_a_literal_mark_in_a_word_is_not_a_mark():
    vocabulary = TrigramVocabulary.counted(["$", "ab"])
    assert named(vocabulary, "$") == ["^＄$"]
    assert named(vocabulary, "b$") == ["^", "b", "＄", "b", "＄", "$"]
    assert named(vocabulary, "^") == ["^", "<unknown>", "$"]


def test_a_dotted_capital_i_is_lowered_to_two_characters():
    assert TrigramVocabulary.counted(["İ"]).units[2:4] == ("^i\u0307", "i\u0307$")


@pytest.mark.parametrize("word", ["www.a.fi", "HTTPS://a", "a.html", "a" * 101])
def test_addresses_and_very_long_words_are_not_counted_but_coded(word):
    vocabulary = TrigramVocabulary.counted([word, "w"])
    assert vocabulary.units == ("<padding>", "<unknown>", "^w$", "$", "^", "w")
    assert len(vocabulary.ids(word)) >= len(word)


def test_the_order_of_the_words_does_not_matter():
    words = ["talo", "talossa", "yö", "yö"]
    assert TrigramVocabulary.counted(words).units == TrigramVocabulary.counted(words[::-1]).units
