"""The lexica of the miniature Turkish: every form with its analyses, its frequency and its syllables."""

from polyprobe.formats.lexica import frequency_list, unimorph, wuggy_lexicon
from polyprobe.formats.reading.malformed import refuse
from polyprobe.generation.mini.lexicon import inventory, is_vowel


def test_the_inflection_table_is_the_inventory(mini_folder):
    triples = unimorph.read(mini_folder / "unimorph/mini/mini.txt", refuse)
    assert [(one.lemma, one.form, one.bundle) for one in triples] == [
        (entry.lemma, entry.form, entry.bundle) for entry in inventory()
    ]


def test_frequencies_are_counts_of_the_text_in_lower_case(mini_folder):
    words = list(frequency_list.read(mini_folder / "frequency/mini.txt", refuse))
    assert words == sorted(words, key=lambda word: (-word.count, word.word))
    tokens = (mini_folder / "corpora/mini.txt").read_text(encoding="utf-8").replace("İ", "i").replace("I", "ı").split()
    assert sum(word.count for word in words) == sum(token not in (".", ",") for token in tokens)
    assert next(word.count for word in words if word.word == "çok") == [token.lower() for token in tokens].count("çok")


def test_syllables_have_one_vowel_each_and_spell_the_form(mini_folder):
    words = {word.word: word for word in wuggy_lexicon.read(mini_folder / "wuggy/mini.txt", refuse)}
    assert words.keys() == {entry.form for entry in inventory()}
    for form, word in words.items():
        assert "".join(word.syllables) == form
        assert all(sum(map(is_vowel, syllable)) == 1 for syllable in word.syllables)
        assert not any(len(one) > 1 and is_vowel(one[0]) and is_vowel(one[1]) for one in word.syllables)
    assert words["kitapları"].syllables == ("ki", "tap", "la", "rı")
    assert words["saatimiz"].syllables == ("sa", "a", "ti", "miz")
    assert words["kitap"].per_million > 0
