from pathlib import Path

import pytest

from polyprobe.formats.reading.malformed import refuse
from polyprobe.generation.pseudo_tests.lexicon_words import (
    NoWords,
    of_plain_words,
    pseudo_options,
    read_syllabified,
    seed_words,
)
from polyprobe.generation.pseudowords import UnsuitableLexicon
from tests.generation.syllabified import rule_made_words

ROWS = (
    "ad(ı)\tad\t9.0\nad(ıı)\tad\t8.0\nkap\tkap\t1.0\nabadía\ta-ba-di-a\t7.0\nKap\tkap\t2.0\nkap\tkap\t3.0\nek\tek\t0\n"
)


def lexicon(folder: Path, text: str = ROWS) -> Path:
    (folder / "lexicon.txt").write_bytes(text.encode())
    return folder / "lexicon.txt"


def chosen(path: Path, rules: str = "article", language: str = "tr", **changes) -> tuple[list[str], dict[str, int]]:
    """Returns the seed words, and what each filter took."""
    options = pseudo_options(rules, language, True, 1, **changes)
    words, steps = seed_words(read_syllabified(path, options, refuse), options)
    return words, {step.name: step.taken for step in steps if step.taken}


def test_seed_words_are_the_most_frequent_words_that_their_syllables_spell(tmp_path):
    words, taken = chosen(lexicon(tmp_path))
    # Kap is kap with a capital, and its syllables are not capital either.
    assert words == ["kap", "ek"]
    assert taken == {"listed again": 1, "other characters than letters": 2, "not spelled by its syllables": 2}
    assert chosen(lexicon(tmp_path), seed_words=1)[0] == ["kap"]


def test_by_the_released_rules_every_word_is_a_seed_word(tmp_path):
    words, taken = chosen(lexicon(tmp_path), "released")
    assert words == ["ad(ı)", "ad(ıı)", "abadía", "kap", "Kap", "ek"]
    assert taken == {"listed again": 1}


def test_two_spellings_of_one_word_are_one_seed_word(tmp_path):
    path = lexicon(tmp_path, "kap\tkap\t1.0\nKap\tKap\t2.0\nIşık\tI-şık\t1.0\nışık\tı-şık\t0.5\n")
    words, taken = chosen(path)
    assert words == ["Kap", "Işık"]
    assert taken == {"another spelling of a word before": 2}


def test_a_decomposed_lexicon_is_composed_unless_spellings_are_kept(tmp_path):
    path = lexicon(tmp_path, "go\u0308l\tgo\u0308l\t1.0\nbal\tbal\t2.0\n")
    assert chosen(path)[0] == ["bal", "g\u00f6l"]
    assert chosen(path, "released")[0] == ["bal", "go\u0308l"]
    assert read_syllabified(path, pseudo_options("article", "tr", True, 1), refuse).n_composed == 1


def test_a_random_choice_is_the_same_every_time_and_another_for_another_seed(tmp_path):
    path = lexicon(tmp_path, "".join(f"{w.replace('-', '')}\t{w}\t{n}\n" for n, w in enumerate(rule_made_words(90))))
    options = {"seed_words": 20, "seed_choice": "random"}
    words, _ = chosen(path, **options)
    assert len(set(words)) == 20
    assert chosen(path, **options)[0] == words
    of_another_seed = pseudo_options("article", "tr", True, 2, **options)
    assert seed_words(read_syllabified(path, of_another_seed, refuse), of_another_seed)[0] != words


def test_named_seed_words_are_taken_as_they_are_and_must_be_in_the_lexicon(tmp_path):
    assert chosen(lexicon(tmp_path), seed_words=["ad(ı)", "ek", "ek"])[0] == ["ad(ı)", "ek"]
    with pytest.raises(UnsuitableLexicon, match='seed word "eh" is not among the 6 words'):
        chosen(lexicon(tmp_path), seed_words=["eh"])


def test_no_word_in_any_spelling_and_no_listed_word_may_be_a_pseudoword(tmp_path):
    options = pseudo_options("article", "tr", True, 1)
    accepts = NoWords(read_syllabified(lexicon(tmp_path), options, refuse), {"Ilık": 1, "kek": 2}, options)
    refused = ["ad", "abadia", "KAP", "ılık", "kek", "kek", "ab.", "e\u0308"]
    assert not any(map(accepts, refused))
    assert accepts("kep")
    assert accepts.refused == {
        "words of the lexicon in another spelling": 3,
        "words of the frequency list": 2,
        "other characters than letters": 2,
    }


def test_by_the_released_rules_only_words_as_they_are_written_are_none(tmp_path):
    options = pseudo_options("released", "tr", True, 1)
    accepts = NoWords(read_syllabified(lexicon(tmp_path), options, refuse), {"kek": 1}, options)
    assert all(map(accepts, ["ad", "abadia", "kek", "ab."]))


def test_a_frequency_list_makes_a_lexicon_in_its_order():
    options = pseudo_options("article", "fi", False, 1, plain_words=4)
    words = of_plain_words({"talo": 1, "kala": 2, "2": 3, "sana": 4, "kana": 5}, options)
    assert words.by_frequency == ["talo", "kala", "sana"]
    assert seed_words(words, options)[0] == ["talo", "kala", "sana"]


def test_a_lexicon_without_nuclei_names_its_file_and_the_option(tmp_path):
    with pytest.raises(
        UnsuitableLexicon, match=r"lexicon\.txt: None of the 1 words .* nucleus of tr.* pseudowords\.nuclei="
    ):
        chosen(lexicon(tmp_path, "дом\tдом\t1.0\n"))
