"""Named entities in columns: a token a row, sentences separated by empty lines. The caller says which column is which.

    1	Schartau	B-PER	O          columns: [number, token, tag, nested], separator: tab
    Paulo VMI I-LOC                 columns: [token, xpos, tag], separator: space

These may come between sentences, and are kept for writing: empty lines (also ones of tabs), `-DOCSTART-` lines, markup
such as `<BODY>` in a row whose other cells are empty (FiNER), and, where the first column is not the token, comments
whose first cell is `#` (GermEval). `<` or `#` in a row with a tag is a token.

Tags of a file are of one scheme, found by all of them: see `scheme_of`.
Several blanks in a row separate two cells as one does. Blanks at the edges of a tag or a token are no part of it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from polyprobe.display.shown import plural
from polyprobe.errors import BadValue, MalformedLine, check_choice
from polyprobe.formats.entities.span_tags import (
    BIO,
    TagScheme,
    scheme_of,
)
from polyprobe.formats.reading.cells import BLANKS, CellNotes, log_once
from polyprobe.formats.reading.lines import (
    UnwritableText,
    numbered_bytes,
    text_of,
    write_lines,
)
from polyprobe.formats.reading.malformed import Omission, OnMalformed
from polyprobe.formats.treebanks.labelled_words import LabelledWords

SEPARATORS = {"tab": "\t", "space": " "}
_LONGEST = 100  # words of the only sentence of a file
TOKEN, TAG = "token", "tag"


@dataclass(frozen=True, slots=True)
class ColumnFormat:
    """One dialect of the format."""

    separator: str = "tab"
    """Either "tab" or "space": one tab between two cells, or blanks."""
    columns: Sequence[str] = (TOKEN, TAG)
    """A name for each, among them once "token" and once "tag"; the others are kept and not looked at."""

    def __post_init__(self):
        check_choice("separator", self.separator, SEPARATORS)
        columns = self.columns if isinstance(self.columns, list | tuple) else []
        if any(columns.count(name) != 1 for name in (TOKEN, TAG)) or not all(isinstance(one, str) for one in columns):
            raise BadValue("columns", self.columns, 'a list of names of columns, "token" and "tag" once each')

    @property
    def token(self) -> int:
        """The column of the token, from 0."""
        return list(self.columns).index(TOKEN)

    @property
    def tag(self) -> int:
        """The column of the tag, from 0."""
        return list(self.columns).index(TAG)

    def cells(self, line: str) -> tuple[str, ...]:
        """Cuts a line at every tab, or at blanks."""
        return tuple(line.split("\t") if self.separator == "tab" else filter(None, line.split(" ")))

    def joined(self, cells: Iterable[str]) -> str:
        """Puts cells together again."""
        return SEPARATORS[self.separator].join(cells)


@dataclass(frozen=True, slots=True)
class EntitySentence:
    """A sentence with every cell and everything around it."""

    line: int
    """The line of the file with its first row."""
    before: tuple[str, ...]
    """Whole lines between the previous sentence and this one."""
    rows: tuple[tuple[str, ...], ...]
    """The cells as in the file. None: lines at the end of the file without a sentence after them."""
    after: tuple[str, ...]
    """The empty lines that end it."""
    format: ColumnFormat
    scheme: TagScheme = BIO
    """Of the tags of its file."""

    @property
    def words(self) -> tuple[str, ...]:
        """The tokens, in the spelling of the corpus."""
        tokens = (row[self.format.token] for row in self.rows)
        return tuple(token.strip(BLANKS) or token for token in tokens)

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags, as in the file."""
        return tuple(row[self.format.tag].strip(BLANKS) for row in self.rows)

    @property
    def labelled(self) -> LabelledWords:
        """The words with their tags, in whatever scheme the file has them, as B-, I- and O."""
        return LabelledWords(self.words, tuple(self.scheme.iob(self.tags)), self.line)


def read(path: Path, on_malformed: OnMalformed, layout: ColumnFormat) -> Iterator[EntitySentence]:
    """Reads sentences with all their columns. The empty line after the last sentence may be missing.

    Args:
        on_malformed: called with every malformed line; its sentence is left out unless it raises.

    Raises:
        MalformedLine: at an empty file and, where `on_malformed` raises, at the first row with another number of
            columns, an empty cell, a tab where blanks separate cells or a tag that is not of the scheme of the file,
            at a long file without an empty line, and at text that is not clean UTF-8. An I- that follows no B- is none
            of these: see `spans_of`.
    """
    rows = (layout.cells(content.decode("utf-8", "replace").rstrip("\r\n")) for _, content in numbered_bytes(path))
    tags = (cells[layout.tag].strip(BLANKS) for cells in rows if len(cells) >= len(layout.columns))
    scheme, notes = scheme_of(Counter(tags)), CellNotes(path)
    for group in _groups(path, layout, on_malformed):
        with Omission(on_malformed):
            yield _sentence(path, group, layout, scheme, notes)
    notes.log()


def entity_column_sentences(
    path: Path, on_malformed: OnMalformed, separator: str = "tab", columns: Sequence[str] = (TOKEN, TAG)
) -> Iterator[LabelledWords]:
    """Reads words with their tags as B-, I- and O; by default a token, a tab and its tag in each row. Errors as `read`.

    Args:
        separator, columns: see `ColumnFormat`.
    """
    for sentence in read(path, on_malformed, ColumnFormat(separator, columns)):
        if sentence.scheme is not BIO:
            log_once(f"{path}: the tags are {sentence.scheme.name}; the same spans are read as from B-, I- and O.")
        if sentence.rows:
            yield sentence.labelled


def write(sentences: Iterable[EntitySentence], path: Path) -> None:
    """Writes sentences, whole or not at all; what was read is written byte for byte."""
    write_lines(_lines(sentences), path)


class _Group(NamedTuple):
    """Undecoded lines: of a sentence, of what stands before it, and the empty ones that end it."""

    line: int
    """Of the first one."""
    before: list[bytes]
    rows: list[bytes]
    after: list[bytes]


def _groups(path: Path, layout: ColumnFormat, on_malformed: OnMalformed) -> Iterator[_Group]:
    group = _Group(1, [], [], [])
    for line, content in numbered_bytes(path):
        is_empty, is_row = _is_empty(content), _is_row(content, layout)
        if group.rows and (not is_empty if group.after else not (is_row or is_empty)):
            yield group
            group = _Group(line, [], [], [])
        part = group.rows if is_row else group.after if is_empty and group.rows else group.before
        part.append(content)
    if group.line == 1 and len(group.rows) > _LONGEST:
        with Omission(on_malformed):
            found = f"all of the file is one sentence of {len(group.rows):,} words"
            raise MalformedLine(path, 1, found, "an empty line after each sentence")
    else:
        yield group


def _is_empty(content: bytes) -> bool:
    """Whether a line ends a sentence, also one of a carriage return: it is refused later, but ends here."""
    return not content.strip(b"\t \r\n")


def _is_row(content: bytes, layout: ColumnFormat) -> bool:
    cells = content.rstrip(b"\r\n").split(SEPARATORS[layout.separator].encode())
    is_alone = 1 < len(cells) == len(layout.columns) and not any(cells[1:])
    is_markup = is_alone and cells[0].startswith(b"<") and cells[0].endswith(b">")
    is_comment = layout.token > 0 and cells[0] == b"#"
    is_document = layout.token < len(cells) and cells[layout.token] == b"-DOCSTART-"
    return not (_is_empty(content) or is_markup or is_comment or is_document)


def _sentence(path: Path, group: _Group, layout: ColumnFormat, scheme: TagScheme, notes: CellNotes) -> EntitySentence:
    contents = enumerate(chain(group.before, group.rows, group.after), start=group.line)
    lines = iter([text_of(path, line, content) for line, content in contents])
    before, of_rows, after = (tuple(islice(lines, len(part))) for part in (group.before, group.rows, group.after))
    start = group.line + len(before)
    rows = tuple(_row(line, text, layout, notes) for line, text in enumerate(of_rows, start=start))
    for line, cells in enumerate(rows, start=start):
        _check(path, line, cells, layout, scheme)
    return EntitySentence(start, before, rows, after, layout, scheme)


def _row(line: int, text: str, layout: ColumnFormat, notes: CellNotes) -> tuple[str, ...]:
    """Cuts a row, and counts what is not as it should be and yet plain."""
    cells = layout.cells(text)
    if layout.separator == "tab":
        notes.stripped(line, [cell for place, cell in enumerate(cells) if place in (layout.token, layout.tag)])
    elif len(cells) <= text.count(" "):
        notes.count("rows with several blanks between cells, or blanks at an end", line)
    return tuple(notes.fitted(line, cells, len(layout.columns)))


def _check(path: Path, line: int, cells: tuple[str, ...], layout: ColumnFormat, scheme: TagScheme) -> None:
    names = layout.columns
    if len(cells) != len(names):
        expected = f"{len(names)} columns ({', '.join(names)}), separated by {layout.separator}s"
        raise MalformedLine(
            path, line, f"the row has {plural(len(cells), 'column')}", f"{expected}{_other_layout(cells)}"
        )
    if "" in cells:
        raise MalformedLine(path, line, f"the {names[cells.index('')]} is empty", "text in every cell")
    if layout.separator == "space" and "\t" in "".join(cells):
        raise MalformedLine(path, line, "a cell has a tab", "either tabs or blanks between cells, in all rows")
    if not scheme.is_tag(cells[layout.tag].strip(BLANKS)):
        tags = '"O", or "B-" or "I-" and a type' if scheme is BIO else f"{scheme.name}, as in most rows"
        raise MalformedLine(path, line, f'the tag is "{cells[layout.tag]}"', tags)


def _other_layout(cells: tuple[str, ...]) -> str:
    """Says which options of the reader read a row with other columns."""
    blanks = cells[0].split(" ")
    separator, n_columns = ("space", len(blanks)) if len(cells) == 1 and len(blanks) > 1 else (None, len(cells))
    if n_columns < 2:
        return ""
    columns = ["token", *["…"] * (n_columns - 2), "tag"]
    options = ", ".join([*([f"separator: {separator}"] if separator else []), f"columns: [{', '.join(columns)}]"])
    return f"; of another layout: reader_options: {{{options}}}"


def _lines(sentences: Iterable[EntitySentence]) -> Iterator[str]:
    for one in sentences:
        layout = one.format
        yield from one.before
        for cells in one.rows:
            line = layout.joined(cells)
            if "" in cells or layout.cells(line) != cells or not _is_row(line.encode("utf-8", "replace"), layout):
                raise UnwritableText(f"The row {cells!r} would be read back otherwise.")
            yield line
        yield from one.after
