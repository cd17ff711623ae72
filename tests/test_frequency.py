"""The order of names by how often they occur."""

from polyprobe.frequency import by_frequency, most_frequent

COUNTS = {"NOUN": 2, "VERB": 5, "ADJ": 2, "X": 1}


def test_names_stand_by_falling_count_and_those_of_one_count_sorted():
    assert by_frequency(COUNTS) == ["VERB", "ADJ", "NOUN", "X"]


def test_of_several_most_frequent_names_the_first_is_taken():
    assert most_frequent(COUNTS) == "VERB"
    assert most_frequent({"NOUN": 2, "ADJ": 2}) == "ADJ"
