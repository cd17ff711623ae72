from pathlib import Path

import pytest

from polyprobe.formats.reading.malformed import refuse
from polyprobe.generation.made_tests.frequent_words import ranks_of, read_frequent_words


def ranks(folder: Path, text: str, most_words: int = 10, normalization: str = "nfc") -> dict[str, int]:
    (folder / "words").write_text(text, encoding="utf-8")
    return read_frequent_words(folder / "words", most_words, normalization, refuse)


def test_a_list_without_counts_has_the_order_of_its_file(tmp_path):
    assert ranks(tmp_path, "bu\nbir\nne\n") == {"bu": 1, "bir": 2, "ne": 3}


def test_a_list_with_counts_has_their_order_and_ties_that_of_the_file(tmp_path):
    table = "Word\tFREQcount\nbu\t5\nbir\t9\nne\t5\n"
    assert ranks(tmp_path, table) == {"bir": 1, "bu": 2, "ne": 3}


def test_the_list_is_cut_and_a_word_that_is_listed_again_keeps_its_rank(tmp_path):
    assert ranks(tmp_path, "bu\nbir\nbu\nne\n", most_words=3) == {"bu": 1, "bir": 2}


def test_spellings_of_two_kinds_are_one_word_in_nfc(tmp_path):
    text = "go\u0308l\ng\u00f6l\n"
    assert ranks(tmp_path, text) == {"g\u00f6l": 1}
    assert ranks(tmp_path, text, normalization="kept") == {"go\u0308l": 1, "g\u00f6l": 2}


@pytest.mark.parametrize(("case", "expected"), [("kept", [0, 2, 0]), ("unicode", [0, 2, 1]), ("turkish", [1, 2, 1])])
def test_forms_are_lower_cased_as_asked_for(case, expected, tmp_path):
    (tmp_path / "words").write_text("ışık\nev\n", encoding="utf-8")
    words = read_frequent_words(tmp_path / "words", 10, "nfc", refuse)
    assert ranks_of(["IŞIK", "ev", "ışıK"], words, case).tolist() == expected
