"""Lexica of Wuggy (Keuleers and Brysbaert 2010): a word, its syllables joined by `-`, its frequency per million.

    akşam   ak-şam  212.05

Syllables are kept as they stand. They need not spell the word: `âdem` is `a-dem`, and where the word itself has a
hyphen, so have its syllables.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.cells import is_number, read_cells
from polyprobe.formats.reading.malformed import OnMalformed

_COLUMNS = ("word", "syllables", "frequency per million")


@dataclass(frozen=True, slots=True)
class SyllabifiedWord:
    """A word of a lexicon."""

    line: int
    """Its line of the file, from 1."""
    word: str
    syllables: tuple[str, ...]
    """At least one, none empty."""
    per_million: float
    """Its frequency, at least 0, in occurrences per million words."""


def read(path: Path, on_malformed: OnMalformed) -> Iterator[SyllabifiedWord]:
    """Reads the words of a lexicon.

    Raises:
        MalformedLine: as `read_cells`, and at an empty syllable and a frequency that is no number of at least 0.
    """
    return read_cells(path, _COLUMNS, on_malformed, _word)


def _word(path: Path, line: int, word: str, syllables: str, frequency: str) -> SyllabifiedWord:
    if "" in syllables.split("-"):
        raise MalformedLine(path, line, f'the syllables are "{syllables}"', "syllables joined by -, none of them empty")
    number = float(frequency) if is_number(frequency) else math.nan
    if not 0 <= number < math.inf:
        raise MalformedLine(path, line, f'the frequency is "{frequency}"', "a number of at least 0")
    return SyllabifiedWord(line, word, tuple(syllables.split("-")), number)
