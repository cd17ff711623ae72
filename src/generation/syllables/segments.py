"""Segments: syllables cut into onset, nucleus and coda, and the chain of them in a lexicon.

Where there is no syllabified lexicon, a syllable has one run of vowels. Of the consonants between two runs, the next
syllable gets as many as words begin with; the rest stays.

    talossa     ta-los-sa       no word begins with ss
    patrullo    pa-trul-lo      words begin with tr

Why so: onsets that begin words need no table of consonants, and agree with the syllables of published lexica more
often than a rise of sonority does (`docs/pseudowords.md` has the shares); patterns for hyphenation keep letters
together at the ends of words, which syllables do not. Whether two vowels are one nucleus or two is not known: they are
one here, so that pseudowords have only sequences of vowels that words have. A lexicon with syllables of one's own, in
the layout of `polyprobe.formats.lexica.wuggy_lexicon`, serves better; what is made here can be written so, and mended.

The parts of syllables follow the nuclei of a language, which stand in `nuclei.yaml`; it says how they are read:

    akşam   ak-şam      ("", "a", "k"), ("ş", "a", "m")

The chain says which segment follows which, where in words, and in how many of them.

    akşam = ak-şam      ^ "" a k ş a m $        positions 0 to 3 · syllables + 1

Words of different numbers of syllables share no segment (Keuleers and Brysbaert 2010), so each number has a chain of
its own. Words count once each, whatever their frequency. Paths through a window of transitions change exactly one third
of the segments of a seed word.
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import yaml

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
        groups = defaultdict(list)
        for place, counts in self._counts.items():
            for (before, after), count in counts.items():
                groups[*place, len(before), len(after)].append((count, (before, after)))
        rising = {key: sorted(group) for key, group in groups.items()}
        self._transitions = {key: Transitions(*map(list, zip(*group, strict=True))) for key, group in rising.items()}

    def counts(self, segments: Segments) -> list[int]:
        """Counts, for each transition of a word, the words that have it at the same position; 0 where none has."""
        pairs = pairwise(segments)
        at_places = [self._counts.get((len(segments), position), {}) for position in range(len(segments) - 1)]
        return [counts.get(pair, 0) for counts, pair in zip(at_places, pairs, strict=True)]

    def alike(self, segments: Segments) -> list[Transitions]:
        """Returns, for each transition of a word of the lexicon, those between segments as long as its own."""
        lengths = [len(segment) for segment in segments]
        return [self._transitions[len(segments), position, *pair] for position, pair in enumerate(pairwise(lengths))]


def with_marks(syllables: Iterable[tuple[str, str, str]]) -> Segments:
    """Joins the parts of syllables, between the marks of the start and the end of a word."""
    return (_START, *(part for syllable in syllables for part in syllable), _END)


def letters(segments: Segments) -> str:
    """Returns what is written between the marks."""
    return "".join(segments[1:-1])


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
        return map(self.path, range(self.n_paths))

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

    def _with_changes(self, ways: int, n_changes: int) -> int:
        return ways >> self._field * n_changes & self._field_ones


GENERAL = "general"
Parts = tuple[str, str, str]
Split = Callable[[str], Parts]
_TABLE = Path(__file__).with_name("nuclei.yaml")
_SHARE_OF_ONSETS = 0.001  # of the words begin with it: fewer are names, loans and misspellings
_VOWEL, _CONSONANT, _EITHER = "v", "c", "y"
_CONSONANTAL_Y = re.compile("(?<!c)y(?=v)")


def languages() -> list[str]:
    """Returns the names and codes of the languages that have nuclei, and `general`."""
    return sorted({*_nuclei_by_language(), GENERAL})


def nuclei(language: str) -> list[str]:
    """Returns the nuclei of a language by its name or code: regular expressions in the order of trial."""
    return _nuclei_by_language()[language].split()


def splitter(language: str) -> Split:
    """Builds the function that splits a syllable into onset, nucleus and coda.

    The leftmost nucleus counts. Any part but the nucleus may be empty; a syllable without nucleus is an onset alone.

    Args:
        language: a name (`turkish`) or code (`tr`) of the table, `german_released` for the released list without u, or
            `general`: the nucleus is the first run of vowels of `polyprobe.generation.syllables.segments`.
    """
    if language == GENERAL:
        return parts
    pattern = re.compile(f"(.*?)({'|'.join(nuclei(language))})(.*)")

    def split(syllable: str) -> Parts:
        match = pattern.match(syllable)
        return match.groups() if match else (syllable, "", "")

    return split


@cache
def _nuclei_by_language() -> dict[str, str]:
    table = yaml.safe_load(_TABLE.read_text(encoding="utf-8"))
    return {key: row["nuclei"] for name, row in table.items() for key in (name, row["code"])}


_LETTERS = Path(__file__).with_name("vowels.yaml")


def syllabified(words: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Splits words into syllables, by the onsets that at least one in a thousand of them has.

    Args:
        words: of letters alone. A word with other characters (digits, blanks, hyphens, …) is left out.

    Returns:
        The syllables of each word, in the order of the words, each once and in NFC: a letter is one character. A word
        without vowels is one syllable.
    """
    composed = dict.fromkeys(unicodedata.normalize("NFC", word) for word in words)
    kept = {word: _runs_of_vowels(word) for word in composed if word.isalpha()}
    beginnings = Counter(word[: runs[0][0]].lower() for word, runs in kept.items() if runs)
    onsets = {onset for onset, count in beginnings.items() if count >= _SHARE_OF_ONSETS * len(kept)}
    return {word: _syllables(word, runs, onsets) for word, runs in kept.items()}


def parts(syllable: str) -> tuple[str, str, str]:
    """Splits a syllable at its first run of vowels; one without vowels is an onset alone."""
    for start, end in _runs_of_vowels(syllable)[:1]:
        return syllable[:start], syllable[start:end], syllable[end:]
    return syllable, "", ""


def _syllables(word: str, runs: list[tuple[int, int]], onsets: set[str]) -> tuple[str, ...]:
    cuts = [_start_of_onset(word, end, start, onsets) for (_, end), (start, _) in pairwise(runs)]
    return tuple(word[start:end] for start, end in zip([0, *cuts], [*cuts, len(word)], strict=True))


def _start_of_onset(word: str, after_vowels: int, next_vowels: int, onsets: set[str]) -> int:
    """Returns where the syllable of the next vowels starts; a single consonant begins it even if it begins no word."""
    starts = range(after_vowels, next_vowels)
    return next((start for start in starts if word[start:next_vowels].lower() in onsets), next_vowels - 1)


def _runs_of_vowels(word: str) -> list[tuple[int, int]]:
    """Returns start and end of each run."""
    classes = _CONSONANTAL_Y.sub(_CONSONANT, "".join(map(_letter_class, word)))
    return [match.span() for match in re.finditer(f"[{_VOWEL}{_EITHER}]+", classes)]


@cache
def _letter_class(letter: str) -> str:
    table = {
        name: set(letters.split()) for name, letters in yaml.safe_load(_LETTERS.read_text(encoding="utf-8")).items()
    }
    consonants, either = table.pop("consonants"), table.pop("either")
    vowels = set().union(*table.values())
    small = letter.lower()[0]
    bare = unicodedata.normalize("NFD", small)[0]
    if small in consonants:
        return _CONSONANT
    if bare in either:
        return _EITHER
    return _VOWEL if {small, bare} & vowels else _CONSONANT
