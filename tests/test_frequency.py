"""The order of names by how often they occur."""

import pytest

from polyprobe.frequency import by_frequency, most_frequent, note_on_labels, note_on_rows

COUNTS = {"NOUN": 2, "VERB": 5, "ADJ": 2, "X": 1}


def test_names_stand_by_falling_count_and_those_of_one_count_sorted():
    assert by_frequency(COUNTS) == ["VERB", "ADJ", "NOUN", "X"]


def test_of_several_most_frequent_names_the_first_is_taken():
    assert most_frequent(COUNTS) == "VERB"
    assert most_frequent({"NOUN": 2, "ADJ": 2}) == "ADJ"


@pytest.mark.parametrize("spelling", ["{}", "{}.5", "-{},25", "1e-{}", ".{}"])
def test_many_numbers_are_no_classes_and_few_may_be(spelling):
    labels = [spelling.format(number) for number in range(13)]
    assert note_on_labels(dict.fromkeys(labels, 2)) == (
        "labels look like numbers: 13 different ones, each a class of its own"
    )
    assert note_on_labels(dict.fromkeys(labels[:12], 1)) is None
    assert note_on_labels(dict.fromkeys([*labels, "none"], 2)) is None


def test_copies_contradictions_and_one_number_in_two_spellings_are_named():
    assert note_on_rows([("a", "X"), ("b", "Y"), ("c", "2")]) is None
    assert note_on_rows([("a", "X"), ("a", "X"), ("a", "Y"), ("b", "1"), ("c", "1.0")]) == (
        "1 of 5 rows are copies of others, 1 of 3 different items have several labels, "
        "the labels 1 and 1.0 are one number, but different classes"
    )
