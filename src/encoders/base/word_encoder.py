"""The base of encoders of single words."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from polyprobe.encoders.base.encoder import BLOCK_ITEMS, Encoder, check_items
from polyprobe.formats.reading.case import lower_cased
from polyprobe.items import Form, Item, Sentence, TokenInContext, words_of


class WordEncoder(Encoder):
    """Encodes words: a form is its word, a token in context is its form alone, a sentence is the mean of its words."""

    accepts = frozenset({Form, TokenInContext, Sentence})
    reads_context = False
    case: str
    """The rule by which words are lower-cased first, see `case_rule`."""
    items_at_once: int | None = None
    """Whose words are composed together; None: those of all items, so that a file is read once."""

    @abstractmethod
    def word_vectors(self, words: list[str]) -> np.ndarray:
        """Returns the vectors of distinct words, all layers side by side: `[words, widths]`, float32."""

    def encode(self, items: Sequence[Item]) -> Iterator[tuple[np.ndarray, ...]]:
        check_items(self.name_in_messages, self.accepts, items)
        ends = np.cumsum([layer.width for layer in self.layers])
        size = self.items_at_once or max(1, len(items))
        for start in range(0, len(items), size):
            for means in self._means(items[start : start + size]):
                yield tuple(np.split(means, ends[:-1], axis=1))

    def _means(self, items: Sequence[Item]) -> Iterator[np.ndarray]:
        """Yields the mean vector of each item's words, in blocks of items: `[block items, widths]`."""
        words_by_item = [[lower_cased(word, self.case) for word in words_of(item)] for item in items]
        row_of = numbered(word for words in words_by_item for word in words)
        vectors = self.word_vectors(list(row_of))
        for start, end in pairwise([*range(0, len(items), BLOCK_ITEMS), len(items)]):
            rows_by_item = [[row_of[word] for word in words] for words in words_by_item[start:end]]
            means = vectors[[rows[0] for rows in rows_by_item]]
            for number, rows in enumerate(rows_by_item):
                if len(rows) > 1:
                    means[number] = vectors[rows].mean(axis=0)
            yield means


def numbered(words: Iterable[str]) -> dict[str, int]:
    """Numbers distinct words from 0 in the order of their first occurrence."""
    return {word: number for number, word in enumerate(dict.fromkeys(words))}
