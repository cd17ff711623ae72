"""The trivial baseline of language models: n-grams by interpolated modified Kneser-Ney (Chen and Goodman 1998)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from polyprobe.formats.texts.text_corpus import TextSentence
from polyprobe.metrics.perplexity import perplexity_scores, surprise_of
from polyprobe.metrics.task_score import TaskScore
from polyprobe.models.batches.text_vocabulary import END_ID, UNKNOWN_ID, TextVocabulary

USUAL_DISCOUNTS = (0.5, 1.0, 1.5)
"""Of counts 1, 2, and 3 or more, where a text is too small to estimate them."""


@dataclass(frozen=True, slots=True)
class NgramTable:
    """The n-grams of one length."""

    keys: np.ndarray
    """`[n-grams]`, rising: the number of the n-gram without its last word, times `n_words`, plus that word."""
    parts: np.ndarray
    """`[n-grams]`, the discounted share of an n-gram among those with the same context."""
    left: np.ndarray
    """`[contexts + 1]`, by number: the share that is left to the shorter n-grams; 1 for a context never seen, the last
    entry."""

    def find(self, keys: np.ndarray) -> np.ndarray:
        """Returns the numbers of n-grams, -1 for missing ones: `[keys]`."""
        numbers = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[numbers] == keys, numbers, -1)


@dataclass(frozen=True, slots=True)
class Occurrences:
    """The places of the n-grams of one length in a text."""

    keys: np.ndarray
    """See `NgramTable`."""
    counts: np.ndarray
    """`[n-grams]`."""
    first: np.ndarray
    """`[n-grams]`, a place at which each ends."""
    number_at: np.ndarray
    """`[places]`, the n-gram that ends there; -1 for none."""


class NgramModel:
    """Predicts every word, or the end, from the words before it in the sentence, at most `order - 1`.

    A longest n-gram counts as often as it occurs, a shorter one as often as there are different words before it; one
    that begins the sentence has nothing before it and counts as it occurs. Each count loses a discount, which pays for
    the shorter n-gram; the shortest one pays for the uniform distribution. So the probabilities of all words sum to one
    after any context, and none is zero.

    Args:
        tables: of n-grams of 1, 2, … words.
        n_words: of the vocabulary; the ids of words are smaller.
    """

    def __init__(self, tables: Sequence[NgramTable], n_words: int):
        self.tables, self.n_words = tuple(tables), n_words

    @classmethod
    def counted(cls, sentences: Sequence[np.ndarray], n_words: int, order: int) -> "NgramModel":
        """Counts sentences.

        Args:
            sentences: at least one: ids of the words and of the end, `[words + 1]`.
            n_words: of the vocabulary.
            order: words of the longest n-gram, at least 1.
        """
        ids, place = _joined(sentences)
        found: list[Occurrences] = []
        for length in range(1, order + 1):
            longer = _occurrences(ids, place, length, n_words, found[-1].number_at if found else None)
            if len(longer.keys):  # no sentence may be so long
                found.append(longer)
        counts = [_types_before(*pair, place, length) for length, pair in enumerate(pairwise(found), start=1)]
        n_contexts = [1, *(len(one.keys) for one in found)]
        whole = zip(found, [*counts, found[-1].counts], n_contexts, strict=False)
        return cls([_table(one.keys, of_order, n_words, n) for one, of_order, n in whole], n_words)

    def log_probabilities(self, sentences: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Returns the log-probability, in nats, of every word and of the end of each sentence: `[words + 1]`."""
        if not sentences:
            return []
        ids, place = _joined(sentences)
        is_asked = place > 0
        found, before = np.full(len(ids), 1 / self.n_words), np.zeros(len(ids), dtype=np.int64)
        for length, table in enumerate(self.tables, start=1):
            contexts = np.where(place >= length - 1, before, -1)
            numbers = np.where(contexts >= 0, table.find(contexts * self.n_words + ids), -1)
            found = np.where(numbers >= 0, table.parts[numbers], 0) + table.left[contexts] * found
            before = np.roll(numbers, 1)
        return np.split(np.log(found[is_asked]), np.cumsum([len(one) for one in sentences])[:-1])


class KneserNey:
    """An n-gram model as the baseline of a language model that has the same vocabulary.

    Args:
        order: words of its longest n-gram.
    """

    def __init__(self, model: NgramModel, vocabulary: TextVocabulary, order: int):
        self.name = f"kneser_ney_{order}"
        self._model, self._vocabulary = model, vocabulary

    @classmethod
    def counted(cls, train: Sequence[TextSentence], vocabulary: TextVocabulary, order: int) -> "KneserNey":
        """Counts sentences."""
        coded = [vocabulary.coded(one.words)[1:] for one in train]
        return cls(NgramModel.counted(coded, len(vocabulary), order), vocabulary, order)

    def scores(self, sentences: Sequence[TextSentence]) -> list[TaskScore]:
        """Returns the perplexity per word and that of known words alone."""
        if not sentences:
            return []
        coded = [self._vocabulary.coded(one.words)[1:] for one in sentences]
        surprisals = -np.concatenate(self._model.log_probabilities(coded))
        return perplexity_scores(surprise_of(surprisals, np.concatenate(coded) == UNKNOWN_ID))


def _joined(sentences: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Puts a beginning, written as the end, before each sentence; returns all ids and their places in the sentence."""
    lengths = np.array([len(one) + 1 for one in sentences])
    starts = np.cumsum(lengths) - lengths
    ids = np.full(lengths.sum(), END_ID, dtype=np.int64)
    place = np.arange(len(ids)) - np.repeat(starts, lengths)
    ids[place > 0] = np.concatenate(sentences)
    return ids, place


def _occurrences(
    ids: np.ndarray, place: np.ndarray, length: int, n_words: int, before: np.ndarray | None
) -> Occurrences:
    """Finds the n-grams of a length.

    Args:
        ids, place: see `_joined`.
        length: in words.
        n_words: of the vocabulary.
        before: `number_at` of the next shorter n-grams; None for n-grams of one word.
    """
    ends = np.flatnonzero(place >= max(1, length - 1))
    contexts = 0 if before is None else before[ends - 1]
    keys, first, inverse, counts = np.unique(
        contexts * n_words + ids[ends], return_index=True, return_inverse=True, return_counts=True
    )
    number_at = np.full(len(ids), -1)
    number_at[ends] = inverse
    if length == 1:
        number_at[place == 0] = np.searchsorted(keys, END_ID)
    return Occurrences(keys, counts, ends[first], number_at)


def _types_before(ngrams: Occurrences, longer: Occurrences, place: np.ndarray, length: int) -> np.ndarray:
    """Counts the different words before each n-gram: `[n-grams]`; those that begin a sentence count as they occur."""
    types = np.bincount(ngrams.number_at[longer.first], minlength=len(ngrams.keys))
    begins = (place[ngrams.first] == length - 1) & (length > 1)
    return np.where(begins, ngrams.counts, types)


def _table(keys: np.ndarray, counts: np.ndarray, n_words: int, n_contexts: int) -> NgramTable:
    discounts = np.array([0.0, *_discounts(counts)])[np.minimum(counts, 3)]
    contexts = keys // n_words
    totals = np.bincount(contexts, counts, n_contexts)
    left = np.bincount(contexts, discounts, n_contexts) / np.maximum(totals, 1)
    return NgramTable(keys, (counts - discounts) / totals[contexts], np.append(np.where(totals > 0, left, 1.0), 1.0))


def _discounts(counts: np.ndarray) -> tuple[float, ...]:
    """Estimates the discounts of counts of 1, of 2, and of 3 or more (Chen and Goodman 1998, equation 26)."""
    n = np.bincount(np.minimum(counts, 5), minlength=6).astype(float)
    if not n[1:5].all():
        return USUAL_DISCOUNTS
    share = n[1] / (n[1] + 2 * n[2])
    found = tuple(k - (k + 1) * share * n[k + 1] / n[k] for k in (1, 2, 3))
    return found if all(0 < one < k for k, one in enumerate(found, start=1)) else USUAL_DISCOUNTS
