"""Rows of a user's own files, dealt out to train, dev and test: as the files say, or whole groups by a draw.

    rows -> those of frequent labels -> at most so many of each -> train, dev, test

A group is what must not be in two splits: the rows of a sentence, of a lemma, of a form.
"""

import random
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from annotated_types import MaxLen, MinLen

from polyprobe.display.shown import plural
from polyprobe.errors import PolyprobeError, check_at_least
from polyprobe.generation.made_tests.labels import parts_by_weight
from polyprobe.probing.suites.test_files import Row, Rows, drawn_by_label
from polyprobe.section import AboveZero, Count, Expected, Section, Seed
from polyprobe.seeds import derived_seed
from polyprobe.splits import SPLITS

_SHOWN = 5  # labels that a message names
_Shares = Annotated[
    Sequence[AboveZero],
    MinLen(len(SPLITS)),
    MaxLen(len(SPLITS)),
    Expected("three numbers above 0, such as [80,10,10]", of_parts=True),
]


class DealingRules(Section, key="suite"):
    """Which rows stay, and how they are dealt out."""

    least_per_label: Count
    """Minimum number of rows per label, over all splits; rarer labels are skipped."""
    most_per_label: Count | None
    """Maximum number of rows per label, over all splits, sampled at random; null: all."""
    shares: _Shares
    """Ratio of train, dev and test in a random split: [80,10,10] and [8,1,1] are the same."""
    split_seed: Seed
    """Random seed of the split and of sampling."""

    def __post_init__(self):
        super().__post_init__()
        if self.most_per_label is not None:
            check_at_least("suite.most_per_label", self.most_per_label, self.least_per_label)


@dataclass(frozen=True, slots=True)
class OwnRow:
    """A row of a test, before it is dealt out."""

    made: Row
    group: Hashable
    """What must not be in two splits."""
    split: str | None
    """That the files say; None in all rows that a draw deals out."""

    @property
    def label(self) -> str:
        return self.made.label


@dataclass(frozen=True, slots=True)
class Dealing:
    """What is dealt out for a test."""

    key: str
    """Of the configuration that names the label: "suite.column"."""
    name: str
    level: str
    by: str
    """What stays in one split: "sentence"; or who says the split: "files"."""
    rules: DealingRules
    noun: str = "row"
    """What a row is, for messages."""
    which: str = ""
    """Which rows there are at all, for messages: " of suite.where=…"."""

    @property
    def label(self) -> str:
        return f"{self.key}={self.name}"


def dealt_out(dealing: Dealing, rows: Sequence[OwnRow]) -> tuple[Rows, list[str]]:
    """Leaves out rows of rare labels, draws from those of frequent ones, and deals out the others.

    Args:
        rows: in the order of the files.

    Returns:
        The rows by split, and what a reader of the scores must know.

    Raises:
        PolyprobeError: fewer than two labels are left, or a split is empty.
    """
    counts = Counter(row.label for row in rows)
    rare = {label for label, count in counts.items() if count < dealing.rules.least_per_label}
    least = dealing.rules.least_per_label
    notes = [f"skipped {plural(len(rare), 'label')} of fewer than {least} rows"] if rare else []
    rows = _capped([row for row in rows if row.label not in rare], dealing)
    _check_labels(dealing, rows, counts)
    dealt: dict[str, list[Row]] = {split: [] for split in SPLITS}
    is_drawn = any(row.split is None for row in rows)
    splits = _drawn_splits(dealing, [row.group for row in rows]) if is_drawn else [row.split for row in rows]
    for row, split in zip(rows, splits, strict=True):
        dealt[split].append(row.made)
    for split in SPLITS:
        if not dealt[split]:
            raise PolyprobeError(
                f"{dealing.label}: {split} has no row, split by {dealing.by}. Expected at least one in each: "
                "other files, suite.split or suite.shares."
            )
    return dealt, notes


def _capped(rows: Sequence[OwnRow], dealing: Dealing) -> list[OwnRow]:
    """Draws at most so many rows of each label; they keep their order."""
    most = dealing.rules.most_per_label
    if most is None:
        return list(rows)
    generator = random.Random(derived_seed(dealing.rules.split_seed, "rows of a label", dealing.name))
    drawn = drawn_by_label([row.made for row in rows], generator, lambda n: min(n, most))
    return [row for place, row in enumerate(rows) if place in drawn]


def _drawn_splits(dealing: Dealing, keys: Sequence[Hashable]) -> list[str]:
    """Deals groups out in the order of a draw; rows of equal keys are one group."""
    groups = {key: number for number, key in enumerate(sorted(set(keys)))}
    numbers = np.array([groups[key] for key in keys], dtype=np.int64)
    sizes = np.bincount(numbers, minlength=len(groups))
    order = list(range(len(groups)))
    seed = derived_seed(dealing.rules.split_seed, "train, dev and test", dealing.by, dealing.level, dealing.name)
    random.Random(seed).shuffle(order)
    part_of = np.empty(len(groups), dtype=np.int64)
    part_of[order] = parts_by_weight(sizes[order], dealing.rules.shares)
    return [SPLITS[part] for part in part_of[numbers].tolist()]


def _check_labels(dealing: Dealing, rows: Sequence[OwnRow], counts: Mapping[str, int]) -> None:
    labels = sorted({row.label for row in rows})
    if len(labels) > 1:
        return
    left = f"one label is left, {labels[0]}" if labels else "nothing is left"
    most = ", ".join(f"{label} ({count})" for label, count in Counter(counts).most_common(_SHOWN))
    found = f"The {dealing.noun}s{dealing.which} have {most}" if counts else f"No {dealing.noun}{dealing.which} has it"
    least = f"; labels of fewer than suite.least_per_label={dealing.rules.least_per_label} rows are left out"
    raise PolyprobeError(
        f"{dealing.label}: {left}. {found}{least if counts and len(counts) > 1 else ''}. Expected at least two labels."
    )
