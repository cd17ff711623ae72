"""The vocabulary of a language model, as rows."""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from polyprobe.errors import check_at_least
from polyprobe.frequency import by_frequency

UNKNOWN, END = "<unk>", "<eos>"
UNKNOWN_ID, END_ID = 0, 1


class TextVocabulary:
    """Maps words, as written, to integers: row 0 is that of all other words, row 1 the end of a sentence.

    Args:
        words: distinct; the k-th has row k + 2.
    """

    def __init__(self, words: Sequence[str]):
        self.words = tuple(words)
        self._id_of = {word: number for number, word in enumerate((UNKNOWN, END, *self.words))}

    def __len__(self) -> int:
        return len(self._id_of)

    @classmethod
    def counted(cls, texts: Iterable[Iterable[str]], n_words: int, least_word_count: int) -> "TextVocabulary":
        """Counts running words; joins the vocabularies of several texts (Mueller et al. 2020: of several languages).

        Args:
            texts: running words of each.
            n_words: so many of the most frequent words of each text are taken, of equally frequent ones the first in
                the alphabet.
            least_word_count: rarer words are unknown, so that something of the unknown row is learned.
        """
        check_at_least("task.datamodule.n_words", n_words, 1)
        check_at_least("task.datamodule.least_word_count", least_word_count, 1)
        joined: dict[str, None] = {}
        for counts in map(Counter, texts):
            kept = {word: n for word, n in counts.items() if n >= least_word_count and word not in (UNKNOWN, END)}
            joined |= dict.fromkeys(by_frequency(kept)[:n_words])
        return cls(list(joined))

    def knows(self, word: str) -> bool:
        """Says whether the vocabulary has a word."""
        return self._id_of.get(word, UNKNOWN_ID) > END_ID

    def ids(self, words: Sequence[str]) -> np.ndarray:
        """Codes the words of a sentence: `[words]`."""
        return np.fromiter((self._id_of.get(word, UNKNOWN_ID) for word in words), np.int32, len(words))

    def coded(self, words: Sequence[str]) -> np.ndarray:
        """Codes a sentence with its ends: `[1 + words + 1]`, `END_ID` first and last."""
        return np.concatenate([[END_ID], self.ids(words), [END_ID]]).astype(np.int32)
