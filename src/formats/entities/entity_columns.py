"""Named entities in columns: a token a row, sentences separated by empty lines. The caller says which column is which.

    1	Schartau	B-PER	O          columns: [number, token, tag, nested], separator: tab
    Paulo VMI I-LOC                 columns: [token, xpos, tag], separator: space

These may come between sentences: empty lines (also ones of tabs), `-DOCSTART-` lines, markup such as `<BODY>` in a row
whose other cells are empty (FiNER), and, where the first column is not the token, comments whose first cell is `#`
(GermEval). `<` or `#` in a row with a tag is a token.

Tags of a file are of one scheme, found by all of them: see `scheme_of`.
Several blanks in a row separate two cells as one does. Blanks at the edges of a tag or a token are no part of it.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from polyprobe.display.shown import plural
from polyprobe.errors import BadValue, MalformedLine, check_choice
from polyprobe.formats.entities.span_tags import BIO, TagScheme, scheme_of
from polyprobe.formats.reading.cells import BLANKS, CellNotes, log_once
from polyprobe.formats.reading.lines import numbered_bytes, text_of
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
    """A name for each, among them once "token" and once "tag"; the others are not looked at."""

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


def entity_column_sentences(
    path: Path, on_malformed: OnMalformed, separator: str = "tab", columns: Sequence[str] = (TOKEN, TAG)
) -> Iterator[LabelledWords]:
    """Reads words with their tags as B-, I- and O; by default a token, a tab and its tag in each row.

    The empty line after the last sentence may be missing.

    Args:
        on_malformed: called with every malformed line; its sentence is left out unless it raises.
        separator, columns: see `ColumnFormat`.

    Raises:
        MalformedLine: at an empty file and, where `on_malformed` raises, at the first row with another number of
            columns, an empty cell, a tab where blanks separate cells or a tag that is not of the scheme of the file,
            at a long file without an empty line, and at text that is not clean UTF-8. An I- that follows no B- is none
            of these: see `spans_of`.
    """
    layout, notes = ColumnFormat(separator, columns), CellNotes(path)
    scheme = scheme_of(_tag_counts(path, layout))
    for group in _groups(path, layout):
        with Omission(on_malformed):
            if rows := _rows(path, group, layout, scheme, notes):
                if scheme is not BIO:
                    log_once(f"{path}: the tags are {scheme.name}; the same spans are read as from B-, I- and O.")
                tokens = (row[layout.token] for _, row in rows)
                tags = scheme.iob(row[layout.tag].strip(BLANKS) for _, row in rows)
                yield LabelledWords(tuple(token.strip(BLANKS) or token for token in tokens), tuple(tags), rows[0][0])
    notes.log()


def _tag_counts(path: Path, layout: ColumnFormat) -> Counter[str]:
    """Counts the tags of a file; of its bytes, only the different ones are decoded."""
    sign = SEPARATORS[layout.separator].encode()
    cells = (content.rstrip(b"\r\n").split(sign) for _, content in numbered_bytes(path))
    if layout.separator == "space":
        cells = (list(filter(None, row)) for row in cells)
    raw = Counter(row[layout.tag] for row in cells if len(row) >= len(layout.columns))
    counts = Counter()
    for tag, n in raw.items():
        counts[tag.decode("utf-8", "replace").strip(BLANKS)] += n
    return counts


@dataclass(slots=True)
class _Group:
    """The undecoded lines of a sentence, after what stands before it."""

    line: int
    """Of the first one."""
    contents: list[bytes]
    n_rows: int = 0
    """So many of the last lines are rows; 0: lines at the end of the file without a sentence after them."""
    is_last: bool = False
    """Of the file."""


def _groups(path: Path, layout: ColumnFormat) -> Iterator[_Group]:
    group = _Group(1, [])
    for line, content in numbered_bytes(path):
        is_row = _is_row(content, layout)
        if group.n_rows and not is_row:
            yield group
            group = _Group(line, [])
        group.contents.append(content)
        group.n_rows += is_row
    group.is_last = True
    yield group


def _is_row(content: bytes, layout: ColumnFormat) -> bool:
    cells = content.rstrip(b"\r\n").split(SEPARATORS[layout.separator].encode())
    is_empty = not content.strip(b"\t \r\n")
    is_alone = 1 < len(cells) == len(layout.columns) and not any(cells[1:])
    is_markup = is_alone and cells[0].startswith(b"<") and cells[0].endswith(b">")
    is_comment = layout.token > 0 and cells[0] == b"#"
    is_document = layout.token < len(cells) and cells[layout.token] == b"-DOCSTART-"
    return not (is_empty or is_markup or is_comment or is_document)


def _rows(
    path: Path, group: _Group, layout: ColumnFormat, scheme: TagScheme, notes: CellNotes
) -> list[tuple[int, tuple[str, ...]]]:
    """Returns the rows of a sentence as cells, each with the number of its line."""
    if group.line == 1 and group.is_last and group.n_rows > _LONGEST:
        found = f"all of the file is one sentence of {group.n_rows:,} words"
        raise MalformedLine(path, 1, found, "an empty line after each sentence")
    lines = [(line, text_of(path, line, content)) for line, content in enumerate(group.contents, start=group.line)]
    of_rows = lines[len(lines) - group.n_rows :]
    rows = [(line, _cells(line, text, layout, notes)) for line, text in of_rows]
    for line, cells in rows:
        _check(path, line, cells, layout, scheme)
    return rows


def _cells(line: int, text: str, layout: ColumnFormat, notes: CellNotes) -> tuple[str, ...]:
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
