"""The chain of segments of a lexicon: which segment follows which, where in words, and in how many of them.

    akşam = ak-şam      ^ "" a k ş a m $        positions 0 to 3 · syllables + 1

Words of different numbers of syllables share no segment (Keuleers and Brysbaert 2010), so each number has a chain of
its own. Words count once each, whatever their frequency.

Paths through a window of transitions change exactly one third of the segments of a seed word.
"""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

N_PARTS = 3  # of a syllable: onset, nucleus, coda
Segments = tuple[str, ...]
_START, _END = "^", "$"
_Successors = dict[str, list[tuple[str, int]]]


@dataclass(frozen=True, slots=True)
class Transitions:
    """The transitions at a position between segments of given lengths, the rarest first."""

    counts: list[int]
    """In how many words each is, ascending."""
    pairs: list[tuple[str, str]]
    """The two segments of each, in the order of `counts`."""

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


class ChangedPaths:
    """All such paths in a fixed order; one of any number is found without those before it.

    They are counted first, from the end backwards: for every segment, the ways from it to the end by their number of
    changes. Hence nothing is walked that leads nowhere, and a choice among the billions that a wide window may have
    costs no more than a choice among ten.

    Args:
        window: for each position the transitions to the next.
        seed: a segment for each position and one for the end.

    Attributes:
        n_paths: how many there are.
    """

    def __init__(self, window: list[list[tuple[str, str]]], seed: Segments):
        self._seed = seed
        self._n_changes = (len(seed) - 2) // N_PARTS
        # The ways by number of changes are fields of one integer, so that one addition adds them all. A field has room
        # for the product of the numbers of transitions, which no number of ways exceeds.
        self._field = sum(len(pairs).bit_length() for pairs in window)
        self._field_ones = (1 << self._field) - 1
        self._successors, ways = self._counted(window)
        self.n_paths = self._with_changes(ways, self._n_changes)

    def __iter__(self) -> Iterator[Segments]:
        if self.n_paths:
            yield from self._continued(self._seed[:1], self._n_changes)

    def path(self, number: int) -> Segments:
        """Returns the path of a number, from 0 to n_paths - 1."""
        path, left = self._seed[:1], self._n_changes
        while left:
            segment, number = self._next_on(path, left, number)
            left -= segment != self._seed[len(path)]
            path = (*path, segment)
        return path + self._seed[len(path) :]

    def _next_on(self, path: Segments, left: int, number: int) -> tuple[str, int]:
        """Finds the next segment on the path of a number among those that continue this one.

        Returns:
            The segment, and the number among the paths that continue with it.
        """
        for segment, ways in self._successors[len(path) - 1][path[-1]]:
            n_ways = self._with_changes(ways, left)
            if number < n_ways:
                return segment, number
            number -= n_ways
        raise IndexError(number)

    def _counted(self, window: list[list[tuple[str, str]]]) -> tuple[list[_Successors], int]:
        """Counts the ways to the end.

        Returns:
            For each position, by segment: what may follow, each with its ways, a change to it included; and the ways
            from the start.
        """
        kept = (1 << self._field * (self._n_changes + 1)) - 1
        ways_from = {self._seed[-1]: 1}
        successors: list[_Successors] = []
        for pairs, own in zip(reversed(window), reversed(self._seed[:-1]), strict=True):
            followed_by: _Successors = {}
            sums: dict[str, int] = {}
            for before, after in pairs:
                if after in ways_from:
                    ways = ways_from[after]
                    if before in sums:
                        followed_by[before].append((after, ways))
                        sums[before] += ways
                    else:
                        followed_by[before] = [(after, ways)]
                        sums[before] = ways
            ways_from = {before: ways if before == own else ways << self._field & kept for before, ways in sums.items()}
            successors.append(followed_by)
        successors.reverse()
        return successors, ways_from.get(self._seed[0], 0)

    def _continued(self, path: Segments, left: int) -> Iterator[Segments]:
        """Continues a path with so many changes left; after the last one it is the seed's own."""
        place = len(path)
        own = self._seed[place]
        for segment, ways in self._successors[place - 1][path[-1]]:
            if ways >> self._field * left & self._field_ones:
                if left == 1 and segment != own:
                    yield (*path, segment, *self._seed[place + 1 :])
                else:
                    yield from self._continued((*path, segment), left - (segment != own))

    def _with_changes(self, ways: int, n_changes: int) -> int:
        return ways >> self._field * n_changes & self._field_ones
