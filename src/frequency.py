"""Names in the order of how often they occur, the same on every machine; how much their counts leave open."""

from collections.abc import Iterable, Mapping
from math import log
from typing import TypeVar

Name = TypeVar("Name")


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
