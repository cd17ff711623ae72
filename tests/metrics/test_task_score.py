"""Intervals beside scores of the whole, and the share of unseen words."""

import pytest

from polyprobe.metrics.task_score import TaskScore, oov_rate, with_intervals

SCORES = [
    TaskScore("accuracy", 0.75, 8, "CoNLL-2018"),
    TaskScore("f1", 0.5, 2, "polyprobe", part="NOUN"),
    TaskScore("upos", 0.5, 2, "CoNLL-2018"),
]


def test_a_score_of_the_whole_lies_in_its_interval_and_others_have_none():
    of_all, *others = with_intervals(SCORES, {"accuracy": [(3, 4), (2, 2), (1, 2)], "f1": [(1, 2)]})
    assert of_all.interval_low < 0.75 < of_all.interval_high
    assert [one.interval_low for one in others] == [None, None]


def test_parts_that_do_not_make_the_score_are_refused():
    with pytest.raises(AssertionError, match="accuracy is not the ratio of its parts"):
        with_intervals(SCORES, {"accuracy": [(3, 4), (2, 2)]})


def test_a_score_of_no_sentence_has_no_interval():
    assert with_intervals(SCORES[:1], {"accuracy": []}) == SCORES[:1]


def test_unseen_words_are_counted_by_occurrence_in_lower_case():
    score = oov_rate(["Talo", "on"], ["talo", "ON", "suuri", "suuri"])
    assert (score.metric, score.value, score.n) == ("oov", 0.5, 4)
