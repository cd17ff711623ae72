"""Scores of trees written as symbols, worked out by hand, and against counting spans."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyprobe.metrics.trees import scores_of_sums, tree_counts, tree_scores


def tree(written: str) -> list[str]:
    return written.split()


GOLD = tree("(ROOT (S (NP DT NN )NP (VP VBD (NP PRP )NP )VP . )S )ROOT")


def scores(*generated: str) -> dict[str, float]:
    found = tree_scores([GOLD] * len(generated), [tree(one) for one in generated])
    return {score.metric: score.value for score in found}


def test_a_tree_without_differences_has_all_scores():
    assert scores(" ".join(GOLD)) == {"tree_accuracy": 1, "bracket_f1": 1, "ill_formed": 0}


def test_brackets_count_by_label_and_span():
    # Gold: S 0-5, NP 0-2, VP 2-4, NP 3-4. Found: S 0-5, NP 0-2, NP 2-4 (another label): 2 right of 3, 2 found of 4.
    (whole, f1, ill_formed) = tree_scores([GOLD], [tree("(ROOT (S (NP DT NN )NP (NP VBD PRP )NP . )S )ROOT")])
    assert (f1.metric, f1.precision, f1.recall, f1.value, f1.n) == ("bracket_f1", 2 / 3, 2 / 4, 2 * 2 / 7, 4)
    assert (whole.value, ill_formed.value) == (0, 0)


def test_another_part_of_speech_is_another_tree_with_the_same_brackets():
    found = scores(" ".join(GOLD).replace("VBD", "VBZ"))
    assert found == {"tree_accuracy": 0, "bracket_f1": 1, "ill_formed": 0}


def test_an_ill_formed_tree_has_no_brackets_and_lowers_recall_alone():
    right, cut_off = " ".join(GOLD), "(ROOT (S (NP DT NN )NP"
    _, f1, ill_formed = tree_scores([GOLD] * 2, [GOLD, tree(cut_off)])
    assert (f1.precision, f1.recall, f1.value) == (1, 4 / 8, 2 * 4 / 12)
    assert ill_formed.value == 1 / 2
    assert scores(right, "") == {"tree_accuracy": 1 / 2, "bracket_f1": 2 * 4 / 12, "ill_formed": 1 / 2}


def test_a_bracket_that_stands_twice_is_right_as_often_as_gold_has_it():
    gold, twice = tree("(ROOT (NP NN )NP )ROOT"), tree("(ROOT (NP (NP NN )NP )NP )ROOT")
    assert tree_counts([gold], [twice]).tolist() == [[1, 0, 0, 1, 2, 1]]


def test_whole_trees_and_ill_formed_ones_have_intervals():
    for score in tree_scores([GOLD] * 4, [GOLD, GOLD, GOLD, ["(S"]]):
        assert score.interval_low < score.value < score.interval_high


def test_no_trees_have_scores_of_0():
    assert [score.value for score in tree_scores([], [])] == [0, 0, 0]


symbols = st.lists(st.sampled_from(["(S", ")S", "(NP", ")NP", "NN", "VB"]), max_size=8)


@given(st.lists(symbols, min_size=1, max_size=6), st.integers(0, 6))
def test_counts_of_parts_add_up(generated, place):
    gold = [GOLD] * len(generated)
    whole = tree_counts(gold, generated).sum(0)
    parts = tree_counts(gold[:place], generated[:place]).sum(0) + tree_counts(gold[place:], generated[place:]).sum(0)
    np.testing.assert_array_equal(whole, parts)
    assert [score.value for score in scores_of_sums(whole)] == [score.value for score in tree_scores(gold, generated)]


def test_more_trees_than_gold_has_are_refused():
    with pytest.raises(ValueError, match="longer"):
        tree_counts([GOLD], [GOLD, GOLD])
