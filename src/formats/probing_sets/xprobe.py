"""The probing files of X-Probe: one file for each part (tr, va, te), a sentence and its label a line.

    He ran to the door .	Past
    " Why ? " she asks	Pres

The cells are in the opposite order to SentEval's, and there is no partition. A quotation mark is a character like any
other.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from polyprobe.formats.reading.cells import read_cells
from polyprobe.formats.reading.lines import UnwritableText, cells_to_line, numbered_bytes, write_lines
from polyprobe.formats.reading.malformed import Omission, OnMalformed
from polyprobe.formats.reading.tokenised import check_words, words_of

PART_OF_SPLIT = {"train": "tr", "dev": "va", "test": "te"}


@dataclass(frozen=True, slots=True)
class XprobeRow:
    """A sentence and its label; `line` is its line of the file, from 1."""

    line: int
    sentence: str
    label: str

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the sentence, without empty ones."""
        return words_of(self.sentence)


def read(path: Path, on_malformed: OnMalformed) -> Iterator[XprobeRow]:
    """Reads the rows of one part.

    Raises:
        MalformedLine: at an empty file and, where `on_malformed` raises, at the first row with another number of
            columns, an empty cell, a sentence without a word, or text that is not clean UTF-8.
    """
    for line, (sentence, label) in read_cells(path, numbered_bytes(path), ("sentence", "label"), on_malformed):
        with Omission(on_malformed):
            check_words(path, line, sentence)
            yield XprobeRow(line, sentence, label)


def write(rows: Iterable[XprobeRow], path: Path) -> None:
    """Writes rows, whole or not at all; what was read is written byte for byte."""
    write_lines(map(_line, rows), path)


def _line(row: XprobeRow) -> str:
    if not row.words:
        raise UnwritableText(f"{row!r} has no word.")
    return cells_to_line((row.sentence, row.label))
