"""Scores of tasks: accuracy and F1, correlations of one data set and of several, what the released rules change."""

import numpy as np
import pytest

from polyprobe.metrics.correlation import correlation
from polyprobe.probing.downstream.scores import class_scores, similarity_scores
from polyprobe.probing.downstream.task_outcomes import TaskOutcome

GOLD = np.array([0, 1, 1, 0, 1, 1])
ONE = TaskOutcome(np.array([0, 1, 0, 1, 1, 1]), fold_accuracies=(0.666666, 0.666666))
OTHER = TaskOutcome(np.array([0, 1, 1, 0, 1, 1]), fold_accuracies=(1.0, 1.0))


def by_metric(scores):
    return {(score.metric, score.split): score for score in scores}


def test_accuracy_is_the_share_of_all_items_that_are_right_seeds_averaged():
    (score,) = class_scores("MR", GOLD, [ONE, OTHER], "corrected", None)
    assert (score.metric, score.split, score.n) == ("accuracy", "test", 6)
    assert score.value == pytest.approx((4 / 6 + 1) / 2)
    assert score.low < score.value <= score.high


def test_the_released_accuracy_is_the_mean_over_folds_rounded_to_two_decimals_of_a_percent():
    (score,) = class_scores("MR", GOLD, [ONE], "released", None)
    assert score.value == pytest.approx(0.6667, abs=1e-12)


def test_f1_is_that_of_the_positive_label():
    scores = by_metric(class_scores("MRPC", GOLD, [ONE], "corrected", 1))
    # Of 4 gold and 4 predicted ones 3 are right.
    assert scores["f1", "test"].value == pytest.approx(2 * 3 / (4 + 4))
    assert scores["f1", "test"].low <= 0.75 <= scores["f1", "test"].high


def scored(n, seed):
    random = np.random.default_rng(seed)
    gold = random.uniform(0, 5, size=n).round(1)
    return gold, gold / 5 + random.normal(size=n)


def test_a_task_of_several_sets_has_both_means_and_the_correlation_of_all_rows():
    (first, cosines), (second, others) = scored(40, 1), scored(10, 2)
    gold, predicted = np.concatenate([first, second]), np.concatenate([cosines, others + 3])
    sets = [("a", slice(0, 40)), ("b", slice(40, 50))]
    found = by_metric(similarity_scores("STS", gold, sets, [TaskOutcome(predicted)], "cosine", "corrected"))
    for name in ("pearson", "spearman"):
        of_a, of_b = correlation(name, first, cosines), correlation(name, second, others)
        assert found[name, "a"].value == pytest.approx(of_a)
        assert found[name, "b"].value == pytest.approx(of_b)
        assert found[name, "test"].value == pytest.approx((of_a + of_b) / 2)
        assert found[f"{name}_weighted_mean", "test"].value == pytest.approx((40 * of_a + 10 * of_b) / 50)
        assert found[f"{name}_of_joined_rows", "test"].value == pytest.approx(correlation(name, gold, predicted))
        assert found[name, "test"].low < found[name, "test"].value < found[name, "test"].high
    assert {metric for metric, _ in found} & {"mse"} == set()


def test_a_pair_without_a_cosine_is_left_out_and_counted_and_is_0_by_the_released_rules():
    gold, cosines = scored(30, 3)
    cosines[[4, 9]] = np.nan
    known = ~np.isnan(cosines)
    sets = [("test", slice(0, 30))]
    corrected, released = (
        by_metric(similarity_scores("STSB", gold, sets, [TaskOutcome(cosines)], "cosine", protocol))["pearson", "test"]
        for protocol in ("corrected", "released")
    )
    assert corrected.value == pytest.approx(correlation("pearson", gold[known], cosines[known]))
    assert (corrected.n, corrected.skipped) == (28, 2)
    assert released.value == pytest.approx(correlation("pearson", gold, np.nan_to_num(cosines)))
    assert (released.n, released.skipped) == (30, None)


def test_a_regression_has_its_squared_error_too():
    gold = np.array([1.0, 2.0, 4.0])
    outcomes = [TaskOutcome(gold + 1), TaskOutcome(gold[::-1].copy())]
    found = by_metric(
        similarity_scores("STSB", gold, [("test", slice(0, 3))], outcomes, "score_regression", "corrected")
    )
    assert found["mse", "test"].value == pytest.approx((1 + (9 + 0 + 9) / 3) / 2)


def test_a_constant_prediction_has_no_correlation():
    outcome = TaskOutcome(np.full(5, 0.3))
    gold = np.arange(5.0)
    found = by_metric(similarity_scores("STSB", gold, [("test", slice(0, 5))], [outcome], "cosine", "corrected"))
    assert found["pearson", "test"].value is None
