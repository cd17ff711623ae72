"""Words in the order of their frequency, in the four layouts in which such lists are published.

    talo                                        a word a line, the most frequent first
    talo 5890279                                a word and its count (hermitdave/FrequencyWords)
    Word <tab> FREQcount <tab> CDcount …        a table with a header (SUBTLEX); its order says nothing, its counts do
    416052 300                                  word vectors as fastText writes them, the most frequent word first;
    talo 0.01 -0.2 …                            the vectors are not looked at

The layout is told from the first two lines. Words of vectors and of plain lists hold no blank.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from polyprobe.display.shown import plural
from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.lines import numbered_bytes, text_of
from polyprobe.formats.reading.malformed import Omission, OnMalformed

_WORD_COLUMNS = ("word", "wordform", "form", "spelling", "string", "token")
_COUNT_COLUMNS = ("freqcount", "count", "freq", "frequency", "wffreqcount", "occurrences")
_FEWEST_NUMBERS = 4  # of a vector: a line with fewer is no row of vectors
_BLANKS = re.compile(rb"[ \t]")
_Numbered = tuple[int, bytes]


@dataclass(frozen=True, slots=True)
class ListedWord:
    """A word of a list; `line` is its line of the file, from 1; `count` is None in lists that have order alone."""

    line: int
    word: str
    count: int | None


def read(path: Path, on_malformed: OnMalformed) -> Iterator[ListedWord]:
    """Reads the words of a list in the order of the file.

    Raises:
        MalformedLine: at an empty file and, where `on_malformed` raises, at the first row that does not have the layout
            of the first ones, a count that is no whole number of at least 0, or text that is not clean UTF-8.
    """
    lines = numbered_bytes(path)
    first = list(islice(lines, 2))
    row, is_header = _layout(first)
    if is_header:
        text_of(path, *first[0])  # refuses what is no clean text
    for line, content in chain(first[is_header:], lines):
        with Omission(on_malformed):
            yield row(path, line, content)


def _layout(first: list[_Numbered]) -> tuple[Callable[[Path, int, bytes], ListedWord], bool]:
    """Tells how rows are read, and whether the first line is a header."""
    fields = [[field for field in _BLANKS.split(content.rstrip(b"\n")) if field] for _, content in first]
    is_header_of_vectors = len(fields[0]) == 2 and all(field.isdigit() for field in fields[0])
    if is_header_of_vectors and len(fields) == 2 and len(fields[1]) > _FEWEST_NUMBERS:
        return _of_vectors, True
    header = first[0][1].rstrip(b"\n").decode("utf-8", "replace").lower().split("\t")
    known = [[name for name in names if name in header] for names in (_WORD_COLUMNS, _COUNT_COLUMNS)]
    if all(known):
        return _of_table(len(header), *(header.index(names[0]) for names in known)), True
    return (_of_words if len(fields[0]) == 1 else _of_counts), False


def _of_words(path: Path, line: int, content: bytes) -> ListedWord:
    word = text_of(path, line, content)
    if not word or " " in word or "\t" in word:
        found = f'the line has "{word}"' if word else "the line is empty"
        raise MalformedLine(path, line, found, "one word per line, and nothing else, as in the first line")
    return ListedWord(line, word, None)


def _of_counts(path: Path, line: int, content: bytes) -> ListedWord:
    text = text_of(path, line, content)
    cells = text.split("\t" if "\t" in text else " ")
    expected = "2 columns (word, count), separated by a tab or a blank"
    if len(cells) != 2:
        found = "the line is empty" if not text else f"the row has {plural(len(cells), 'column')}"
        raise MalformedLine(path, line, found, expected)
    return _counted(path, line, *cells, expected)


def _of_table(n_columns: int, word: int, count: int) -> Callable[[Path, int, bytes], ListedWord]:
    def row(path: Path, line: int, content: bytes) -> ListedWord:
        cells = text_of(path, line, content).split("\t")
        expected = f"{n_columns} columns as the header has, separated by tabs"
        if cells == [""]:
            raise MalformedLine(path, line, "the line is empty", expected)
        if len(cells) != n_columns:
            raise MalformedLine(path, line, f"the row has {plural(len(cells), 'column')}", expected)
        return _counted(path, line, cells[word], cells[count], expected)

    return row


def _of_vectors(path: Path, line: int, content: bytes) -> ListedWord:
    """Reads the word alone: vectors are most of such a file."""
    word, blank, _ = content.partition(b" ")
    text = text_of(path, line, word + b"\n")
    if not blank or not text:
        raise MalformedLine(path, line, "the row has no vector" if text else "the word is empty", "a word and numbers")
    return ListedWord(line, text, None)


def _counted(path: Path, line: int, word: str, count: str, expected: str) -> ListedWord:
    if "" in (word, count):
        raise MalformedLine(path, line, f"the {'count' if word else 'word'} is empty", expected)
    if not (count.isascii() and count.isdigit()):
        raise MalformedLine(path, line, f'the count is "{count}"', "a whole number of at least 0")
    return ListedWord(line, word, int(count))
