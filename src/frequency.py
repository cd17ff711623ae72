"""Names in the order of how often they occur, the same on every machine; how much their counts leave open, and whether
labels are classes at all."""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from math import log
from typing import TypeVar

Name = TypeVar("Name")
FEW_LABELS = 12  # of which nothing is said
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?", re.IGNORECASE)


def by_frequency(counts: Mapping[Name, int]) -> list[Name]:
    """Returns the names by falling count, those of one count sorted."""
    return sorted(counts, key=lambda name: (-counts[name], name))


def most_frequent(counts: Mapping[Name, int]) -> Name:
    """Returns the name of the highest count, of several the first when sorted."""
    return min(counts, key=lambda name: (-counts[name], name))


def entropy(counts: Iterable[int]) -> float:
    """Returns the entropy of the distribution that counts make, in nats."""
    counts = [int(count) for count in counts if count]
    total = sum(counts)
    return -sum(count / total * log(count / total) for count in counts)


def n_alone_of(counts: Mapping[str, int]) -> int:
    """Returns how many names occur once."""
    return sum(count == 1 for count in counts.values())


def note_on_labels(counts: Mapping[str, int]) -> str | None:
    """Says what makes labels no classes: numbers that a regression would predict, or labels that mostly occur once."""
    if len(counts) <= FEW_LABELS:
        return None
    numbers = f"labels look like numbers: {len(counts):,} different ones, each a class of its own"
    alone = f"{n_alone_of(counts):,} of {len(counts):,} labels occur once"
    found = [numbers] if look_like_numbers(counts) else []
    found += [alone] if 2 * n_alone_of(counts) > len(counts) else []
    return ", ".join(found) or None


def look_like_numbers(labels: Iterable[str]) -> bool:
    """Says whether all labels are numbers, with a decimal point or comma."""
    return all(map(_NUMBER.fullmatch, labels))


def note_on_rows(rows: Iterable[tuple[Hashable, str]]) -> str | None:
    """Says what in rows of an item and its label is perhaps not meant, as one sentence: copies, items with several
    labels, and labels that are one number in two spellings (1 and 1.0), which are two classes."""
    counts = Counter(rows)
    labels_of: dict[Hashable, set[str]] = {}
    spellings: dict[float, set[str]] = {}
    for item, label in counts:
        labels_of.setdefault(item, set()).add(label)
    for label in set().union(*labels_of.values()):
        if _NUMBER.fullmatch(label):
            spellings.setdefault(float(label.replace(",", ".")), set()).add(label)
    n_copies, n_several = counts.total() - len(counts), sum(len(labels) > 1 for labels in labels_of.values())
    found = [f"{n_copies:,} of {counts.total():,} rows are copies of others"] if n_copies else []
    found += [f"{n_several:,} of {len(labels_of):,} different items have several labels"] if n_several else []
    found += [
        f"the labels {' and '.join(sorted(same))} are one number, but different classes"
        for same in spellings.values()
        if len(same) > 1
    ]
    return ", ".join(found) or None
