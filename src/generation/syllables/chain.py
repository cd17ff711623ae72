"""The chain of segments of a lexicon: which segment follows which, where in words, and in how many of them.

    akşam = ak-şam      ^ "" a k ş a m $        positions 0 to 3 · syllables + 1

Words of different numbers of syllables share no segment (Keuleers and Brysbaert 2010), so each number has a chain of
its own. Words count once each, whatever their frequency.
"""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

N_PARTS = 3  # of a syllable: onset, nucleus, coda
Segments = tuple[str, ...]
_START, _END = "^", "$"


@dataclass(frozen=True, slots=True)
class Transitions:
    """The transitions at a position between segments of given lengths, the rarest first.

    Attributes:
        counts: in how many words each is, ascending.
        pairs: the two segments of each, in the order of `counts`.
    """

    counts: list[int]
    pairs: list[tuple[str, str]]

    def within(self, count: int, width: int) -> list[tuple[str, str]]:
        """Returns the pairs whose count differs from this one by at most the width."""
        return self.pairs[bisect_left(self.counts, count - width) : bisect_right(self.counts, count + width)]


class Chain:
    """Counts of transitions in the words of a lexicon.

    Args:
        words: the segments of each, as `with_marks` joins them; a word that is listed twice counts twice.
    """

    def __init__(self, words: Iterable[Segments]):
        self._counts: dict[tuple[int, int], Counter[tuple[str, str]]] = defaultdict(Counter)
        for segments in words:
            for position, pair in enumerate(pairwise(segments)):
                self._counts[len(segments), position][pair] += 1
        self._transitions = self._by_length()

    def counts(self, segments: Segments) -> list[int]:
        """Counts, for each transition of a word, the words that have it at the same position; 0 where none has."""
        pairs = pairwise(segments)
        at_places = [self._counts.get((len(segments), position), {}) for position in range(len(segments) - 1)]
        return [counts.get(pair, 0) for counts, pair in zip(at_places, pairs, strict=True)]

    def alike(self, segments: Segments) -> list[Transitions]:
        """Returns, for each transition of a word of the lexicon, those between segments as long as its own."""
        lengths = [len(segment) for segment in segments]
        return [self._transitions[len(segments), position, *pair] for position, pair in enumerate(pairwise(lengths))]

    def _by_length(self) -> dict[tuple[int, int, int, int], Transitions]:
        groups = defaultdict(list)
        for place, counts in self._counts.items():
            for (before, after), count in counts.items():
                groups[*place, len(before), len(after)].append((count, (before, after)))
        return {key: _sorted_transitions(group) for key, group in groups.items()}


def with_marks(syllables: Iterable[tuple[str, str, str]]) -> Segments:
    """Joins the parts of syllables, between the marks of the start and the end of a word."""
    return (_START, *(part for syllable in syllables for part in syllable), _END)


def letters(segments: Segments) -> str:
    """Returns what is written between the marks."""
    return "".join(segments[1:-1])


def _sorted_transitions(group: list[tuple[int, tuple[str, str]]]) -> Transitions:
    group.sort()
    return Transitions([count for count, _ in group], [pair for _, pair in group])
