"""The scores of one task in one manner: accuracy and F1, or correlations and squared error, with their intervals."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from polyprobe.metrics.bootstrap import bootstrap_interval, interval, ratio_interval, resampled_means
from polyprobe.metrics.classification import accuracy
from polyprobe.metrics.correlation import CORRELATIONS, correlation, resampled_correlations
from polyprobe.probing.downstream.task_outcomes import COSINE, TaskOutcome
from polyprobe.probing.suites.downstream_tasks import RELEASED
from polyprobe.runs.results import known_number
from polyprobe.seeds import derived_seed

WHOLE = "test"  # the split of a score of all that a task has


@dataclass(frozen=True, slots=True)
class Score:
    """One number about a task."""

    metric: str
    """"accuracy", "f1", "pearson", "spearman", "mse", "pearson_weighted_mean", "pearson_of_joined_rows", …."""
    split: str
    """"test", or the data set that it is about."""
    value: float | None
    """Seeds averaged; None where it is not defined (a constant prediction has no correlation)."""
    n: int
    low: float | None = None
    high: float | None = None
    """95 % bootstrap interval over items, seeds averaged; None where there is none."""
    skipped: int | None = None
    """Items without a prediction, which have no part in it."""


def class_scores(
    test: str, gold: np.ndarray, outcomes: Sequence[TaskOutcome], protocol: str, positive: int | None
) -> list[Score]:
    """Scores label predictions, of several seeds averaged.

    Accuracy is the share of all items that are right, each predicted once. The toolkit's, with the released protocol,
    is the mean over folds of their accuracies, rounded to two decimals of a percent.

    Args:
        test: name of the task, for the seed of the resampling.
        gold: label ids, int64 `[items]`.
        protocol: "corrected" or "released".
        positive: the label whose F1 is reported, or None.
    """
    correct = np.mean([one.predictions == gold for one in outcomes], axis=0)
    value = float(np.mean([_accuracy(gold, one, protocol) for one in outcomes]))
    scores = [Score("accuracy", WHOLE, value, len(gold), *bootstrap_interval(correct, _seed(test)))]
    if positive is not None:
        parts = np.mean([_f1_parts(gold, one.predictions, positive) for one in outcomes], axis=0)
        right, both = parts.sum(axis=0)
        f1 = float(right / both) if both else 0.0
        scores.append(Score("f1", WHOLE, f1, len(gold), *ratio_interval(parts, _seed(test))))
    return scores


def similarity_scores(
    test: str,
    gold: np.ndarray,
    sets: Sequence[tuple[str, slice]],
    outcomes: Sequence[TaskOutcome],
    manner: str,
    protocol: str,
) -> list[Score]:
    """Scores predicted scores or cosines, of several seeds averaged.

    A task of several data sets has the correlations of each and, for the whole, three: the mean over sets, the mean
    weighted by their items, and the correlation over the items of all sets joined. Resamples are drawn within sets.

    Args:
        gold: float64 `[items]`.
        sets: name of each data set, and where its items are.
        manner: how they were predicted; only a regression has a squared error.
        protocol: "corrected": an item without a prediction has no part; "released": its cosine is 0.
    """
    predicted = np.array([one.predictions for one in outcomes])
    if protocol == RELEASED:
        predicted = np.nan_to_num(predicted)
    parts = [_Set.of(name, gold[place], predicted[:, place]) for name, place in sets]
    scores = [score for name in CORRELATIONS for score in _correlations(test, name, parts)]
    if manner != COSINE:
        errors = ((predicted - gold) ** 2).mean(axis=0)
        resampled = resampled_means(errors, _seed(test))
        scores.append(Score("mse", WHOLE, float(errors.mean()), len(gold), *interval(resampled)))
    return scores


@dataclass(frozen=True, eq=False)
class _Set:
    """One data set: gold float64 `[items]`, predictions `[seeds, items]`, without those that have none."""

    name: str
    gold: np.ndarray
    predicted: np.ndarray
    skipped: int

    @classmethod
    def of(cls, name: str, gold: np.ndarray, predicted: np.ndarray) -> "_Set":
        is_known = ~np.isnan(predicted).any(axis=0)
        return cls(name, gold[is_known], predicted[:, is_known], int((~is_known).sum()))


def _correlations(test: str, name: str, sets: Sequence[_Set]) -> list[Score]:
    """Returns a correlation of each set, where there are several, and of the whole."""
    values = np.array([np.mean([correlation(name, one.gold, of_seed) for of_seed in one.predicted]) for one in sets])
    resampled = np.array([_resampled(test, name, one) for one in sets])
    numbers = np.array([len(one.gold) for one in sets])
    skipped = sum(one.skipped for one in sets) or None
    n = int(numbers.sum())
    whole = [(name, values.mean(), resampled.mean(axis=0))]
    of_sets = []
    if len(sets) > 1:
        of_resamples = np.average(resampled, axis=0, weights=numbers)
        whole.append((f"{name}_weighted_mean", np.average(values, weights=numbers), of_resamples))
        of_sets = [
            Score(name, one.name, known_number(value), len(one.gold), *_interval(draws), one.skipped or None)
            for one, value, draws in zip(sets, values, resampled, strict=True)
        ]
        gold = np.concatenate([one.gold for one in sets])
        joined = np.concatenate([one.predicted for one in sets], axis=1)
        value = float(np.mean([correlation(name, gold, of_seed) for of_seed in joined]))
        of_sets.append(Score(f"{name}_of_joined_rows", WHOLE, known_number(value), n, skipped=skipped))
    of_whole = [
        Score(named, WHOLE, known_number(float(value)), n, *_interval(draws), skipped) for named, value, draws in whole
    ]
    return of_whole + of_sets


def _resampled(test: str, name: str, one: _Set) -> np.ndarray:
    """Returns the correlation of each resample, seeds averaged: float64 `[resamples]`."""
    seed = derived_seed(_seed(test), one.name)
    return np.mean([resampled_correlations(name, one.gold, of_seed, seed) for of_seed in one.predicted], axis=0)


def _interval(draws: np.ndarray) -> tuple[float | None, float | None]:
    return interval(draws) if np.isfinite(draws).all() else (None, None)


def _accuracy(gold: np.ndarray, outcome: TaskOutcome, protocol: str) -> float:
    if protocol == RELEASED and outcome.fold_accuracies:
        return float(np.mean([round(one, 4) for one in outcome.fold_accuracies]))
    return accuracy(gold, outcome.predictions)


def _f1_parts(gold: np.ndarray, predicted: np.ndarray, positive: int) -> np.ndarray:
    """Returns what each item adds to both sides of the F1 of a label: `[items, 2]`."""
    is_gold, is_predicted = gold == positive, predicted == positive
    return np.stack([2 * (is_gold & is_predicted), is_gold.astype(np.int64) + is_predicted], axis=1)


def _seed(test: str) -> int:
    return derived_seed(0, "bootstrap", test)
