"""Sentences in blocks of about so many words, for a network that is not given batches."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypeVar

CELLS_AT_ONCE = 2048
"""Words that go through the network together where no batch is given: few enough to stay near the caches."""

Item = TypeVar("Item")


def blocks_of_sentences(sentences: Sequence[Item], n_cells: Sequence[int]) -> Iterator[Sequence[Item]]:
    """Cuts sentences, in their order, into blocks of about `CELLS_AT_ONCE` words, each at least one sentence."""
    cuts, filled = [0], 0
    for number, cells in enumerate(n_cells):
        if filled and filled + cells > CELLS_AT_ONCE:
            cuts, filled = [*cuts, number], 0
        filled += cells
    return (sentences[start:end] for start, end in pairwise([*cuts, len(sentences)]) if start < end)
