"""F1 over labels as a metric of the training loop: sums that several processes can add up."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple
from typing import Any

import torch
from torch import Tensor
from torchmetrics import Metric

from polyprobe.metrics.tallies import Tally
from polyprobe.metrics.task_score import TaskScore

OTHER = "any other"
"""Stands in the sums for all labels that are not among the known ones: with a blank, which no label of a file has."""


class LabelledF1(Metric):
    """Counts what is right, predicted and gold by label, over sentences and processes.

    Args:
        labels: those of the model. Gold items of any other label count as missed, under `OTHER`.
        count: counts the things of a sentence by label: `count_spans` or `count_roles`.
        scores: makes scores of such counts: `span_scores` or `role_scores`.
    """

    full_state_update = False
    higher_is_better = True
    tallies: Tensor

    def __init__(
        self,
        labels: Sequence[str],
        count: Callable[[Any, Any], Mapping[str, Tally]],
        scores: Callable[[Mapping[str, Tally]], Sequence[TaskScore]],
    ):
        super().__init__()
        self.slots = (*labels, OTHER)
        self._count, self._scores = count, scores
        self.add_state("tallies", torch.zeros(len(self.slots), 3, dtype=torch.int64), dist_reduce_fx="sum")

    def update(self, gold: Sequence[Any], predicted: Sequence[Any]) -> None:
        """Adds the spans or propositions of one sentence."""
        for label, tally in self._count(gold, predicted).items():
            slot = self.slots.index(label if label in self.slots else OTHER)
            self.tallies[slot] += torch.tensor(astuple(tally), device=self.device)

    def compute(self) -> dict[str, float]:
        """Returns the scores over all labels, 0 to 1, by name."""
        counts = {slot: Tally(*row) for slot, row in zip(self.slots, self.tallies.tolist(), strict=True)}
        return {one.metric: one.value for one in self._scores(counts) if not one.part}
