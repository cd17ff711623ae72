"""UniMorph inflection tables: a lemma, a form and a bundle of labels a line, separated by tabs.

    talo    talossa     N;IN+ESS;SG                     UniMorph 2.0
    talo    talossa     N|IN+ESS;SG     talo|ssa        segmented files of UniMorph 4.0

Every row has the number of columns that the first one has: a row with a fourth cell among rows of three is a bundle
with a tab, not a segmentation. Empty lines between paradigms are passed over. Bundles are kept as they stand
(`polyprobe.generation.unimorph.decoding` takes them apart), and so are blanks in forms (`anlıyor musun`).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from polyprobe.display.shown import plural
from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.lines import cells_to_line, numbered_bytes, text_of, write_lines
from polyprobe.formats.reading.malformed import Omission, OnMalformed

_COLUMNS = ("lemma", "form", "bundle", "segmentation")
_FEWEST = 3


@dataclass(frozen=True, slots=True)
class Triple:
    """A form of a lemma."""

    line: int
    """Its line of the file, from 1."""
    lemma: str
    form: str
    bundle: str
    """The labels, as written (`N;LOC;PL`)."""
    segmentation: str | None = None
    """The form in morphemes as UniMorph 4.0 writes it (`talo|ssa`, `-` where none is known); None in files without such
    a column.
    """


def read(path: Path, on_malformed: OnMalformed) -> Iterator[Triple]:
    """Reads the triples of a file.

    Raises:
        MalformedLine: at an empty file and, where `on_malformed` raises, at the first row with another number of
            columns than the first row, an empty cell, or text that is not clean UTF-8.
    """
    for line, cells in read_rows(path, on_malformed):
        yield Triple(line, *cells)


def read_rows(path: Path, on_malformed: OnMalformed) -> Iterator[tuple[int, list[str]]]:
    """Reads as `read`, as cells: what files of millions of lines are read by.

    Yields:
        The number of the line; lemma, form, bundle and, in some files, segmentation.
    """
    n_columns, omission = 0, Omission(on_malformed)
    for line, content in numbered_bytes(path):
        if content == b"\n":
            continue
        with omission:
            cells = text_of(path, line, content).split("\t")
            if len(cells) != n_columns or "" in cells:
                _check(path, line, cells, n_columns)
            n_columns = len(cells)
            yield line, cells


def write(triples: Iterable[Triple], path: Path) -> None:
    """Writes triples, whole or not at all; what was read is written byte for byte, but for empty lines."""
    rows = ((one.lemma, one.form, one.bundle, one.segmentation) for one in triples)
    write_lines((cells_to_line(cells[:3] if cells[3] is None else cells) for cells in rows), path)


def _check(path: Path, line: int, cells: list[str], n_columns: int) -> None:
    """Checks a row against the number of columns of the rows before it; 0 where it is the first."""
    names = _COLUMNS[: n_columns or _FEWEST]
    expected = f"{len(names)} columns ({', '.join(names)}), separated by tabs"
    if n_columns == 0:
        expected = f"{expected}, or 4 with a segmentation,"
    elif n_columns == _FEWEST and len(cells) > n_columns:
        expected = f"{expected}, as in the rows before (a bundle has no tab),"
    if len(cells) != n_columns and not (n_columns == 0 and len(cells) in (_FEWEST, len(_COLUMNS))):
        raise MalformedLine(path, line, f"the row has {plural(len(cells), 'column')}", expected.removesuffix(","))
    if "" in cells:
        raise MalformedLine(path, line, f"the {_COLUMNS[cells.index('')]} is empty", expected.removesuffix(","))
