"""Words as sequences of character trigrams (Şahin and Steedman 2018), and the vocabulary of those units."""

from collections import Counter
from collections.abc import Iterable, Iterator

from src.errors import PolyprobeError
from src.frequency import by_frequency

PADDING, UNKNOWN = "<padding>", "<unknown>"
START, END = "^", "$"
LONGEST_COUNTED = 100
"""Longer words, in characters, are left out when the vocabulary is built."""

# A literal ^ or $ inside a word must not look like a mark: it becomes its full-width twin.
_LITERAL_MARKS = str.maketrans({START: "\uff3e", END: "\uff04"})
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
                for trigram in trigrams(word):
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
        return tuple(unit for trigram in trigrams(spelling(word)) for unit in self._ids_of(trigram))

    def _ids_of(self, trigram: str) -> Iterator[int]:
        known = self._id_of.get(trigram)
        if known is not None:
            yield known
        else:
            yield from (self._id_of.get(character, self._unknown) for character in trigram)


def spelling(word: str) -> str:
    """Returns the word as the vocabulary has it: lower-cased by `str.lower` (Turkish too), literal marks replaced."""
    return word.lower().translate(_LITERAL_MARKS)


def trigrams(spelled: str) -> list[str]:
    """Returns every window of three characters: `^yö$` has `^yö` and `yö$`; a word of one letter has one."""
    marked = f"{START}{spelled}{END}"
    return [marked[start : start + 3] for start in range(len(marked) - 2)]


def _is_counted(spelled: str) -> bool:
    return len(spelled) <= LONGEST_COUNTED and not any(part in spelled for part in _ADDRESSES)
