"""The vocabularies of learned inputs: words with character n-grams, and the trigrams that words are composed of."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from polyprobe.errors import BadValue, PolyprobeError, check_at_least
from polyprobe.frequency import by_frequency

PADDING, UNKNOWN = "<padding>", "<unknown>"
START, END = "^", "$"
LONGEST_COUNTED = 100
"""Longer words, in characters, are left out when the vocabulary is built."""

# A literal ^ or $ inside a word must not look like a mark: it becomes its full-width twin.
_LITERAL_MARKS = str.maketrans({START: "\uff3e", END: "\uff04"})
_TRIGRAM = (3,)
_ADDRESSES = ("www", "http", "html")


class TrigramVocabulary:
    """Maps words to their units, as integers; the same word always has the same ones.

    A trigram that train lacks becomes its three characters, and a character that train lacks the unknown unit. The
    released code replaces characters seen once by the unknown unit at random, also at test time, and replaces literal
    marks only while it builds the vocabulary; neither is copied.

    Args:
        units: position is identity: `<padding>`, `<unknown>`, trigrams by falling frequency, then single characters.
    """

    def __init__(self, units: tuple[str, ...]):
        self.units = units
        self._id_of = {unit: number for number, unit in enumerate(units)}
        self._unknown = self._id_of[UNKNOWN]

    @classmethod
    def counted(cls, words: Iterable[str]) -> "TrigramVocabulary":
        """Counts the trigrams of running words; ties go by string.

        Words that hold "www", "http" or "html" and words over 100 characters are left out, as in the released code.
        """
        counts: Counter[str] = Counter()
        for word, n in Counter(map(spelling, words)).items():
            if _is_counted(word):
                for trigram in character_ngrams(word, _TRIGRAM):
                    counts[trigram] += n
        characters = sorted({START, END}.union(*counts))
        return cls((PADDING, UNKNOWN, *by_frequency(counts), *characters))

    def ids(self, word: str) -> tuple[int, ...]:
        """Returns the units of a word, at least one.

        Raises:
            PolyprobeError: the word is empty.
        """
        if not word:
            raise PolyprobeError("A word is empty. Expected at least one character.")
        return tuple(unit for trigram in character_ngrams(spelling(word), _TRIGRAM) for unit in self._ids_of(trigram))

    def _ids_of(self, trigram: str) -> Iterator[int]:
        known = self._id_of.get(trigram)
        if known is not None:
            yield known
        else:
            yield from (self._id_of.get(character, self._unknown) for character in trigram)


def spelling(word: str) -> str:
    """Returns the word as the vocabulary has it: lower-cased by `str.lower` (Turkish too), literal marks replaced."""
    return word.lower().translate(_LITERAL_MARKS)


def _is_counted(spelled: str) -> bool:
    return len(spelled) <= LONGEST_COUNTED and not any(part in spelled for part in _ADDRESSES)


UNKNOWN_ROW = 0
"""Row of every word that the vocabulary lacks."""


class WordVocabulary:
    """Numbers words, lower-cased by `str.lower` in every language, and the n-grams of the words as written.

    Args:
        words: lower-cased; the k-th has row k + 1, row 0 is that of all other words.
        ngrams: the k-th has row k; of any lengths.
    """

    def __init__(self, words: Sequence[str], ngrams: Sequence[str]):
        self.words, self.ngrams = tuple(words), tuple(ngrams)
        self._row_of_word = {word: row for row, word in enumerate(self.words, start=UNKNOWN_ROW + 1)}
        self._row_of_ngram = {ngram: row for row, ngram in enumerate(self.ngrams)}
        self._lengths = sorted({len(ngram) for ngram in self.ngrams})

    @classmethod
    def counted(
        cls, words: Iterable[str], least_word_count: int, ngram_lengths: Sequence[int], least_ngram_words: int
    ) -> "WordVocabulary":
        """Counts running words of train; by falling frequency, ties by string.

        Args:
            least_word_count: rarer words, lower-cased, are unknown: so the unknown row is learned.
            ngram_lengths: the shortest and the longest n-gram, in characters, with the marks at both ends of a word.
            least_ngram_words: n-grams of fewer distinct words are left out.
        """
        check_at_least("encoder.least_word_count", least_word_count, 1)
        check_at_least("encoder.least_ngram_words", least_ngram_words, 1)
        lengths = _range_of(ngram_lengths)
        written = Counter(words)
        lowered: Counter[str] = Counter()
        for word, count in written.items():
            lowered[word.lower()] += count
        found = Counter(ngram for word in written for ngram in set(character_ngrams(word, lengths)))
        return cls(_frequent(lowered, least_word_count), _frequent(found, least_ngram_words))

    def word_row(self, word: str) -> int:
        """Returns the row of a word."""
        return self._row_of_word.get(word.lower(), UNKNOWN_ROW)

    def ngram_rows(self, word: str) -> list[int]:
        """Returns the rows of the n-grams of a word that the vocabulary has; none is possible."""
        found = (self._row_of_ngram.get(ngram) for ngram in character_ngrams(word, self._lengths))
        return [row for row in found if row is not None]


def character_ngrams(word: str, lengths: Iterable[int]) -> list[str]:
    """Returns every window of each length over the marked word: `^yö$` has `^y`, `yö`, `ö$` among others."""
    marked = f"{START}{word}{END}"
    return [marked[at : at + length] for length in lengths for at in range(len(marked) - length + 1)]


def _frequent(counts: Counter[str], least: int) -> list[str]:
    return by_frequency({unit: count for unit, count in counts.items() if count >= least})


def _range_of(ngram_lengths: Sequence[int]) -> range:
    if len(ngram_lengths) != 2 or not 1 <= ngram_lengths[0] <= ngram_lengths[1]:
        raise BadValue("encoder.ngram_lengths", ngram_lengths, "two lengths, the shortest first, such as [2,5]")
    return range(ngram_lengths[0], ngram_lengths[1] + 1)
