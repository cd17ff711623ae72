"""Rules that leave some of the items, one after the other, and what each took."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from src.frequency import by_frequency
from src.generation.made_tests.filters import Step
from src.generation.made_tests.outcomes import TooFew
from src.generation.sentence_tests.labelled_sentences import Found, LabelledSentence

Item = TypeVar("Item")
Other = TypeVar("Other")


@dataclass(frozen=True)
class Sieved(Generic[Item]):
    """Items that are left, and what was done so far."""

    items: Sequence[Item]
    steps: tuple[Step, ...] = ()

    def kept_by(self, name: str, keeps: Callable[[Item], bool]) -> "Sieved[Item]":
        """Leaves the items that a rule of this name keeps."""
        return self.turned_by(name, lambda item: item if keeps(item) else None)

    def turned_by(self, name: str, turned: Callable[[Item], Other | None]) -> "Sieved[Other]":
        """Leaves what a rule of this name makes of the items, without those of which it makes None."""
        left = [other for other in map(turned, self.items) if other is not None]
        return Sieved(left, (*self.steps, Step(name, "sentences", len(self.items) - len(left), len(left))))


def with_common_labels(sieved: Sieved[LabelledSentence], test: str, least_share: float) -> Found:
    """Leaves the sentences with the two commonest labels, and with others that are not much rarer.

    Args:
        sieved: labelled sentences.
        test: its name.
        least_share: a third or later label has at least this share (0 to 1) of the sentences of the commonest: where
            labels are balanced, a rare one costs all others sentences.

    Raises:
        TooFew: fewer than two labels are left.
    """
    counts = Counter(one.label for one in sieved.items)
    if len(counts) < 2:
        raise TooFew(f"{test}: {_in_words(counts)}; a test needs two labels.")
    ranked = by_frequency(counts)
    common = {*ranked[:2], *(label for label in ranked if counts[label] >= least_share * counts[ranked[0]])}
    kept = sieved.kept_by("label much rarer than others", lambda one: one.label in common)
    return Found(kept.items, kept.steps)


def _in_words(counts: Counter[str]) -> str:
    if not counts:
        return "no sentence of the treebank has what it asks for"
    return f"the labels are {', '.join(f'{label} {counts[label]:,}' for label in by_frequency(counts))}"
