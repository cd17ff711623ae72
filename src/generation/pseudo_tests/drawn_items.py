"""Draws the items of the Pseudo test: which words, which pseudowords, which split."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from polyprobe.generation.made_tests.frequent_words import Step
from polyprobe.generation.made_tests.labels import sizes_of
from polyprobe.generation.pseudo_tests.lexicon_words import PseudoOptions, folded
from polyprobe.generation.pseudowords import Pseudoword
from polyprobe.seeds import derived_seed
from polyprobe.splits import SPLITS

TEST = "Pseudo"
PSEUDOWORD, WORD = "0", "1"


@dataclass(frozen=True, slots=True)
class Item:
    """An item of the test."""

    text: str
    """A word or a pseudoword."""
    word: str
    """Itself, or the word that the pseudoword was made of."""
    found: Pseudoword | None
    """The pseudoword; None of a word."""

    @property
    def label(self) -> str:
        return WORD if self.found is None else PSEUDOWORD


_Pool = Mapping[str, Sequence[Item]]
"""What is drawn from, by label, in random order; by `pairing=seeds` each pseudoword is at the place of its word."""


def draw_items(found: Sequence[Pseudoword], options: PseudoOptions) -> tuple[Mapping[str, Sequence[Item]], list[Step]]:
    """Draws train, dev and test.

    Args:
        found: pseudowords; those of one word together.

    Returns:
        The items of each split in the order of its file, and what was not drawn.
    """
    usable, steps = _usable(found, options)
    words = list(usable)
    sizes = sizes_of(
        f"{TEST}: {len(words):,} words have a pseudoword",
        options.items,
        options.sizes,
        "pseudowords.sizes",
        lambda sizes: all(
            len(pool[label]) >= n
            for pool, counts in _shared_out(words, usable, sizes, options)
            for label, n in counts.items()
        ),
    )
    drawn = _drawn(_shared_out(words, usable, sizes, options), sizes, options)
    n_pseudowords = sum(item.found is not None for items in drawn.values() for item in items)
    n_words = sum(map(len, drawn.values())) - n_pseudowords
    return drawn, [
        *steps,
        Step("not drawn", "words that have pseudowords", len(words) - n_words, n_words),
        Step("not drawn", "pseudowords", sum(map(len, usable.values())) - n_pseudowords, n_pseudowords),
    ]


def _usable(found: Sequence[Pseudoword], options: PseudoOptions) -> tuple[dict[str, list[Pseudoword]], list[Step]]:
    """Puts the seed words into random order and finds which pseudowords each may bring in."""
    of_word: dict[str, list[Pseudoword]] = {}
    for one in found:
        of_word.setdefault(one.word, []).append(one)
    words = list(of_word)
    claimed: set[str] = set()
    usable: dict[str, list[Pseudoword]] = {}
    n_repeated = 0
    for place in _generator(options, "seed words of the test").permutation(len(words)).tolist():
        candidates = of_word[words[place]]
        free = [one for one in candidates if options.repeats == "kept" or folded(one.letters, options) not in claimed]
        n_repeated += len(candidates) - len(free)
        own = free[:1] if options.pairing == "seeds" else free
        claimed.update(folded(one.letters, options) for one in own)
        if own:
            usable[words[place]] = own
    return usable, [Step("used for another word", "pseudowords", n_repeated, len(found) - n_repeated)]


def _shared_out(
    words: Sequence[str], usable: Mapping[str, list[Pseudoword]], sizes: Sequence[int], options: PseudoOptions
) -> list[tuple[_Pool, Mapping[str, int]]]:
    """Returns pools, one of all splits or one of each, with how many items of each label are drawn from it."""
    counts = [_label_counts(split, n_items, options) for split, n_items in zip(SPLITS, sizes, strict=True)]
    if options.split == "random":
        together = {label: sum(of_split[label] for of_split in counts) for label in (PSEUDOWORD, WORD)}
        return [(_pool(words, usable, options, "all"), together)]
    bounds = [0, *(len(words) * int(end) // sum(sizes) for end in np.cumsum(sizes))]
    parts = [words[start:end] for start, end in pairwise(bounds)]
    pools = [_pool(part, usable, options, split) for part, split in zip(parts, SPLITS, strict=True)]
    return list(zip(pools, counts, strict=True))


def _pool(words: Sequence[str], usable: Mapping[str, list[Pseudoword]], options: PseudoOptions, purpose: str) -> _Pool:
    pseudowords = [one for word in words for one in usable[word]]
    if options.pairing == "rows":
        order = _generator(options, "rows", purpose).permutation(len(pseudowords)).tolist()
        pseudowords = [pseudowords[place] for place in order]
    return {
        PSEUDOWORD: [Item(one.letters, one.word, one) for one in pseudowords],
        WORD: [Item(word, word, None) for word in words],
    }


def _label_counts(split: str, n_items: int, options: PseudoOptions) -> Mapping[str, int]:
    """Returns how many pseudowords and words a split has; the same whenever it is asked."""
    if options.labels == "coin":
        n_words = int(_generator(options, "labels", split).integers(2, size=n_items).sum())
    else:
        n_words = n_items - n_items // 2
    return {PSEUDOWORD: n_items - n_words, WORD: n_words}


def _drawn(
    pools: Sequence[tuple[_Pool, Mapping[str, int]]], sizes: Sequence[int], options: PseudoOptions
) -> dict[str, list[Item]]:
    if options.split == "seed":
        return {
            split: _mixed({label: pool[label][:n] for label, n in counts.items()}, split, options)
            for split, (pool, counts) in zip(SPLITS, pools, strict=True)
        }
    ((pool, counts),) = pools
    rest = {label: _permuted(pool[label][:n], options, "random", label) for label, n in counts.items()}
    drawn = {}
    for split, n_items in zip(SPLITS, sizes, strict=True):
        of_split = _label_counts(split, n_items, options)
        drawn[split] = _mixed({label: rest[label][:n] for label, n in of_split.items()}, split, options)
        rest = {label: rest[label][n:] for label, n in of_split.items()}
    return drawn


def _mixed(items: Mapping[str, Sequence[Item]], split: str, options: PseudoOptions) -> list[Item]:
    return _permuted([item for some in items.values() for item in some], options, "order", split)


def _permuted(items: Sequence[Item], options: PseudoOptions, *purpose: str) -> list[Item]:
    return [items[place] for place in _generator(options, *purpose).permutation(len(items)).tolist()]


def _generator(options: PseudoOptions, *purpose: str) -> np.random.Generator:
    return np.random.default_rng(derived_seed(options.seed, TEST, *purpose))
