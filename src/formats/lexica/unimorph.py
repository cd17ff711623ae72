"""UniMorph inflection tables: a lemma, a form and a bundle of labels a line, separated by tabs.

    talo    talossa     N;IN+ESS;SG                     UniMorph 2.0
    talo    talossa     N|IN+ESS;SG     talo|ssa        segmented files of UniMorph 4.0

Every row has the number of columns that the first one has: a row with a fourth cell among rows of three is a bundle
with a tab, not a segmentation. Empty lines between paradigms are passed over. Bundles are kept as they stand
(`polyprobe.generation.unimorph.decoding` takes them apart), and so are blanks in forms (`anlıyor musun`).
"""

from collections.abc import Iterator
from pathlib import Path

from polyprobe.display.shown import plural
from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.lines import numbered_bytes, text_of
from polyprobe.formats.reading.malformed import Omission, OnMalformed

_COLUMNS = ("lemma", "form", "bundle", "segmentation")
_FEWEST = 3


def read_rows(path: Path, on_malformed: OnMalformed) -> Iterator[tuple[int, list[str]]]:
    """Reads the rows of a file as cells: files have millions of lines.

    Yields:
        The number of the line, from 1; lemma, form, bundle (`N;LOC;PL`) and, in segmented files, the form in morphemes
        (`talo|ssa`, `-` where none is known).

    Raises:
        MalformedLine: at an empty file and, where `on_malformed` raises, at the first row with another number of
            columns than the first row, an empty cell, or text that is not clean UTF-8.
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
