"""CoNLL-U and CoNLL-U Plus, kept whole: comments, multiword ranges, empty nodes and every column.

Described at https://universaldependencies.org/format.html and https://universaldependencies.org/ext-format.html.
"""

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path
from typing import Any, Generic, TypeVar

from polyprobe.display.shown import plural
from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.cells import Block, blocks
from polyprobe.formats.reading.lines import cells_to_line, write_lines
from polyprobe.formats.reading.malformed import Omission, OnMalformed

_log = logging.getLogger(__name__)

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_COLUMNS_COMMENT = "# global.columns = "

_named_cells = attrgetter(*map(str.lower, COLUMNS))


@dataclass(frozen=True, slots=True)
class Row:
    """One row: a word (`3`), a multiword token (`3-4`) or an empty node (`8.1`); all cells as in the file."""

    id: str
    form: str
    lemma: str = "_"
    upos: str = "_"
    xpos: str = "_"
    feats: str = "_"
    head: str = "_"
    deprel: str = "_"
    deps: str = "_"
    misc: str = "_"
    extra: tuple[str, ...] = ()
    """The cells after MISC, in CoNLL-U Plus."""

    @property
    def is_word(self) -> bool:
        """True at a word, False at a multiword token and at an empty node."""
        return self.id.isdecimal()

    @property
    def cells(self) -> tuple[str, ...]:
        """The cells from left to right."""
        return (*_named_cells(self), *self.extra)


AnyRow = TypeVar("AnyRow")
"""Has all its cells as `cells`, or is a tuple of them."""


@dataclass(frozen=True, slots=True)
class ConlluSentence(Generic[AnyRow]):
    """A sentence with everything that the file has of it."""

    number: int
    """Its number in the file, from 1; skipped sentences count."""
    line: int
    """The line of the file on which it starts (a comment, if it has one)."""
    comments: tuple[str, ...]
    """Whole lines, with their `#`; that of the column names is among those of the first sentence."""
    rows: tuple[AnyRow, ...]
    """In the order of the file."""
    columns: tuple[str, ...] = COLUMNS
    """The names of the columns, `COLUMNS` in plain CoNLL-U."""

    @property
    def words(self) -> tuple[AnyRow, ...]:
        """Of CoNLL-U the rows with integer IDs: the word with ID `n` is at `n - 1`."""
        return tuple(row for row in self.rows if row.is_word)

    @property
    def first_row_line(self) -> int:
        """The line of the file on which the first row stands."""
        return self.line + len(self.comments)

    @property
    def identifier(self) -> str:
        """The comment `sent_id`, else the sentence's number in the file."""
        return comment_value(self.comments, "sent_id") or str(self.number)


Table = ConlluSentence[tuple[str, ...]]
"""A sentence of any CoNLL-U Plus file, whose rows are cut into cells and have no further meaning."""


def read(path: Path, on_malformed: OnMalformed) -> Iterator[ConlluSentence]:
    """Reads CoNLL-U, or CoNLL-U Plus whose first ten columns are those of CoNLL-U.

    Yields:
        Sentences in the order of the file, one in memory at a time.

    Raises:
        MalformedLine: at other columns and, where `on_malformed` raises, at the first row with too few or too many
            cells, an empty cell, an ID out of order, a HEAD that is not an integer of 0 to the number of words (or
            `_`), at a sentence without row, and at text that is not clean UTF-8.
    """
    for table in read_tables(path, on_malformed):
        if table.columns[:10] != COLUMNS:
            found = f"the columns are {' '.join(table.columns)}"
            raise MalformedLine(path, table.line, found, f"columns that start with {' '.join(COLUMNS)}")
        with Omission(on_malformed):
            _check_heads(path, table)
            yield replace(table, rows=tuple(Row(*cells[:10], cells[10:]) for cells in table.rows))


def read_tables(path: Path, on_malformed: OnMalformed) -> Iterator[Table]:
    """Reads CoNLL-U Plus with any columns, the ID first; checks all that `read` checks but the HEAD."""
    columns = _columns(path)
    for block in blocks(path, on_malformed):
        with Omission(on_malformed):
            yield _table(path, block, columns)


def write(sentences: Iterable[ConlluSentence], path: Path) -> None:
    """Writes sentences or tables, whole or not at all; what was read is written byte for byte."""
    write_lines(lines(sentences), path)


def lines(sentences: Iterable[ConlluSentence]) -> Iterator[str]:
    """Yields the lines that `write` writes."""
    for one in sentences:
        yield from one.comments
        yield from map(cells_to_line, map(cells_of, one.rows))
        yield ""


def cells_of(row: Any) -> tuple[str, ...]:
    """Returns the cells of a row of any kind, from left to right."""
    return row if isinstance(row, tuple) else row.cells


def columns_comment(columns: Iterable[str]) -> str:
    """The first comment of a CoNLL-U Plus file, which names its columns."""
    return _COLUMNS_COMMENT + " ".join(columns)


def comment_value(comments: Iterable[str], key: str) -> str | None:
    """The value of the comment `# key = value`, None where there is none."""
    prefix = f"# {key} = "
    return next((comment.removeprefix(prefix) for comment in comments if comment.startswith(prefix)), None)


def _columns(path: Path) -> tuple[str, ...]:
    """Reads the columns from the first line alone: they hold for the file, even if its first sentence is skipped."""
    with open(path, encoding="utf-8-sig", errors="replace") as file:
        first = file.readline().rstrip("\n")
    return tuple(first.removeprefix(_COLUMNS_COMMENT).split()) if first.startswith(_COLUMNS_COMMENT) else COLUMNS


def _table(path: Path, block: Block, columns: tuple[str, ...]) -> Table:
    n_comments = next((n for n, line in enumerate(block.lines) if not line.startswith("#")), len(block.lines))
    last_line = block.line + len(block.lines) - 1
    if n_comments == len(block.lines):
        raise MalformedLine(path, last_line, "the sentence has comments and no row", "at least one row")
    rows = tuple(tuple(line.split("\t")) for line in block.lines[n_comments:])
    table = ConlluSentence(block.number, block.line, block.lines[:n_comments], rows, columns)
    _check_cells(path, table)
    _check_ids(path, table)
    if not block.is_closed:
        _log.warning("%s, line %d: no empty line follows the last sentence; it is read as it stands.", path, last_line)
    return table


def _check_cells(path: Path, table: Table) -> None:
    for line, cells in enumerate(table.rows, start=table.first_row_line):
        if len(cells) != len(table.columns):
            if cells[0].startswith("#"):
                raise MalformedLine(path, line, "a comment follows the words", "an empty line between sentences")
            expected = f"{len(table.columns)} ({' '.join(table.columns)}), separated by tabs"
            raise MalformedLine(path, line, f"the row has {plural(len(cells), 'column')}", expected)
        if "" in cells:
            found = f"the cell of {table.columns[cells.index('')]} is empty"
            raise MalformedLine(path, line, found, '"_" where there is nothing to say')


def _check_ids(path: Path, table: Table) -> None:
    """Words count from 1; a range `a-b` comes before its first word `a`; empty nodes `n.1`, `n.2` follow word `n`."""
    n_words = sum(cells[0].isdecimal() for cells in table.rows)
    word, empty_node, covered = 0, 0, 0
    for line, (identifier, *_) in enumerate(table.rows, start=table.first_row_line):
        if identifier == str(word + 1):
            word, empty_node = word + 1, 0
        elif identifier == f"{word}.{empty_node + 1}":
            empty_node += 1
        elif (end := _end_of_range(identifier, word + 1, n_words)) and covered <= word:
            covered = end
        else:
            found = f'ID is "{identifier}", and {word} words precede it'
            expected = f"{word + 1}, a range that starts with it and ends in the sentence, or {word}.{empty_node + 1}"
            raise MalformedLine(path, line, found, expected)


def _end_of_range(identifier: str, start: int, n_words: int) -> int | None:
    head, _, end = identifier.partition("-")
    ends = {str(n): n for n in range(start, n_words + 1)}
    return ends.get(end) if head == str(start) else None


def _check_heads(path: Path, table: Table) -> None:
    n_words = sum(cells[0].isdecimal() for cells in table.rows)
    allowed = {"_", *map(str, range(n_words + 1))}
    for line, cells in enumerate(table.rows, start=table.first_row_line):
        if cells[6] not in allowed:
            found = f'HEAD is "{cells[6]}", but the sentence has {n_words} words'
            raise MalformedLine(path, line, found, f'0 (root) to {n_words}, or "_"')
