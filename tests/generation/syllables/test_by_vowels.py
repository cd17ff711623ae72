from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyprobe.generation.syllables.segments import parts, syllabified


@pytest.mark.parametrize(
    ("word", "syllables"),
    [
        ("talossa", ("ta", "los", "sa")),
        ("ruskea", ("rus", "kea")),
        ("ayer", ("a", "yer")),  # y between vowels is a consonant
        ("työ", ("työ",)),  # and a vowel behind a consonant
        ("şarkı", ("şar", "kı")),
        ("школа", ("шко", "ла")),
        ("θάλασσα", ("θά", "λασ", "σα")),
        ("мой", ("мой",)),  # й is no vowel, though it is и with a mark
        ("brr", ("brr",)),
    ],
)
def test_of_the_consonants_between_vowels_the_last_begins_a_syllable(word, syllables):
    assert syllabified([word])[word] == syllables


def test_a_syllable_begins_with_as_many_consonants_as_words_do():
    assert syllabified(["patrullo"])["patrullo"] == ("pat", "rul", "lo")
    assert syllabified(["patrullo", "tren"])["patrullo"] == ("pa", "trul", "lo")


def test_what_fewer_than_one_word_in_a_thousand_begins_with_begins_no_syllable():
    others = ["".join(letters) for letters in product("lmn", "aeiou", "lmn", "aeiou", "lmn", "aeiou")]
    assert syllabified(["patrullo", "tren", *others])["patrullo"] == ("pat", "rul", "lo")


def test_words_with_other_characters_than_letters_are_left_out():
    assert list(syllabified(["talo", "a/c", "anlıyor musun", "tv-talo", "b2", ""])) == ["talo"]


@given(st.lists(st.text("abkstryaeiouäйуд", min_size=1), min_size=1))
def test_syllables_spell_the_word_and_have_one_run_of_vowels_each(words):
    made = syllabified(words)
    for word, syllables in made.items():
        assert "".join(syllables) == word
        assert all(syllables)
        assert len(syllables) == 1 or all(parts(syllable)[1] for syllable in syllables)
