"""Items of which a test is drawn, in columns of integers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from src.generation.made_tests.filters import Step

NONE_LABEL = "None"


@dataclass(frozen=True)
class Candidates:
    """Items that a test may have.

    Attributes:
        labels: the names; `None` is the last one where the test has it.
        triples: what each item is made of, `[items, 1]` (a form) or `[items, 2]` (a pair): the first triple of a form.
        label_ids: `[items]`, places in `labels`.
        is_frequent: `[items]`.
        parts: `[items]`, the split that all lemmas of the item are in (0 to 2), -1 where they are in several.
        asks_frequent: whether frequent items have a share of their own when items are drawn.
        has_none: whether the last label is the class `None`, which has a share of its own.
        ambiguity: shares of forms: those that occur more than once, those with several labels; empty where nothing is
            counted.
        steps: what the filters so far did.
    """

    labels: Sequence[str]
    triples: np.ndarray
    label_ids: np.ndarray
    is_frequent: np.ndarray
    parts: np.ndarray
    asks_frequent: bool
    has_none: bool
    ambiguity: dict[str, float]
    steps: tuple[Step, ...]

    def __len__(self) -> int:
        return len(self.label_ids)

    def chosen(self, places: np.ndarray) -> "Candidates":
        """Returns the items at these places, in this order."""
        columns = ("triples", "label_ids", "is_frequent", "parts")
        return replace(self, **{name: getattr(self, name)[places] for name in columns})

    def filtered(self, name: str, is_kept: np.ndarray) -> "Candidates":
        """Leaves items out and says so."""
        left = int(np.count_nonzero(is_kept))
        step = Step(name, "pairs" if self.is_paired else "forms", len(self) - left, left)
        return replace(self.chosen(np.flatnonzero(is_kept)), steps=(*self.steps, step))

    @property
    def is_paired(self) -> bool:
        """Whether an item is two forms."""
        return self.triples.shape[1] == 2

    @property
    def is_none(self) -> np.ndarray:
        """Which items are of the class None, `[items]`."""
        return self.label_ids == len(self.labels) - 1 if self.has_none else np.zeros(len(self), bool)
