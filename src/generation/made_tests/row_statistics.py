"""What the rows of a test say about it: sizes, labels, what splits share, what it can be solved by."""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from polyprobe.errors import PolyprobeError
from polyprobe.frequency import by_frequency, most_frequent
from polyprobe.splits import SPLITS

Row = tuple[str, ...]  # what is labelled, and last the label
Item = TypeVar("Item")


class TooFew(PolyprobeError):
    """A test cannot be made: there are too few items for it."""


class NoTest(PolyprobeError):
    """No test at all could be made."""


def row_statistics(rows: Mapping[str, Sequence[Row]]) -> dict[str, Any]:
    """Counts what a reader of any test asks for; shares are from 0 to 1.

    Returns:
        items, labels: by split.
        duplicates: rows that an earlier row of any split repeats.
        inputs_of_several_labels: what is labelled in two ways or more, each once.
        reversed_pairs: pairs that stand there in both orders, each once.
        majority, memoriser: accuracy on test of the most frequent label of train; of the label that train has for the
            same item, the majority where it has none.
    """
    every = [row for split in SPLITS for row in rows[split]]
    labelled, inputs, test = set(every), {row[:-1] for row in every}, rows["test"]
    majority = most_frequent(Counter(row[-1] for row in rows["train"]))
    return {
        "items": {split: len(rows[split]) for split in SPLITS},
        "labels": {split: _counted(row[-1] for row in rows[split]) for split in SPLITS},
        "duplicates": len(every) - len(labelled),
        "inputs_of_several_labels": sum(n > 1 for n in Counter(row[:-1] for row in labelled).values()),
        "reversed_pairs": sum(one < one[::-1] and one[::-1] in inputs for one in inputs if len(one) == 2),
        "majority": {"label": majority, "accuracy": share(sum(row[-1] == majority for row in test), len(test))},
        "memoriser": memoriser_by({split: [{row[:-1]} for row in rows[split]] for split in SPLITS}, rows),
    }


def shared_with_train(keys: Mapping[str, Sequence[Collection[Hashable]]]) -> dict[str, float]:
    """Returns for dev and test the share of items one of whose keys an item of train has, too.

    Args:
        keys: of each split, the keys of each item: its lemmas, its sentence.
    """
    known = set().union(*keys["train"])
    return {s: share(sum(not known.isdisjoint(one) for one in keys[s]), len(keys[s])) for s in SPLITS[1:]}


def shares_with_train(
    items: Mapping[str, Sequence[Item]], keys: Mapping[str, Callable[[Item], Collection[Hashable]]]
) -> dict[str, dict[str, float]]:
    """Returns `shared_with_train` of several kinds of keys.

    Args:
        items: of each split.
        keys: by their names, what returns those of an item.
    """
    return {
        name: shared_with_train({split: list(map(keys_of, items[split])) for split in SPLITS})
        for name, keys_of in keys.items()
    }


def wholly_in_train(keys: Mapping[str, Sequence[Collection[Hashable]]]) -> dict[str, float]:
    """Returns for dev and test the share of items all of whose keys items of train have, too.

    Args:
        keys: of each split, the keys of each item: the forms of a pair.
    """
    known = set().union(*keys["train"])
    return {s: share(sum(known.issuperset(one) for one in keys[s]), len(keys[s])) for s in SPLITS[1:]}


def memoriser_by(keys: Mapping[str, Sequence[Collection[Hashable]]], rows: Mapping[str, Sequence[Row]]) -> float:
    """Returns the accuracy on test of the label that items of train with one of the same keys have most often.

    Args:
        keys: of each split, the keys of each item: its lemmas. Where train has none of them, its majority is the guess.
    """
    remembered: dict[Hashable, Counter[str]] = {}
    for of_item, row in zip(keys["train"], rows["train"], strict=True):
        for key in of_item:
            remembered.setdefault(key, Counter())[row[-1]] += 1
    counts = Counter(row[-1] for row in rows["train"])
    n_right = 0
    for of_item, row in zip(keys["test"], rows["test"], strict=True):
        known = sum((remembered[key] for key in of_item if key in remembered), Counter())
        n_right += most_frequent(known or counts) == row[-1]
    return share(n_right, len(rows["test"]))


def share(part: int, whole: int) -> float:
    """Returns a share from 0 to 1, rounded to six digits; 0 of nothing."""
    return round(float(part) / whole, 6) if whole > 0 and part >= 0 else 0.0


def _counted(labels: Iterable[str]) -> dict[str, int]:
    counts = Counter(labels)
    return {label: counts[label] for label in by_frequency(counts)}
