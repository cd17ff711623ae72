"""The list of pseudowords with their statistics, in the columns of the files that Wuggy releases."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from src.display.progress import each, watched
from src.generation.pseudo_tests.lexicon_words import LexiconWords, NoWords
from src.generation.pseudo_tests.pseudo_options import PseudoOptions
from src.generation.pseudoword_statistics import Deviation, Neighbours, deviation, neighbours
from src.generation.pseudowords import Pseudoword

COLUMNS = (
    "Word",
    "Match",
    "Window",
    "Lexicality",
    "Old20",
    "Old20_Diff",
    "Ned1",
    "Ned1_Diff",
    "Maxdeviation",
    "Summed_Deviation",
    "Maxdeviation_Transition",
)
"""Those of the released files, and Window: the width of the window in which the pseudoword was found."""
_AT_ONCE = 2_000  # words that are compared with the lexicon between two steps of the progress bar
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class FoundPseudoword:
    """A pseudoword and the word that it was made of."""

    word: str
    pseudoword: Pseudoword

    @property
    def letters(self) -> str:
        return self.pseudoword.letters


def search(
    words: LexiconWords, seed_words: Sequence[str], options: PseudoOptions, accepts: NoWords
) -> list[FoundPseudoword]:
    """Searches the pseudowords of seed words, in their order; of one word those of narrower windows first."""
    found = []
    for word in each(seed_words, "searching pseudowords", "seed words"):
        chosen = words.lexicon.chosen(word, options.candidates, options.most_windows, options.seed, accepts)
        found += [FoundPseudoword(word, one) for one in chosen]
    return found


def rows(found: Sequence[FoundPseudoword], words: LexiconWords) -> Iterator[tuple[str, ...]]:
    """Compares pseudowords with the lexicon.

    Yields:
        The columns, and then a row for each pseudoword.
    """
    yield COLUMNS
    near = _neighbours([text for one in found for text in (one.word, one.letters)], words.lexicon.entries)
    for one in found:
        seed, chain = words.lexicon.segments(one.word), words.lexicon.chain
        yield _row(one, near[one.letters], near[one.word], deviation(chain, one.pseudoword.segments, seed))


def _neighbours(texts: Sequence[str], entries: Sequence[str]) -> dict[str, Neighbours]:
    distinct = list(dict.fromkeys(texts))
    found: dict[str, Neighbours] = {}
    with watched("comparing with the lexicon", "words", len(distinct)) as progress:
        for start in range(0, len(distinct), _AT_ONCE):
            some = distinct[start : start + _AT_ONCE]
            found |= neighbours(some, entries)
            progress.advance(len(some))
    return found


def _row(one: FoundPseudoword, own: Neighbours, seed: Neighbours, differs: Deviation) -> tuple[str, ...]:
    values = (
        one.word,
        one.letters,
        one.pseudoword.window,
        "N",
        round(own.old20, _DIGITS),
        round(own.old20 - seed.old20, _DIGITS),
        own.ned1,
        own.ned1 - seed.ned1,
        differs.largest,
        differs.summed,
        differs.transition,
    )
    return tuple(map(str, values))
