"""Perplexity and accuracy of units, and exact targets, worked out by hand."""

import math

import numpy as np
import pytest
import torch

from polyprobe.metrics.generation import N_COUNTS, CountSums, exact_score, unit_counts, unit_scores


def test_rows_are_summed_apart_and_forgotten_when_reset():
    sums = CountSums(units=2, trees=1)
    sums.update(units=torch.tensor([1.5, 2.0]), trees=np.array([3]))
    sums.update(units=np.array([1, 0]))
    assert {name: row.tolist() for name, row in sums.compute().items()} == {"units": [2.5, 2], "trees": [3]}
    sums.reset()
    sums.update()
    assert {name: row.tolist() for name, row in sums.compute().items()} == {"units": [0, 0], "trees": [0]}


def test_what_was_computed_does_not_change_when_more_is_counted():
    sums = CountSums(units=1)
    sums.update(units=np.array([1]))
    before = sums.compute()["units"]
    sums.update(units=np.array([1]))
    assert (before.tolist(), sums.compute()["units"].tolist()) == ([1], [2])


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
