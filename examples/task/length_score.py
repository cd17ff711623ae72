"""Accuracy of length classes, and the recall of each."""

from collections.abc import Sequence

import torch
from torchmetrics import Metric

from polyprobe.metrics.task_score import TaskScore, with_intervals

SCORER = "mine"


def length_scores(gold: Sequence[str], found: Sequence[str]) -> list[TaskScore]:
    """Returns the accuracy, with its interval, then the recall of each class."""
    right = [(one == other, 1) for one, other in zip(gold, found, strict=True)]
    if not right:
        return []
    of_all = TaskScore("accuracy", sum(is_right for is_right, _ in right) / len(right), len(right), SCORER)
    return with_intervals([of_all, *(_recall(label, gold, found) for label in sorted({*gold}))], {"accuracy": right})


def _recall(label: str, gold: Sequence[str], found: Sequence[str]) -> TaskScore:
    of_label = [other == label for one, other in zip(gold, found, strict=True) if one == label]
    return TaskScore("recall", sum(of_label) / len(of_label), len(of_label), SCORER, part=label)


class LengthAccuracy(Metric):
    """Counts right sentences; those with a gold id below 0 are not counted if it is `left_out`."""

    full_state_update = False

    def __init__(self, left_out: int):
        super().__init__()
        self.left_out = left_out
        self.add_state("right", torch.tensor(0), dist_reduce_fx="sum")
        self.add_state("n", torch.tensor(0), dist_reduce_fx="sum")

    def update(self, gold: torch.Tensor, found: torch.Tensor) -> None:
        """Adds sentences: label ids, `[sentences]` each."""
        is_counted = gold != self.left_out
        self.right += ((gold == found) & is_counted).sum()
        self.n += is_counted.sum()

    def compute(self) -> torch.Tensor:
        """Returns the share of right sentences."""
        return self.right / self.n.clamp(min=1)
