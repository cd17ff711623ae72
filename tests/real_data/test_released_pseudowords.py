"""Pseudowords of ours beside those of the files that the published Pseudo tests were drawn from, for the same words.

The files at hand have the first 1,000 rows (Turkish: 2,000), those of the most frequent words. They have up to five
pseudowords of a word in Turkish and up to ten in the others; a search that ran out of its five seconds has fewer.
"""

import csv
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from polyprobe.formats.lexica import wuggy_lexicon
from polyprobe.formats.reading.malformed import refuse
from polyprobe.generation.pseudowords import PseudowordLexicon
from polyprobe.splits import SPLITS

pytestmark = pytest.mark.real_data

N = {"turkish": 5, "basque": 10, "spanish": 10, "english": 10}
N_ROWS = {"turkish": 2000, "basque": 1000, "spanish": 1000, "english": 1000}
MOST_WINDOWS = 40


@dataclass(frozen=True, slots=True)
class Compared:
    """The pseudowords of one word.

    Attributes:
        released: of the file.
        narrower: ours of the windows before the one with which there are enough.
        last: ours of that window.
        chosen: ours as they are drawn by seed 1.
    """

    released: frozenset[str]
    narrower: frozenset[str]
    last: frozenset[str]
    chosen: frozenset[str]

    @property
    def by_chance(self) -> tuple[float, float]:
        """How many of the chosen a second draw from the last window has: mean and variance (hypergeometric)."""
        n_last, n_ours, n_theirs = len(self.last), len(self.chosen & self.last), len(self.released & self.last)
        if n_last < 2:
            return len(self.narrower & self.released) + n_ours * n_theirs, 0.0
        mean = n_ours * n_theirs / n_last
        variance = mean * (1 - n_theirs / n_last) * (n_last - n_ours) / (n_last - 1)
        return len(self.narrower & self.released) + mean, variance


def compared(folder: Path, language: str) -> Iterator[Compared]:
    lexicon = PseudowordLexicon(wuggy_lexicon.read(folder / f"{language}.txt", refuse), language)
    words = set(lexicon.entries)
    for word, released in released_by_word(folder, language).items():
        if word in words:
            narrower, last = _windows(lexicon, word, N[language])
            chosen = lexicon.chosen(word, N[language], MOST_WINDOWS, seed=1)
            yield Compared(released, narrower, last, frozenset(one.letters for one in chosen))


def n_in(sets: Iterable[frozenset[str]]) -> int:
    return sum(map(len, sets))


def released_by_word(folder: Path, language: str) -> Mapping[str, frozenset[str]]:
    path = folder / f"cases/released_ort_{language}.head{N_ROWS[language]}.tsv"
    found: dict[str, set[str]] = {}
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            found.setdefault(row["Word"], set()).add(row["Match"])
    return {word: frozenset(matches) for word, matches in found.items()}


def _windows(lexicon: PseudowordLexicon, word: str, n: int) -> tuple[frozenset[str], frozenset[str]]:
    narrower: frozenset[str] = frozenset()
    for _, found in lexicon.windows(word, MOST_WINDOWS):
        last = frozenset(one.letters for one in found)
        if len(narrower | last) >= n:
            return narrower, last
        narrower |= last
    return narrower, frozenset()


@pytest.mark.parametrize(
    ("language", "rows", "in_windows", "narrower", "narrower_released", "chosen", "chosen_released"),
    [
        ("turkish", 2000, 1999, 580, 579, 2005, 1182),
        ("basque", 1000, 999, 370, 367, 1005, 611),
        ("spanish", 934, 934, 474, 467, 1042, 704),
        ("english", 1000, 989, 607, 561, 1113, 779),
    ],
)
def test_as_many_released_pseudowords_are_ours_as_chance_in_the_last_window_leaves(
    data_folder, language, rows, in_windows, narrower, narrower_released, chosen, chosen_released
):
    every = list(compared(data_folder / "wuggy", language))
    assert n_in(one.released for one in every) == rows
    assert n_in(one.released & (one.narrower | one.last) for one in every) == in_windows
    assert (n_in(one.narrower for one in every), n_in(one.narrower & one.released for one in every)) == (
        narrower,
        narrower_released,
    )
    assert n_in(one.chosen for one in every) == chosen
    assert n_in(one.chosen & one.released for one in every) == chosen_released
    expected = sum(one.by_chance[0] for one in every)
    deviation = math.sqrt(sum(one.by_chance[1] for one in every))
    assert abs(chosen_released - expected) < 2 * deviation, (expected, deviation)


def test_seven_spanish_words_were_listed_without_their_accents(data_folder):
    """The lexicon at hand has también; the one of the released file had tambien."""
    lexicon = PseudowordLexicon(wuggy_lexicon.read(data_folder / "wuggy/spanish.txt", refuse), "spanish")
    words = set(lexicon.entries)
    absent = [word for word in released_by_word(data_folder / "wuggy", "spanish") if word not in words]
    assert absent == ["tambien", "asi", "dia", "segun", "aqui", "despues", "alli"]


def test_words_of_the_published_turkish_test_are_the_most_frequent_ones_and_none_is_a_pseudoword(data_folder):
    lexicon = list(wuggy_lexicon.read(data_folder / "wuggy/turkish.txt", refuse))
    by_frequency = {word.word: rank for rank, word in enumerate(sorted(lexicon, key=lambda word: -word.per_million))}
    rows = [
        line.split("\t")
        for split in SPLITS
        for line in (data_folder / f"linspector/type/turkish/Pseudo/{split}.txt").read_text("utf-8").splitlines()
    ]
    words = [word for word, label in rows if label == "1"]
    pseudowords = [word for word, label in rows if label == "0"]
    known = [word for word in words if word in by_frequency]
    assert (len(words), len(known), max(by_frequency[word] for word in known)) == (4961, 4950, 9998)
    assert (len(pseudowords), len(set(pseudowords)), sum(word in by_frequency for word in pseudowords)) == (
        5039,
        4936,
        0,
    )
