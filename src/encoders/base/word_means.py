"""Items as means of word vectors, for encoders of single words."""

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from polyprobe.encoders.base.encoder import BLOCK_ITEMS
from polyprobe.formats.reading.case import lower_cased
from polyprobe.items import Item, words_of


def blocks_of_means(
    items: Sequence[Item], case: str, vectors_of: Callable[[list[str]], np.ndarray]
) -> Iterator[np.ndarray]:
    """Yields the mean vector of each item's words, in blocks of items: `[block items, width]`, float32.

    Args:
        items: not empty ones.
        case: the rule by which words are lower-cased first, see `lower_cased`.
        vectors_of: returns `[words, width]`, float32; called once, with the distinct words of all items.
    """
    if not items:
        return
    words_by_item = [[lower_cased(word, case) for word in words_of(item)] for item in items]
    row_of = numbered(word for words in words_by_item for word in words)
    vectors = vectors_of(list(row_of))
    for start in range(0, len(items), BLOCK_ITEMS):
        rows = [[row_of[word] for word in words] for words in words_by_item[start : start + BLOCK_ITEMS]]
        yield _means(vectors, rows)


def numbered(words: Iterable[str]) -> dict[str, int]:
    """Numbers distinct words from 0 in the order of their first occurrence."""
    return {word: number for number, word in enumerate(dict.fromkeys(words))}


def _means(vectors: np.ndarray, rows_by_item: list[list[int]]) -> np.ndarray:
    means = vectors[[rows[0] for rows in rows_by_item]]
    for number, rows in enumerate(rows_by_item):
        if len(rows) > 1:
            means[number] = vectors[rows].mean(axis=0)
    return means
