"""Perplexity and accuracy of units, and exact targets, worked out by hand."""

import math

import pytest
import torch

from src.metrics.count_sums import CountSums
from src.metrics.generation import N_COUNTS, exact_score, unit_counts, unit_scores


def test_perplexity_is_per_unit_and_per_word_and_ends_count():
    # Two targets of one and of two words, of 2 and of 2 units: 6 units and 5 words with their ends.
    surprisals = torch.tensor([1.0, 2.0, 0.0, 3.0, 4.0, 2.0])
    is_best = torch.tensor([True, False, True, False, False, True])
    by_unit, by_word, accuracy = unit_scores(unit_counts(surprisals, is_best, n_words=5).numpy())
    assert (by_unit.metric, by_unit.value, by_unit.n) == ("perplexity", pytest.approx(math.exp(12 / 6)), 6)
    assert (by_word.metric, by_word.value, by_word.n) == ("perplexity_per_word", pytest.approx(math.exp(12 / 5)), 5)
    assert (accuracy.metric, accuracy.value, accuracy.n) == ("unit_accuracy", 3 / 6, 6)


def test_batches_add_up():
    surprisals, is_best = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([True, False, False])
    sums = CountSums(units=N_COUNTS)
    sums.update(units=unit_counts(surprisals[:1], is_best[:1], 1))
    sums.update(units=unit_counts(surprisals[1:], is_best[1:], 2))
    sums.update(units=unit_counts(surprisals[:0], is_best[:0], 0))
    assert sums.compute()["units"].tolist() == unit_counts(surprisals, is_best, 3).tolist() == [6, 3, 3, 1]


def test_a_target_is_exact_if_nothing_differs():
    gold = [("a", "b"), ("c",), ()]
    score = exact_score(gold, [["a", "b"], ["c", "c"], ["d"]])
    assert (score.metric, score.value, score.n) == ("exact", 1 / 3, 3)
    assert (score.interval_low, score.interval_high) == (0, 1)
