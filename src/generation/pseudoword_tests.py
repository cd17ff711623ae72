"""Pseudowords and their probing test: `python generate.py suite=pseudowords lang=tr`.

The test Pseudo is as LINSPECTOR's (Şahin et al. 2020, section 3.3).

The released program reads finished lists of pseudowords, draws 10,000 rows, and makes each by a coin the pseudoword (0)
or the next of the shuffled seed words (1), so that pseudowords may repeat and stand in another split than the word that
they were made of. The article says no more than that there are words and pseudowords. What it leaves open is decided in
`pseudo_rules.yaml` so that the test has no other cue than being a word: see `docs/pseudowords.md`.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import numpy as np

from polyprobe.errors import Impossible, check_choice
from polyprobe.formats.reading.lines import cells_to_line, write_lines
from polyprobe.generation.language_sources import is_named, one_source
from polyprobe.generation.made_tests.frequent_words import Ranks, Step, read_frequent_words
from polyprobe.generation.made_tests.labels import sizes_of
from polyprobe.generation.made_tests.row_statistics import NoTest, TooFew, share, shares_with_train
from polyprobe.generation.maker import DrawnTest, LeftOut, Maker, MakingSettings, Written
from polyprobe.generation.pseudo_tests.lexicon_words import (
    LexiconWords,
    NoWords,
    PseudoOptions,
    folded,
    of_plain_words,
    pseudo_options,
    read_syllabified,
    seed_words,
)
from polyprobe.generation.pseudo_tests.pseudoword_list import rows, search
from polyprobe.generation.pseudowords import Pseudoword
from polyprobe.generation.syllables.segments import N_PARTS
from polyprobe.seeds import derived_seed
from polyprobe.splits import SPLITS

TEST = "Pseudo"
PSEUDOWORD, WORD = "0", "1"
LIST = "pseudowords.tsv"


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


_Items = Mapping[str, Sequence[Item]]  # of each split
_Pool = Mapping[str, Sequence[Item]]
"""What is drawn from, by label, in random order; by `pairing=seeds` each pseudoword is at the place of its word."""


class PseudowordTests(Maker):
    """The list of pseudowords and the test; files: `syllables`, a lexicon with these, and `frequency`, a list.

    There may be one of the two alone: without the lexicon, syllables are made for the words of the list.
    """

    section = "pseudowords"
    known = ("rules", "tests", "pseudowords", "on_malformed", "dotless_i")
    options: PseudoOptions
    possible = (TEST,)

    @classmethod
    def of(cls, settings: MakingSettings) -> Self:
        changes = settings.changes(cls.section)
        options = pseudo_options(settings.rules, settings.language, settings.dotless_i, settings.seed, **changes)
        named, kinds = settings.files, ("syllables", "frequency")
        files = {kind: [one_source(named, kind)] for kind in kinds if is_named(named, kind)}
        if not files:
            raise Impossible(
                f"lang={settings.language} names neither syllables nor frequency. To name a lexicon with "
                "syllables: made_from.syllables=<file>; a list of words that get syllables: made_from.frequency=<file>."
            )
        return cls(options, files, settings.handler())

    @cached_property
    def listed(self) -> Ranks | None:
        """The frequency list, where there is one."""
        path = self.path_if_any("frequency")
        if path is None:
            return None
        return read_frequent_words(path, sys.maxsize, self.options.normalization, self.on_malformed)

    @cached_property
    def words(self) -> LexiconWords:
        listed = self.listed  # read first: so are its malformed rows told first
        path = self.path_if_any("syllables")
        if path is None:
            return of_plain_words(listed, self.options)
        return read_syllabified(path, self.options, self.on_malformed)

    @cached_property
    def ranks(self) -> Ranks:
        """Of the frequency list, by `folded`."""
        ranks: dict[str, int] = {}
        for word, rank in (self.listed or {}).items():
            ranks.setdefault(folded(word, self.options), rank)
        return ranks

    @cached_property
    def searched(self) -> tuple[Sequence[str], Sequence[Pseudoword], Sequence[Step]]:
        """The seed words, their pseudowords, and what went on the way."""
        seeds, steps = seed_words(self.words, self.options)
        accepts = NoWords(self.words, self.listed, self.options)
        found = search(self.words, seeds, self.options, accepts)
        return seeds, found, [*steps, *_search_steps(seeds, found, accepts)]

    def make(self, folder: Path, tests: Sequence[str] | None) -> Iterator[Written | LeftOut]:
        """Writes the list, and the test beside it or why there are too few words for one."""
        for name in tests or ():
            check_choice("The test", name, self.possible)
        seeds, found, _ = self.searched
        if not found:
            paths = ", ".join(str(source.path) for source in self.sources)
            raise NoTest(f"{paths}: none of {len(seeds):,} words has a pseudoword.")
        folder.mkdir(parents=True, exist_ok=True)
        write_lines(map(cells_to_line, rows(found, self.words)), folder / LIST)
        try:
            yield self.written(folder, TEST)
        except TooFew as error:
            yield LeftOut(TEST, f"{error} {LIST} lists the {len(found):,} pseudowords.")

    def of_files(self) -> dict[str, Any]:
        seeds, found, _ = self.searched
        lexicon = {
            "lines": len(self.words.lexicon.entries),
            "words": len(self.words.by_frequency),
            "spellings_changed_by_nfc": self.words.n_composed,
            "malformed_rows_left_out": len(self.on_malformed.places),
            "words_of_the_frequency_list": len(self.listed or ()),
        }
        return {"pseudowords": _of_the_search(seeds, found), "lexicon": lexicon}

    def drawn(self, name: str) -> DrawnTest:
        _, found, taken = self.searched
        items, steps = draw_items(found, self.options)
        test_rows = {split: [(item.text, item.label) for item in items[split]] for split in SPLITS}
        return DrawnTest(TEST, test_rows, self._origins(items), [*taken, *steps], lambda: self._statistics(items))

    def _statistics(self, drawn: _Items) -> dict[str, Mapping[str, Any]]:
        """Says what splits have in common, how frequent their items are, and how long those of each label (mean)."""
        forms = {split: [folded(item.text, self.options) for item in drawn[split]] for split in SPLITS}
        keys = {"seed_word": lambda item: {item.word}, "form": lambda item: {folded(item.text, self.options)}}
        lengths = {
            split: {name: [len(one.text) for one in drawn[split] if one.label == name] for name in (PSEUDOWORD, WORD)}
            for split in SPLITS
        }
        n_frequent = {split: sum(form in self.ranks for form in forms[split]) for split in SPLITS}
        frequent = {split: share(n_frequent[split], len(forms[split])) for split in SPLITS}
        return {
            "ambiguity": {},
            "shared_with_train": shares_with_train(drawn, keys),
            **({"frequent_share": frequent} if self.listed is not None else {}),
            "letters": {
                split: {label: share(sum(of_label), len(of_label)) for label, of_label in of_split.items()}
                for split, of_split in lengths.items()
            },
        }

    def _origins(self, drawn: _Items) -> Iterator[dict[str, Any]]:
        """Says for every row where it comes from; a window is None for words."""
        for split in SPLITS:
            for line, item in enumerate(drawn[split], start=1):
                segments = self.words.lexicon.segments(item.word) if item.found is None else item.found.segments
                parts = segments[1:-1]
                syllables = ("".join(parts[start : start + N_PARTS]) for start in range(0, len(parts), N_PARTS))
                yield {
                    "split": split,
                    "line": line,
                    "forms": [item.text],
                    "label": item.label,
                    "ranks": [self.ranks.get(folded(item.text, self.options))],
                    "seed_word": item.word,
                    "syllables": "-".join(syllables),
                    "window": None if item.found is None else item.found.window,
                }


def _search_steps(seeds: Sequence[str], found: Sequence[Pseudoword], accepts: NoWords) -> list[Step]:
    n_with = len({one.word for one in found})
    steps = [Step("no pseudoword in the windows", "seed words", len(seeds) - n_with, n_with)]
    left = len({one.letters for one in found}) + sum(accepts.refused.values())
    for reason, count in accepts.refused.items():
        left -= count
        steps.append(Step(reason, "pseudowords drawn", count, left))
    return steps


def _of_the_search(seeds: Sequence[str], found: Sequence[Pseudoword]) -> dict[str, Any]:
    by_window = Counter(one.window for one in found)
    of_word = Counter(one.word for one in found)
    by_number = Counter(of_word[word] for word in seeds)
    return {
        "seed_words": len(seeds),
        "listed": len(found),
        "distinct": len({one.letters for one in found}),
        "seed_words_by_pseudowords": {str(number): by_number[number] for number in sorted(by_number)},
        "listed_by_window": {str(width): by_window[width] for width in sorted(by_window)},
    }


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
        pseudowords = _permuted(pseudowords, options, "rows", purpose)
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


def _permuted(items: Sequence[Any], options: PseudoOptions, *purpose: str) -> list[Any]:
    return [items[place] for place in _generator(options, *purpose).permutation(len(items)).tolist()]


def _generator(options: PseudoOptions, *purpose: str) -> np.random.Generator:
    return np.random.default_rng(derived_seed(options.seed, TEST, *purpose))
