import pytest

from polyprobe.errors import BadValue, UnknownChoice
from polyprobe.generation.pseudo_tests.lexicon_words import pseudo_options


def test_nuclei_are_those_of_the_language_where_there_are_any():
    assert pseudo_options("article", "tr", True, 1).nuclei == "tr"
    assert pseudo_options("article", "fi", False, 1).nuclei == "general"
    assert pseudo_options("article", "de", False, 1, nuclei="german_released").nuclei == "german_released"


def test_the_released_rules_compare_as_written_and_toss_a_coin():
    released = pseudo_options("released", "tr", True, 1)
    assert (released.labels, released.pairing, released.case) == ("coin", "rows", "kept")
    assert pseudo_options("article", "tr", True, 1).case == "turkish"


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("split", "seeds", "Did you mean seed"),
        ("nuclei", "turkisch", "Did you mean turkish"),
        ("candidates", 0, "pseudowords.candidates must be an integer of at least 1"),
        ("seed_words", 0, "a number of at least 1, all, or a list of words"),
    ],
)
def test_an_option_out_of_its_range_is_told_with_its_key(option, value, words):
    with pytest.raises((BadValue, UnknownChoice), match=words):
        pseudo_options("article", "tr", True, 1, **{option: value})
