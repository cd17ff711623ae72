"""Prints tables on the terminal; into a pipe without colours and at their full width."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from rich import box
from rich.console import Console, ConsoleOptions, RenderableType
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from src.display.shown import shown
from src.display.terminal import Terminal

BEST = "•"  # before the best of a line
WIDTH_OF_PIPES = 1000  # columns; tables take what they need
Cell = str | Text


class CellTable(Table):
    """A table in whose cells nothing breaks a line: their text comes from files."""

    def add_row(self, *cells: RenderableType | None, **settings: Any) -> None:
        super().add_row(*(shown(cell) if isinstance(cell, str) else cell for cell in cells), **settings)


@dataclass
class FoldedTable:
    """A table that falls into several, one below the other, where the terminal is too narrow for all its columns.

    Attributes:
        left: header of the text column, which every part has.
        right: headers of the number columns.
        rows: the cells, one more than `right` has headers.
    """

    left: str
    right: Sequence[str]
    rows: list[Sequence[Cell]] = field(default_factory=list)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Table]:
        start = 0
        while start < len(self.right):
            end = start + 1
            while end < len(self.right) and self._width(start, end + 1, console, options) <= options.max_width:
                end += 1
            yield self._part(start, end)
            start = end

    def _width(self, start: int, end: int, console: Console, options: ConsoleOptions) -> int:
        unbounded = options.update(max_width=WIDTH_OF_PIPES**2)
        return Measurement.get(console, unbounded, self._part(start, end)).maximum

    def _part(self, start: int, end: int) -> Table:
        table = new_table([self.left], self.right[start:end])
        for first, *others in self.rows:
            table.add_row(first, *others[start:end])
        return table


@dataclass
class TitledTable:
    """A table, the line above it and the lines below it, which may be wider than the table.

    Attributes:
        title: the line above.
        body: the table.
        notes: the lines below.
    """

    title: str
    body: RenderableType
    notes: list[str] = field(default_factory=list)


def show(*tables: TitledTable) -> None:
    """Prints tables to standard output."""
    is_terminal = sys.stdout.isatty()
    width = None if is_terminal else WIDTH_OF_PIPES
    console = Terminal(force_terminal=is_terminal, width=width)
    for table in tables:
        console.print(shown(table.title), style="bold")
        console.print(table.body)
        for note in table.notes:
            console.print(shown(note))
        console.print()


def new_table(left: Sequence[str], right: Sequence[str]) -> Table:
    """Makes an empty table with text columns on the left and number columns on the right.

    Args:
        left: headers, each a line.
        right: headers, whose lines are our own.
    """
    table = CellTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for header in left:
        table.add_column(shown(header), overflow="fold")
    for header in right:
        table.add_column(header, justify="right")
    return table
