"""Counts the labels of a probing test by part."""

from collections.abc import Mapping


def counts_in_parts(labels: Mapping[str, Mapping[str, int]]) -> dict[str, list[int]]:
    """Counts each label in every part, labels with the most items first (ties: in the order of the parts).

    Args:
        labels: of each part, the items of each label.
    """
    names = dict.fromkeys(name for of_part in labels.values() for name in of_part)
    counts = {name: [of_part.get(name, 0) for of_part in labels.values()] for name in names}
    return dict(sorted(counts.items(), key=lambda pair: -sum(pair[1])))
