"""Accuracy of tagging, counted by hand and against scikit-learn."""

import pytest
import torch
from sklearn.metrics import precision_recall_fscore_support

from polyprobe.metrics.tagging import TagCounts, WordAccuracy, all_items_accuracy, tag_f1s, word_accuracy
from polyprobe.models.inputs.word_batch import NO_LOSS, UNKNOWN_LABEL

GOLD = ["_", "ADP", "DET", "NOUN", "NOUN", "SYM"]
FOUND = ["_", "ADP", "NOUN", "NOUN", "_", "X"]


def counted() -> TagCounts:
    counts = TagCounts()
    counts.add(GOLD, FOUND)
    return counts


def test_a_token_that_is_no_word_is_in_no_score_but_its_own():
    assert (word_accuracy(counted()).value, word_accuracy(counted()).n) == (2 / 5, 5)
    assert (all_items_accuracy(counted()).value, all_items_accuracy(counted()).n) == (3 / 6, 6)


def test_each_gold_tag_has_the_scores_that_scikit_learn_gives():
    found = tag_f1s(counted())
    tags = [score.part for score in found]
    expected = precision_recall_fscore_support(GOLD[1:], FOUND[1:], labels=tags, zero_division=0)
    ours = zip(*[(score.precision, score.recall, score.value, score.n) for score in found], strict=True)
    for column, reference in zip(ours, expected, strict=True):
        assert column == pytest.approx(reference)
    assert tags == ["ADP", "DET", "NOUN", "SYM"]


def test_the_metric_of_the_training_loop_counts_the_same_words():
    ids = {"_": 0, "ADP": 1, "DET": 2, "NOUN": 3, "X": 4}
    gold = torch.tensor([ids.get(tag, UNKNOWN_LABEL) for tag in GOLD] + [NO_LOSS])
    found = torch.tensor([ids[tag] for tag in FOUND] + [0])
    metric = WordAccuracy([NO_LOSS, ids["_"]])
    for part in (slice(0, 3), slice(3, 7)):
        metric.update(gold[part], found[part])
    assert metric.compute().item() == pytest.approx(word_accuracy(counted()).value)


def test_nothing_counted_is_zero_and_no_error():
    assert WordAccuracy([NO_LOSS]).compute().item() == 0
    assert word_accuracy(TagCounts()).value == 0
