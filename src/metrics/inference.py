"""Accuracy of labels of sentence pairs, and their confusion."""

from collections.abc import Iterator, Sequence

import numpy as np

from src.metrics.classification import accuracy, confusion
from src.metrics.task_score import TaskScore, with_intervals

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
