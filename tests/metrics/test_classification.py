"""Accuracy, F1 and confusion, by hand and against scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as reference

from polyprobe.metrics.classification import accuracy, confusion, f1_by_label, macro_f1, majority_score, pair_scores


def test_accuracy_and_confusion_of_a_worked_example():
    gold = ["neutral", "neutral", "entailment", "contradiction"]
    accuracy, *confusion = pair_scores(gold, ["neutral", "entailment", "entailment", "neutral"])
    assert (accuracy.metric, accuracy.value, accuracy.n) == ("accuracy", 0.5, 4)
    shares = {score.part: (score.value, score.n) for score in confusion if score.value}
    assert shares == {
        "neutral as neutral": (0.5, 2),
        "neutral as entailment": (0.5, 2),
        "entailment as entailment": (1.0, 1),
        "contradiction as neutral": (1.0, 1),
    }
    assert len(confusion) == 9


def test_a_label_that_is_only_predicted_has_no_share_of_its_own():
    _, *confusion = pair_scores(["neutral"], ["entailment"])
    assert {score.part for score in confusion} == {"neutral as neutral", "neutral as entailment"}


def test_nothing_is_scored_where_there_is_no_pair():
    assert pair_scores([], []) == []


def test_the_majority_counts_its_label():
    assert majority_score("neutral", ["neutral", "entailment"]).value == 0.5


GOLD = np.array([0, 0, 1, 1, 3])
PREDICTED = np.array([0, 1, 1, 2, 0])

labels_of_examples = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=40)


def test_scores_of_five_examples_are_those_worked_out_by_hand():
    assert accuracy(GOLD, PREDICTED) == 0.4
    assert f1_by_label(GOLD, PREDICTED) == {0: 0.5, 1: 0.5, 3: 0.0}
    assert macro_f1(GOLD, PREDICTED) == pytest.approx(1 / 3)


def test_confusion_has_gold_in_rows():
    expected = [[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 0], [1, 0, 0, 0]]
    assert confusion(GOLD, PREDICTED, 4).tolist() == expected


@given(labels_of_examples)
def test_scores_equal_those_of_scikit_learn(pairs):
    gold, predicted = (np.array(side) for side in zip(*pairs, strict=True))
    present = sorted(set(gold.tolist()))
    expected = reference.f1_score(gold, predicted, labels=present, average=None, zero_division=0)
    assert list(f1_by_label(gold, predicted)) == present
    np.testing.assert_allclose(list(f1_by_label(gold, predicted).values()), expected)
    assert macro_f1(gold, predicted) == pytest.approx(expected.mean())
    assert accuracy(gold, predicted) == pytest.approx(reference.accuracy_score(gold, predicted))
    np.testing.assert_array_equal(
        confusion(gold, predicted, 5), reference.confusion_matrix(gold, predicted, labels=range(5))
    )
