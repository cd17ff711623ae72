"""CoNLL-U and CoNLL-U Plus, kept whole: comments, multiword ranges, empty nodes and every column.

Described at https://universaldependencies.org/format.html and https://universaldependencies.org/ext-format.html.
"""

import logging
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice, takewhile
from operator import attrgetter
from pathlib import Path
from typing import Generic, TypeVar

from polyprobe.display.shown import plural
from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.cells import Block, CellNotes, blocks, cut_cells
from polyprobe.formats.reading.malformed import Omission, OnMalformed

_log = logging.getLogger(__name__)

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_MOST_LINES = 10_000  # of a first sentence that are looked at for its columns
_NAMED = re.compile(r"#\s*global\.columns\s*=\s*(.*)")

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
    """Reads CoNLL-U, or CoNLL-U Plus with the columns ID, FORM and others of CoNLL-U, in any order.

    Cells stay as in the file, but for empty last ones, which are left out. Columns beyond those of CoNLL-U are kept as
    `extra`, whether a comment names them or every row of the first sentence has them; of those that a file lacks, cells
    are "_".

    Yields:
        Sentences in the order of the file, one in memory at a time.

    Raises:
        MalformedLine: at other columns and, where `on_malformed` raises, at the first row with too few or too many
            cells, an empty cell, an ID out of order, a HEAD that is not an integer of 0 to the number of words (or
            `_`), at a sentence without row, and at text that is not clean UTF-8.
    """
    for table in read_tables(path, on_malformed):
        columns = table.columns
        if columns[0] != "ID" or "FORM" not in columns or len({*columns} & {*COLUMNS}) < 3:
            found = f"the columns are {' '.join(columns)}"
            raise MalformedLine(path, table.line, found, f"ID, FORM and others of {' '.join(COLUMNS)}")
        with Omission(on_malformed):
            sentence = replace(table, rows=tuple(_row(cells, columns) for cells in table.rows))
            _check_heads(path, sentence)
            yield sentence


def read_stripped(path: Path, on_malformed: OnMalformed) -> Iterator[ConlluSentence]:
    """Reads as `read`, without blanks at the edges of cells, which are no part of a word or a label; they are counted.

    A FORM of blanks alone stays.
    """
    notes = CellNotes(path)
    for sentence in read(path, on_malformed):
        rows = enumerate(sentence.rows, start=sentence.first_row_line)
        yield replace(sentence, rows=tuple(_stripped(line, row, notes) for line, row in rows))
    notes.log()


def _stripped(line: int, row: Row, notes: CellNotes) -> Row:
    text = "".join(row.cells)
    if text.split() == [text] and "\u200b" not in text and "\ufeff" not in text:  # most rows have no blank at all
        return row
    kept = notes.stripped(line, row.cells)
    return Row(kept[0], kept[1] or row.form, *(cell or "_" for cell in kept[2:10]), tuple(kept[10:]))


def _row(cells: tuple[str, ...], columns: tuple[str, ...]) -> Row:
    if columns[:10] == COLUMNS:
        return Row(*cells[:10], cells[10:])
    named = {name.lower(): cell for name, cell in zip(columns, cells, strict=True) if name in COLUMNS}
    return Row(**named, extra=tuple(c for name, c in zip(columns, cells, strict=True) if name not in COLUMNS))


def read_tables(path: Path, on_malformed: OnMalformed) -> Iterator[Table]:
    """Reads CoNLL-U Plus with any columns, the ID first; checks all that `read` checks but the HEAD."""
    columns, notes = _columns(path), CellNotes(path)
    for block in blocks(path, on_malformed):
        with Omission(on_malformed):
            yield _table(path, block, columns, notes)
    notes.log()


def cells_of(row: Row | tuple[str, ...], columns: tuple[str, ...] = COLUMNS) -> tuple[str, ...]:
    """Returns the cells of a row of any kind, in the order of its columns."""
    if not isinstance(row, Row) or columns[:10] == COLUMNS:
        return row if isinstance(row, tuple) else row.cells
    others = iter(row.extra)
    return tuple(getattr(row, name.lower()) if name in COLUMNS else next(others) for name in columns)


def comment_value(comments: Iterable[str], key: str) -> str | None:
    """The value of the comment `# key = value`, None where there is none."""
    prefix = f"# {key} = "
    return next((comment.removeprefix(prefix) for comment in comments if comment.startswith(prefix)), None)


def named_columns(lines: Iterable[str]) -> tuple[str, ...] | None:
    """Returns the columns that a comment at the start of CoNLL-U Plus names; None where none does."""
    for line in takewhile(lambda line: line.startswith("#"), lines):
        if found := _NAMED.match(line):
            return tuple(found[1].split())
    return None


def _columns(path: Path) -> tuple[str, ...]:
    """Reads the columns from the first sentence: they hold for the file, even if that sentence is skipped."""
    with open(path, encoding="utf-8-sig", errors="replace") as file:
        first = list(islice(takewhile(str.strip, file), _MOST_LINES))
    if names := named_columns(first):
        return names
    widths = {len(cut_cells(line, "\t")) for line in first if not line.startswith("#")}
    further = range(len(COLUMNS) + 1, widths.pop() + 1) if len(widths) == 1 else ()
    return (*COLUMNS, *(f"COLUMN{number}" for number in further))


def _table(path: Path, block: Block, columns: tuple[str, ...], notes: CellNotes) -> Table:
    n_comments = next((n for n, line in enumerate(block.lines) if not line.startswith("#")), len(block.lines))
    first_line, last_line = block.line + n_comments, block.line + len(block.lines) - 1
    if n_comments == len(block.lines):
        raise MalformedLine(path, last_line, "the sentence has comments and no row", "at least one row")
    cut = (line.split("\t") for line in block.lines[n_comments:])
    rows = tuple(tuple(notes.fitted(line, cells, len(columns))) for line, cells in enumerate(cut, start=first_line))
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
            found += ": no empty line ends the sentence before" if identifier == "1" else ""
            expected = f"{word + 1}, a range that starts with it and ends in the sentence, or {word}.{empty_node + 1}"
            raise MalformedLine(path, line, found, expected)


def _end_of_range(identifier: str, start: int, n_words: int) -> int | None:
    head, _, end = identifier.partition("-")
    ends = {str(n): n for n in range(start, n_words + 1)}
    return ends.get(end) if head == str(start) else None


def _check_heads(path: Path, sentence: ConlluSentence) -> None:
    n_words = len(sentence.words)
    allowed = {"_", *map(str, range(n_words + 1))}
    for line, row in enumerate(sentence.rows, start=sentence.first_row_line):
        if row.head not in allowed:
            found = f'HEAD is "{row.head}", but the sentence has {n_words} words'
            raise MalformedLine(path, line, found, f'0 (root) to {n_words}, or "_"')
