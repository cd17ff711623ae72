"""Counts behind precision, recall and F1: of labelled things, which are right where gold has the very same."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from polyprobe.metrics.task_score import TaskScore, share


@dataclass(frozen=True, slots=True)
class Tally:
    """Correct, predicted and gold counts; the three numbers behind every precision and recall."""

    correct: int = 0
    system: int = 0
    gold: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.correct + other.correct, self.system + other.system, self.gold + other.gold)

    @property
    def precision(self) -> float:
        """Correct per predicted, 0 to 1; 0 where nothing was predicted."""
        return share(self.correct, self.system)

    @property
    def recall(self) -> float:
        """Correct per gold, 0 to 1; 0 where gold has nothing."""
        return share(self.correct, self.gold)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall, 0 to 1; 0/0 is 0."""
        return share(*self.f1_parts)

    @property
    def f1_parts(self) -> tuple[int, int]:
        """Numerator and denominator of F1; each adds up over sentences."""
        return 2 * self.correct, self.system + self.gold

    def score(self, metric: str, scorer: str, part: str = "") -> TaskScore:
        """Returns the F1, with precision and recall, as the score of a part or of all."""
        return TaskScore(metric, self.f1, self.gold, scorer, part, self.precision, self.recall)


L = TypeVar("L", str, bytes)


@dataclass(slots=True)
class LabelCounts(Generic[L]):
    """How often each label (tag, relation, type of span) was right, predicted and gold: counts to be added to."""

    correct: Counter[L] = field(default_factory=Counter)
    system: Counter[L] = field(default_factory=Counter)
    gold: Counter[L] = field(default_factory=Counter)

    def of(self, label: L) -> Tally:
        """Returns the counts of one label."""
        return Tally(self.correct[label], self.system[label], self.gold[label])


Thing = TypeVar("Thing")


def tallies_of(gold: Set[Thing], predicted: Set[Thing], label: Callable[[Thing], str]) -> dict[str, Tally]:
    """Counts things by their labels, in alphabetical order."""
    correct, system, wanted = (Counter(map(label, side)) for side in (gold & predicted, predicted, gold))
    return {name: Tally(correct[name], system[name], wanted[name]) for name in sorted({*system, *wanted})}


def summed(tallies: Iterable[Mapping[str, Tally]]) -> dict[str, Tally]:
    """Adds up the counts of several sentences."""
    total: dict[str, Tally] = {}
    for one in tallies:
        for kind, tally in one.items():
            total[kind] = total.get(kind, Tally()) + tally
    return dict(sorted(total.items()))


def of_all(tallies: Mapping[str, Tally]) -> Tally:
    """Returns the counts of all labels together."""
    return sum(tallies.values(), start=Tally())
