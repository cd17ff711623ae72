"""Scores of single-label classification, from integer label ids, and those of labels of sentence pairs."""

from collections.abc import Iterator, Sequence

import numpy as np

from polyprobe.metrics.task_score import TaskScore, with_intervals


def accuracy(gold: np.ndarray, predicted: np.ndarray) -> float:
    """Returns the share of predictions that are right, 0 to 1. Both `[examples]`."""
    return float(np.mean(gold == predicted))


def macro_f1(gold: np.ndarray, predicted: np.ndarray) -> float:
    """Returns the mean F1 over the labels that occur in gold, 0 to 1.

    A label that is predicted but never gold has no F1; it lowers the recall of those in whose place it is predicted.
    """
    return float(np.mean(list(f1_by_label(gold, predicted).values())))


def f1_by_label(gold: np.ndarray, predicted: np.ndarray) -> dict[int, float]:
    """Returns the F1 of each label that occurs in gold, in the order of the ids; 0 for one that is never predicted."""
    counts = confusion(gold, predicted, int(max(gold.max(), predicted.max())) + 1)
    right, n_gold, n_predicted = counts.diagonal(), counts.sum(1), counts.sum(0)
    return {int(label): float(2 * right[label] / (n_gold + n_predicted)[label]) for label in np.flatnonzero(n_gold)}


def confusion(gold: np.ndarray, predicted: np.ndarray, n_labels: int) -> np.ndarray:
    """Counts how often each gold label was predicted as each label: int64 `[gold labels, predicted labels]`."""
    assert gold.shape == predicted.shape, f"{gold.shape} gold, {predicted.shape} predicted labels"
    return np.bincount(gold * n_labels + predicted, minlength=n_labels**2).reshape(n_labels, n_labels)


SCORER = "polyprobe"


def pair_scores(gold: Sequence[str], predicted: Sequence[str]) -> list[TaskScore]:
    """Returns the accuracy, then the confusion: of each gold label the share that was predicted as each label.

    The parts of the confusion are named "neutral as entailment"; each rests on the pairs of its gold label.
    """
    if not gold:
        return []
    labels = sorted({*gold, *predicted})
    ids = [np.array([labels.index(label) for label in side]) for side in (gold, predicted)]
    of_all = TaskScore("accuracy", accuracy(*ids), len(gold), SCORER)
    right = [(one == other, 1) for one, other in zip(gold, predicted, strict=True)]
    of_labels = _confusion_scores(labels, confusion(*ids, len(labels)))
    return with_intervals([of_all, *of_labels], {"accuracy": right})


def _confusion_scores(labels: Sequence[str], counts: np.ndarray) -> Iterator[TaskScore]:
    for (row, column), n in np.ndenumerate(counts):
        n_gold = int(counts[row].sum())
        if n_gold:
            yield TaskScore("confusion", int(n) / n_gold, n_gold, SCORER, f"{labels[row]} as {labels[column]}")


def majority_score(label: str, gold: Sequence[str]) -> TaskScore:
    """Returns the accuracy of one label for all pairs, at least one."""
    return TaskScore("majority", gold.count(label) / len(gold), len(gold), SCORER)
