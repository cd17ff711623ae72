"""Which forms are frequent: those among the first words of a frequency list; what the filters of a test took."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, repeat
from pathlib import Path
from typing import Any

import numpy as np

from polyprobe.formats.lexica import frequency_list
from polyprobe.formats.reading.case import lower_cased
from polyprobe.formats.reading.malformed import OnMalformed
from polyprobe.generation.made_tests.row_statistics import share


@dataclass(frozen=True, slots=True)
class Step:
    """What a filter did: `taken` of the items before it went, `left` stayed; `unit` says what was counted."""

    name: str
    unit: str
    taken: int
    left: int


def described_steps(steps: Sequence[Step]) -> list[dict[str, Any]]:
    """Says of each filter what it took, as items and as a share (0 to 1) of what came to it."""
    return [
        {
            "filter": step.name,
            "unit": step.unit,
            "taken": step.taken,
            "share": share(step.taken, step.taken + step.left),
            "left": step.left,
        }
        for step in steps
    ]


Ranks = Mapping[str, int]
"""Of frequent words; the most frequent has rank 1."""


def ranks_of(forms: Sequence[str], ranks: Ranks, case: str) -> np.ndarray:
    """Returns the rank of each form, 0 where it is not among the frequent words, `[forms]`, int32.

    Args:
        case: how forms are lower-cased before they are looked up, as `lower_cased` takes it.
    """
    spellings = forms if case == "kept" else [lower_cased(form, case) for form in forms]
    return np.fromiter(map(ranks.get, spellings, repeat(0)), np.int32, len(forms))


def read_frequent_words(path: Path, most_words: int, normalization: str, on_malformed: OnMalformed) -> Ranks:
    """Reads the ranks of the words of a frequency list, of the first `most_words` of it.

    Words with counts are put into the order of their counts (ties: of the file); others stand in the order of theirs. A
    word that is listed again keeps its first rank.

    Args:
        path: in a layout of `polyprobe.formats.lexica.frequency_list`.
        most_words: of the list, before words that are listed again go.
        normalization: "nfc" or "kept".
    """
    listed = frequency_list.read(path, on_malformed)
    words = list(islice(listed, 1))
    if words and words[0].count is None:
        words += islice(listed, most_words - 1)
    else:
        words = sorted([*words, *listed], key=lambda word: -word.count)[:most_words]
    ranks: dict[str, int] = {}
    for rank, word in enumerate(words, start=1):
        ranks.setdefault(unicodedata.normalize("NFC", word.word) if normalization == "nfc" else word.word, rank)
    return ranks
