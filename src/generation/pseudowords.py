"""Pseudowords: what could be words of a language but are not, by the algorithm of Wuggy (Keuleers and Brysbaert 2010).

A pseudoword of a seed word has its number of syllables, segments of the same lengths, exactly two thirds of them
identical, transitions that words have at the same places, about as often as the seed's, and is no word.

    the     ^ th e "" $     differing by 2 words at most: tha       by 8 at most: que, thi, tho, whe

The search widens: window e has the transitions whose counts differ from the seed's by at most 2**e. Unlike the
released programs it does not look at the clock: it ends after a number of windows, or with the window that has all
transitions, so that what is found depends on lexicon and seed word alone.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from polyprobe.errors import PolyprobeError, nearest
from polyprobe.formats.lexica.wuggy_lexicon import SyllabifiedWord
from polyprobe.generation.syllables.segments import (
    GENERAL,
    N_PARTS,
    Chain,
    ChangedPaths,
    Segments,
    letters,
    splitter,
    syllabified,
    with_marks,
)
from polyprobe.seeds import derived_seed

_MOST_REFUSED = 10_000  # in a window; a draw that never pleases ends here


class UnsuitableLexicon(PolyprobeError):
    """A lexicon does not fit: no syllable has a nucleus, or a seed word is not in it."""


@dataclass(frozen=True, slots=True)
class Pseudoword:
    """A pseudoword and where it was found."""

    word: str
    """The seed word that it was made of."""
    segments: Segments
    """With the marks of start and end."""
    window: int
    """The width of the narrowest window that has it, a power of two."""

    @property
    def letters(self) -> str:
        """What is written."""
        return letters(self.segments)


class PseudowordLexicon:
    """The words of a lexicon in segments, ready to be searched.

    Where a word is listed more than once, each line counts in the chain, and as a seed the word has the syllables of
    the last, as in the released program.

    Args:
        words: in the order of the lexicon.
        language: whose nuclei split the syllables, as `polyprobe.generation.syllables.segments.splitter` takes it.

    Attributes:
        entries: the words, one for each line.
        chain: of all entries.
    """

    def __init__(self, words: Iterable[SyllabifiedWord], language: str):
        split = lru_cache(maxsize=None)(splitter(language))
        segmented = [(word.word, with_marks(split(syllable) for syllable in word.syllables)) for word in words]
        if not any(any(segments[2::N_PARTS]) for _, segments in segmented):
            raise UnsuitableLexicon(
                f"None of the {len(segmented)} words of the lexicon has a nucleus of {language} in its syllables. "
                "Expected the nuclei of the lexicon's language, or general."
            )
        self.entries = [word for word, _ in segmented]
        self._segments = dict(segmented)
        self.chain = Chain(segments for _, segments in segmented)

    def segments(self, seed_word: str) -> Segments:
        """Returns the segments of a word of the lexicon."""
        if seed_word not in self._segments:
            hint = nearest(seed_word, self._segments).partition("Known: ")[0].rstrip()
            raise UnsuitableLexicon(
                f'The seed word "{seed_word}" is not among the {len(self._segments)} words of the lexicon, from which '
                f"its syllables are read. {hint or 'Expected a word of the lexicon.'}"
            )
        return self._segments[seed_word]

    def windows(self, seed_word: str, most_windows: int) -> Iterator[tuple[int, list[Pseudoword]]]:
        """Searches window after window; the last is the one that has all transitions, or the last that is allowed.

        Yields:
            The width, and what was first found there, sorted by letters. Of several ways to segment the same letters
            the first in alphabetical order counts.
        """
        seen: set[str] = set()
        for width, paths in self.paths(seed_word, most_windows):
            found: dict[str, Segments] = {}
            for segments in paths:
                written = letters(segments)
                if written not in seen and written not in self._segments:
                    found[written] = min(segments, found.get(written, segments))
            seen.update(found)
            yield width, [Pseudoword(seed_word, found[written], width) for written in sorted(found)]

    def chosen(
        self,
        seed_word: str,
        n: int,
        most_windows: int,
        seed: int,
        accepts: Callable[[str], bool] = lambda pseudoword: True,
    ) -> list[Pseudoword]:
        """Draws n pseudowords (at least 1) of the narrowest windows, or all there are.

        A window is taken whole while it has no more than are wanted. In the last one paths are drawn in random order
        until there are enough, so that none need be found but these. The draw depends on lexicon, seed and seed word
        alone, not on the words before.

        Args:
            accepts: says of letters that are no word of the lexicon whether they may be a pseudoword. A window in which
                10,000 are refused is left for the next one.
        """
        taken: dict[str, Pseudoword] = {}
        generator = np.random.default_rng(derived_seed(seed, "pseudowords", seed_word))
        for width, paths in self.paths(seed_word, most_windows):
            n_refused = 0
            for number in _shuffled(paths.n_paths, generator):
                pseudoword = Pseudoword(seed_word, paths.path(number), width)
                if pseudoword.letters in self._segments:
                    continue
                if accepts(pseudoword.letters):
                    taken.setdefault(pseudoword.letters, pseudoword)
                    if len(taken) == n:
                        return list(taken.values())
                else:
                    n_refused += 1
                    if n_refused == _MOST_REFUSED:
                        break
        return list(taken.values())

    def paths(self, seed_word: str, most_windows: int) -> Iterator[tuple[int, ChangedPaths]]:
        """Widens the window as `windows` does; paths may spell words, or what a narrower window had.

        Yields:
            The width, and the paths that change a third of the segments.
        """
        seed = self.segments(seed_word)
        counts = self.chain.counts(seed)
        alike = self.chain.alike(seed)
        for exponent in range(1, most_windows + 1):
            width = 2**exponent
            window = [transitions.within(count, width) for transitions, count in zip(alike, counts, strict=True)]
            yield width, ChangedPaths(window, seed)
            if all(len(pairs) == len(every.pairs) for pairs, every in zip(window, alike, strict=True)):
                return


def lexicon_of_plain_words(words: Iterable[str]) -> PseudowordLexicon:
    """Builds a lexicon of words without syllables, which `polyprobe.generation.syllables.segments` makes."""
    made = enumerate(syllabified(words).items(), start=1)
    return PseudowordLexicon((SyllabifiedWord(line, word, syllables, 0.0) for line, (word, syllables) in made), GENERAL)


def _shuffled(n: int, generator: np.random.Generator) -> Iterator[int]:
    """Draws the numbers below n in random order, and keeps in memory only those that were drawn.

    n may have hundreds of bits. Drawn bytes have 64 bits more, so that the remainder favours no number by more than
    2**-64.
    """
    moved: dict[int, int] = {}
    n_bytes = n.bit_length() // 8 + 9
    for last in range(n - 1, -1, -1):
        place = int.from_bytes(generator.bytes(n_bytes), "little") % (last + 1)
        yield moved.get(place, place)
        moved[place] = moved.pop(last, last)
