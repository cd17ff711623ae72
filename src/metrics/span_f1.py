"""Span F1 of a model, counted as conlleval counts it, in sums that several processes can add up."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple

import torch
from torch import Tensor
from torchmetrics import Metric

from polyprobe.formats.entities.span_tags import Span
from polyprobe.metrics.roles import Tally
from polyprobe.metrics.task_score import TaskScore

OTHER = "other"
"""Stands in the sums for all types that are not among the known ones."""

SCORER = "conlleval"
"""The program whose counting all these scores equal."""


def count_spans(gold: Iterable[Span], predicted: Iterable[Span]) -> dict[str, Tally]:
    """Counts the spans of one sentence by type; a span is right with both edges and the type of gold."""
    sides = [frozenset(gold) & frozenset(predicted), frozenset(predicted), frozenset(gold)]
    correct, system, wanted = (Counter(span.type for span in side) for side in sides)
    return {kind: Tally(correct[kind], system[kind], wanted[kind]) for kind in sorted({*system, *wanted})}


def summed(tallies: Iterable[Mapping[str, Tally]]) -> dict[str, Tally]:
    """Adds up the counts of several sentences."""
    total: dict[str, Tally] = {}
    for one in tallies:
        for kind, tally in one.items():
            total[kind] = total.get(kind, Tally()) + tally
    return dict(sorted(total.items()))


def f1_parts(tallies: Mapping[str, Tally]) -> tuple[int, int]:
    """Returns a sentence's part of numerator and denominator of the F1 over all types; see `with_intervals`."""
    return sum(tallies.values(), start=Tally()).f1_parts


def span_scores(tallies: Mapping[str, Tally]) -> list[TaskScore]:
    """Returns span F1 over all types together (micro), then that of each type that gold or system have."""
    parts = {"": sum(tallies.values(), start=Tally()), **tallies}
    return [
        TaskScore("span_f1", tally.f1, tally.gold, SCORER, part, tally.precision, tally.recall)
        for part, tally in parts.items()
    ]


class LabelledF1(Metric):
    """Counts what is right, predicted and gold by label, over sentences and processes.

    Args:
        labels: those of the model. Gold items of any other label count as missed, under "other".
    """

    full_state_update = False
    higher_is_better = True
    tallies: Tensor

    def __init__(self, labels: Sequence[str]):
        super().__init__()
        self.slots = (*labels, OTHER)
        self.add_state("tallies", torch.zeros(len(self.slots), 3, dtype=torch.int64), dist_reduce_fx="sum")

    def add(self, label: str, tally: Tally) -> None:
        """Adds the counts of a label in one sentence."""
        slot = self.slots.index(label if label in self.slots else OTHER)
        self.tallies[slot] += torch.tensor(astuple(tally), device=self.device)


class SpanF1(LabelledF1):
    """Counts spans by their types."""

    def update(self, gold: Iterable[Span], predicted: Iterable[Span]) -> None:
        """Adds the spans of one sentence."""
        for kind, tally in count_spans(gold, predicted).items():
            self.add(kind, tally)

    def compute(self) -> dict[str, float]:
        """Returns `precision`, `recall` and `f1` over all types, 0 to 1, and `n`, the spans in gold."""
        total = Tally(*self.tallies.sum(0).tolist())
        return {"precision": total.precision, "recall": total.recall, "f1": total.f1, "n": total.gold}
