"""The list of pseudowords with their statistics, in the columns of the files that Wuggy releases.

How like a word a pseudoword is: its neighbours in the lexicon, and how its transitions deviate from the seed's.

The figures are those that Wuggy writes beside its pseudowords (Keuleers and Brysbaert 2010):

- OLD20 (Yarkoni, Balota and Yap 2008): the mean Levenshtein distance to the 20 nearest entries of the lexicon. An entry
  counts as its own neighbour, at distance 0.
- ned1: the number of entries at distance 1 (Coltheart's N has substitutions alone).
- deviation of a transition: how many more words have the pseudoword's than have the seed's.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from polyprobe.display.progress import each, watched
from polyprobe.errors import import_extra
from polyprobe.generation.pseudo_tests.lexicon_words import LexiconWords, NoWords, PseudoOptions
from polyprobe.generation.pseudowords import Pseudoword
from polyprobe.generation.syllables.segments import Chain, Segments

_EXTRA = "pseudowords"
_N_NEAREST = 20
_BOUNDS = (3, 5, 8)  # the 20 nearest entries are looked for up to these distances in turn, and then without a bound
_LARGEST_BLOCK = 1 << 24  # distances
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


Neighbours = tuple[float, int]
"""The neighbours of a string in a lexicon: OLD20 and ned1."""


def deviation(chain: Chain, pseudoword: Segments, seed: Segments) -> tuple[int, int, str]:
    """Compares the transitions of a pseudoword, all of them in the chain, with those of the seed.

    Returns:
        The deviation that is largest, with its sign (the first of several); the sum of all without their signs; the
        transition that deviates most, in brackets as the released files write it (`_th[a]_`; _ is start or end).
    """
    differences = [own - other for own, other in zip(chain.counts(pseudoword), chain.counts(seed), strict=True)]
    place = max(range(len(differences)), key=lambda place: abs(differences[place]))
    written = ["_", *pseudoword[1:-1], "_"]
    written[place], written[place + 1] = f"[{written[place]}", f"{written[place + 1]}]"
    return differences[place], sum(map(abs, differences)), "".join(written)


def neighbours(words: Iterable[str], lexicon: Sequence[str]) -> dict[str, Neighbours]:
    """Computes the neighbours of words, which may be in the lexicon or not.

    Args:
        lexicon: at least one entry; an entry that is listed twice counts twice, as in the released program. Where it
            has fewer than 20, OLD20 is the mean of all (the released program divides by 20 nonetheless).
    """
    words = list(dict.fromkeys(words))
    longest = max(map(len, [*lexicon, *words]))
    found: dict[str, Neighbours] = {}
    for farthest in [bound for bound in _BOUNDS if bound < longest] + [longest]:
        found |= _within(farthest, [word for word in words if word not in found], lexicon)
    return {word: found[word] for word in words}


def _within(farthest: int, words: list[str], lexicon: Sequence[str]) -> dict[str, Neighbours]:
    """Computes the neighbours of the words that have enough up to a distance, among entries of about their length."""
    entries_of = _by_length(lexicon)
    found = {}
    for length, alike in _by_length(words).items():
        lengths = range(length - farthest, length + farthest + 1)
        entries = [entry for other in lengths for entry in entries_of.get(other, ())]
        if len(entries) >= min(_N_NEAREST, len(lexicon)):
            found |= dict(_nearest_found(alike, entries, farthest))
    return found


def _by_length(words: Iterable[str]) -> dict[int, list[str]]:
    groups = defaultdict(list)
    for word in words:
        groups[len(word)].append(word)
    return dict(groups)


def _nearest_found(words: list[str], entries: Sequence[str], farthest: int) -> Iterator[tuple[str, Neighbours]]:
    """Computes neighbours up to a distance; words that have too few of them are left out."""
    process, levenshtein = (import_extra(f"rapidfuzz.{part}", _EXTRA) for part in ("process", "distance.Levenshtein"))
    n_nearest = min(_N_NEAREST, len(entries))
    n_rows = max(1, _LARGEST_BLOCK // len(entries))
    size = np.uint8 if farthest < np.iinfo(np.uint8).max else np.uint32
    for start in range(0, len(words), n_rows):
        block = words[start : start + n_rows]
        # Beyond the farthest the library gives farthest + 1. All cores: what each computes has its place in the matrix.
        distances = process.cdist(
            block, entries, scorer=levenshtein.distance, score_cutoff=farthest, dtype=size, workers=-1
        )
        at_distance = np.stack(
            [np.count_nonzero(distances == distance, axis=1) for distance in range(farthest + 1)], axis=1
        )
        up_to = at_distance.cumsum(axis=1).clip(max=n_nearest)
        taken = np.diff(up_to, axis=1, prepend=0)
        sums = taken @ np.arange(farthest + 1)
        for row, word in enumerate(block):
            if up_to[row, -1] == n_nearest:
                yield word, (float(sums[row] / n_nearest), int(at_distance[row, 1:2].sum()))


def search(
    words: LexiconWords, seed_words: Sequence[str], options: PseudoOptions, accepts: NoWords
) -> list[Pseudoword]:
    """Searches the pseudowords of seed words, in their order; of one word those of narrower windows first."""
    import_extra("rapidfuzz", _EXTRA)  # needed only after the search, which takes minutes
    found = []
    for word in each(seed_words, "searching pseudowords", "seed words"):
        found += words.lexicon.chosen(word, options.candidates, options.most_windows, options.seed, accepts)
    return found


def rows(found: Sequence[Pseudoword], words: LexiconWords) -> Iterator[tuple[str, ...]]:
    """Compares pseudowords with the lexicon."""
    yield COLUMNS
    lexicon, near = words.lexicon, dict[str, Neighbours]()
    distinct = list(dict.fromkeys(text for one in found for text in (one.word, one.letters)))
    with watched("comparing with the lexicon", "words", len(distinct)) as progress:
        for start in range(0, len(distinct), _AT_ONCE):
            some = distinct[start : start + _AT_ONCE]
            near |= neighbours(some, lexicon.entries)
            progress.advance(len(some))
    for one in found:
        (old20, ned1), (seed_old20, seed_ned1) = near[one.letters], near[one.word]
        likeness = round(old20, _DIGITS), round(old20 - seed_old20, _DIGITS), ned1, ned1 - seed_ned1
        differs = deviation(lexicon.chain, one.segments, lexicon.segments(one.word))
        yield tuple(map(str, (one.word, one.letters, one.window, "N", *likeness, *differs)))
