"""Rows of cells separated by tabs: no quoting, no header, no comments; only a line feed ends a row."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from src.errors import MalformedLine
from src.formats.reading.lines import text_of
from src.formats.reading.malformed import OnMalformed
from src.formats.reading.other_kinds import resemblance


def read_cells(
    path: Path, lines: Iterable[tuple[int, bytes]], names: tuple[str, ...], on_malformed: OnMalformed, hint: str = ""
) -> Iterator[tuple[int, list[str]]]:
    """Splits lines at their tabs.

    Args:
        path: where the lines come from, for errors.
        lines: numbered, with their line feeds.
        names: of the columns, each of which every row has.
        on_malformed: called with every row that has another number of columns, an empty cell, or text that is not
            clean UTF-8; the row is left out unless it raises.
        hint: what is expected besides of rows with another number of columns, as the end of a sentence.

    Yields:
        The number of the line and its cells.
    """
    for line, content in lines:
        try:
            cells = text_of(path, line, content).split("\t")
            _check(path, line, cells, names, hint)
        except MalformedLine as place:
            on_malformed(place)
        else:
            yield line, cells


def _check(path: Path, line: int, cells: list[str], names: tuple[str, ...], hint: str) -> None:
    expected = f"{len(names)} columns ({', '.join(names)}), separated by tabs"
    if cells == [""]:
        raise MalformedLine(path, line, "the line is empty", expected)
    if len(cells) != len(names):
        like = resemblance(cells[0], len(names) - 1) if len(cells) == 1 else ""
        raise MalformedLine(path, line, f"the row has {len(cells)} columns{like}", expected + hint)
    if "" in cells:
        raise MalformedLine(path, line, f"the {names[cells.index('')]} is empty", expected)
