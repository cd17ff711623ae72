"""The one type of table, and its writers: terminal, CSV for spreadsheets, Markdown and HTML, LaTeX for papers.

Further CSV files are written here, too.
"""

import csv
import io
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from html import escape
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

from rich import box
from rich.console import Console, ConsoleOptions
from rich.measure import Measurement
from rich.table import Table as TerminalTable
from rich.text import Text

from polyprobe.display.shown import cell_of, leave_unread, say, short_path, shown
from polyprobe.display.terminal import Terminal
from polyprobe.formats.files.atomic import write_text
from polyprobe.runs.results import FEW_ITEMS

FEW_ITEMS_MARK, ONE_SEED_MARK = "*", "†"
BELOW = "↓"  # behind a score that its baseline beats
BEST = "•"  # before the best of a line
NOTHING = "-"  # what a cell without a number shows
WIDTH_OF_PIPES = 1000  # columns; tables take what they need
_LEFT, _RIGHT = "l", "r"
# What a cell of a column of numbers says: "50.0", "1,200", "59.1↓*+ ±2.3", "79.3 ±1.2 (75.1 to 83.0)".
_NUMBER = re.compile(
    rf"""(?P<value>{NOTHING}|[+-]?[0-9]+(,[0-9]{{3}})*(\.[0-9]+)?)
    (?P<marks>[{BELOW}{FEW_ITEMS_MARK}{ONE_SEED_MARK}]*[+-]?)
    (\ ±(?P<plus_minus>[0-9.]+))?
    (\ \((?P<low>-?[0-9.]+)\ to\ (?P<high>-?[0-9.]+)\))?""",
    re.VERBOSE,
)
_BESIDE = ("plus_minus", "low", "high", "marks")
_MARKDOWN = re.compile(r"([\\|*_`<>\[\]#~$&])")
_LATEX = {
    **{one: f"\\{one}" for one in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "[": "{[}",  # behind the end of a line it would begin an option
    "]": "{]}",
    "*": "{*}",  # likewise
    '"': r"\textquotedbl{}",
    "±": r"$\pm$",
    "†": r"$\dagger$",
    "↓": r"$\downarrow$",
    "•": r"\textbullet{}",
    "…": r"\ldots{}",
}


Cells = Mapping[str, Callable[[Any], Any]]
"""By the header of a column, what it says of the thing that a line is about."""
NO_CELLS: Cells = MappingProxyType({})


class Best(str):
    """A cell that is the best of its line: bold, and on the terminal behind a mark that pipes keep."""


@dataclass
class Table:
    """A table: columns of text at the left, of numbers at the right, a line above and lines below."""

    left: Sequence[str]
    """Headers of the columns of text, each a line."""
    right: Sequence[str] = ()
    """Headers of the columns of numbers, whose lines are our own."""
    rows: list[Sequence[Any]] = field(default_factory=list)
    """Of each line a cell for every column: what is printed, or for W&B the values themselves."""
    title: str = ""
    """The line above."""
    notes: Sequence[str] = ()
    """The lines below, which may be wider than the table."""
    last: Sequence[str] = ()
    """Headers of columns of text behind those of numbers."""
    folds: bool = False
    """Whether a terminal that is too narrow shows it in parts, one below the other; else cells break into lines."""

    @classmethod
    def of(
        cls, things: Iterable[Any], left: Cells, right: Cells = NO_CELLS, last: Cells = NO_CELLS, folds: bool = False
    ) -> Self:
        """Returns a table with a line for each thing."""
        cells = [*left.values(), *right.values(), *last.values()]
        return cls([*left], [*right], [[cell(one) for cell in cells] for one in things], last=[*last], folds=folds)

    def add_row(self, *cells: Any) -> None:
        """Adds a line."""
        self.rows.append([*cells])

    def titled(self, title: str, notes: Iterable[str] = ()) -> Self:
        """Returns the table with the line above and the lines below."""
        return replace(self, title=title, notes=[*notes])

    def with_notes(self, *notes: str) -> Self:
        """Returns the table with further lines below."""
        return replace(self, notes=[*self.notes, *notes])

    @property
    def header(self) -> list[str]:
        """Of each column a line."""
        return list(map(_one_line, (*self.left, *self.right, *self.last)))

    @property
    def sides(self) -> str:
        """Of each column "l" for text, at the left, "r" for numbers, at the right."""
        return _LEFT * len(self.left) + _RIGHT * len(self.right) + _LEFT * len(self.last)

    @property
    def lines(self) -> list[list[str]]:
        """The cells as files have them: each a line."""
        return [[type(cell)(_one_line(cell)) for cell in row] for row in self.rows]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[TerminalTable]:
        start, n_columns = 0, len(self.right) if self.folds else 0
        if not self.folds:
            yield self._part(0, len(self.right))
        while start < n_columns:
            end = start + 1
            while end < n_columns and self._width(start, end + 1, console, options) <= options.max_width:
                end += 1
            yield self._part(start, end)
            start = end

    def _width(self, start: int, end: int, console: Console, options: ConsoleOptions) -> int:
        unbounded = options.update(max_width=WIDTH_OF_PIPES**2)
        return Measurement.get(console, unbounded, self._part(start, end)).maximum

    def _part(self, start: int, end: int) -> TerminalTable:
        """Returns the table for the terminal with some of the columns of numbers."""
        table = TerminalTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
        for header in self.left:
            table.add_column(shown(header), overflow="fold")
        for header in self.right[start:end]:
            table.add_column(header, justify="right")
        for header in self.last:
            table.add_column(header, overflow="fold")
        n_left, n_numbers = len(self.left), len(self.left) + len(self.right)
        for row in self.rows:
            table.add_row(*map(_on_terminal, [*row[:n_left], *row[n_left:n_numbers][start:end], *row[n_numbers:]]))
        return table


Printable = Table | str  # what commands show: a line, too


def table_of_rows(rows: Iterable[Mapping[str, Any]], columns: Sequence[str], headers: Sequence[str] = ()) -> Table:
    """Returns rows of results as they are, with an empty cell where one lacks a column.

    Args:
        headers: of the first columns, where they are not the names of these.
    """
    return Table([*headers, *columns[len(headers) :]], rows=[[row.get(column) for column in columns] for row in rows])


def marked(cell: str, is_best: bool) -> str:
    """Marks the best of a line."""
    return Best(cell) if is_best else cell


def marks(has_few_items: bool, has_one_seed: bool) -> str:
    """Returns the marks of a number that rests on little; "" where it rests on many items and seeds."""
    return (FEW_ITEMS_MARK if has_few_items else "") + (ONE_SEED_MARK if has_one_seed else "")


def notes_on_marks(few: str | None, has_one_seed: bool) -> list[str]:
    """Explains the marks that a table has.

    Args:
        few: what some of its numbers rest on few of ("test items", "sets"); None where none does.
    """
    notes = [f"{FEW_ITEMS_MARK} fewer than {FEW_ITEMS} {few}."] if few else []
    return [*notes, f"{ONE_SEED_MARK} single seed."] if has_one_seed else notes


def show(things: Iterable[Printable]) -> None:
    """Prints tables and lines to standard output, each as it comes; into a pipe without colours and at full width.

    Where its reader has gone, as in `… | head`, all is computed and written to files even so.
    """
    is_terminal = sys.stdout.isatty()
    console = Terminal(force_terminal=is_terminal, width=None if is_terminal else WIDTH_OF_PIPES)
    for one in things:
        try:
            _show(one, console)
        except BrokenPipeError:
            leave_unread()


def _show(one: Printable, console: Terminal) -> None:
    if isinstance(one, str):
        say(one)
        return
    console.print(shown(one.title), style="bold")
    console.print(one)
    for note in one.notes:
        console.print(shown(note))
    console.print()


def write_tables(stem: Path, tables: Sequence[Table]) -> list[Path]:
    """Writes tables as `<stem>.csv`, `.md` and `.tex`, into a folder that may be new; returns these files.

    Markdown and LaTeX have all tables in one file; of CSV the first table has the name of the stem, and each other one
    that of its title, too.
    """
    names = _csv_names(stem.name, tables)
    files = [write_file(stem.with_name(name), csv_text(table)) for name, table in zip(names, tables, strict=True)]
    return [*files, *write_texts(stem, tables)]


def write_texts(stem: Path, tables: Sequence[Table]) -> list[Path]:
    """Writes tables as `<stem>.md` and `<stem>.tex`; returns these files."""
    written = {"md": "\n".join(map(markdown_text, tables)), "tex": latex_texts(tables)}
    return [write_file(stem.with_name(f"{stem.name}.{ending}"), text) for ending, text in written.items()]


def latex_texts(tables: Sequence[Table]) -> str:
    """Writes tables as LaTeX, the labels of all but the first with its title before their own."""
    labels = [f"{tables[0].title} {number}" if number else "" for number in range(len(tables))]
    return "\n".join(map(latex_text, tables, labels))


def files_line(files: Sequence[Path]) -> str:
    """Says in a line where the files of tables are: "table     pictures/probing.csv, probing.md, probing.tex"."""
    first, *others = files
    return f"table     {', '.join([short_path(first), *(file.name for file in others)])}"


def picture_lines(files: Iterable[Path]) -> list[str]:
    """Says where pictures are, a line each."""
    return [f"picture   {short_path(file)}" for file in files]


def csv_text(table: Table) -> str:
    """Writes header and rows: in columns of numbers a plain number or nothing, marks of the best left out.

    What stands behind the numbers of a column has columns of its own, where there is any: `<column>_plus_minus` (half
    the interval, or the deviation over seeds, as the notes say), `_low` and `_high` (of the interval), `_marks`.
    """
    columns = list(zip(*table.lines, strict=True)) or [() for _ in table.header]
    of_all = [_csv_columns(*column) for column in zip(table.header, table.sides, columns, strict=True)]
    header, written = zip(*(column for of_one in of_all for column in of_one), strict=True)
    return "".join(map(csv_line, (header, *zip(*written, strict=True))))


def _csv_columns(name: str, side: str, cells: Sequence[str]) -> list[tuple[str, list[str]]]:
    found = [_NUMBER.fullmatch(cell) if side == _RIGHT else None for cell in cells]
    values = [cell if one is None else one["value"].replace(",", "") for cell, one in zip(cells, found, strict=True)]
    in_words = {"+": "better", "-": "worse"}  # a spreadsheet would take the signs for the start of a formula
    beside = {part: [(one and one[part]) or "" for one in found] for part in _BESIDE}
    return [
        (name, ["" if value == NOTHING else value for value in values]),
        *((f"{name}_{part}", [in_words.get(one, one) for one in ones]) for part, ones in beside.items() if any(ones)),
    ]


def markdown_text(table: Table) -> str:
    """Writes a title in bold, a table and its notes as a list; the best of a line is bold."""
    rules = [{_LEFT: ":---", _RIGHT: "---:"}[side] for side in table.sides]
    rows = [
        [f"**{_markdown(cell)}**" if isinstance(cell, Best) else _markdown(cell) for cell in row] for row in table.lines
    ]
    lines = [f"| {' | '.join(cells)} |" for cells in ([*map(_markdown, table.header)], rules, *rows)]
    notes = [f"- {_markdown(note)}" for note in notes_of_files(table)]
    return "\n".join([f"**{_markdown(table.title)}**", "", *lines, "", *notes, *([""] if notes else [])])


def latex_text(table: Table, first: str = "") -> str:
    """Writes a table of the package booktabs, the title its caption, the notes below in small print.

    Args:
        first: what the label begins with where this is not the first table of its file.
    """
    rows = [
        [f"\\textbf{{{latex(cell)}}}" if isinstance(cell, Best) else latex(cell) for cell in row] for row in table.lines
    ]
    notes = [f"  {latex(note)}\\par" for note in notes_of_files(table)]
    lines = [
        "% needs \\usepackage{booktabs} and, before 2018, \\usepackage[utf8]{inputenc}",
        "\\begin{table}",
        "  \\centering",
        f"  \\caption{{{latex(table.title)}}}",
        f"  \\label{{tab:{_label(f'{first} {table.title}')}}}",
        f"  \\begin{{tabular}}{{{table.sides}}}",
        "    \\toprule",
        _latex_row(map(latex, table.header)),
        "    \\midrule",
        *map(_latex_row, rows),
        "    \\bottomrule",
        "  \\end{tabular}",
        *(["", "  \\footnotesize", *notes] if notes else []),
        "\\end{table}",
    ]
    return "\n".join(lines) + "\n"


def html_text(table: Table) -> str:
    """Writes a table of HTML without style of its own, but for numbers at the right; the best of a line is bold."""
    aligned = [{_LEFT: "", _RIGHT: ' style="text-align: right"'}[side] for side in table.sides]

    def row(tag: str, cells: Iterable[str]) -> str:
        parts = (f"<{tag}{style}>{_html(cell)}</{tag}>" for cell, style in zip(cells, aligned, strict=True))
        return f"<tr>{''.join(parts)}</tr>"

    lines = [
        f"<caption>{_html(table.title)}</caption>",
        f"<thead>{row('th', table.header)}</thead>",
        "<tbody>",
        *(row("td", line) for line in table.lines),
        "</tbody>",
    ]
    notes = [f"<p><small>{_html(note)}</small></p>" for note in notes_of_files(table)]
    return "\n".join(["<table>", *lines, "</table>", *notes]) + "\n"


def _html(text: str) -> str:
    written = escape(shown(text))
    return f"<b>{written}</b>" if isinstance(text, Best) else written


def _on_terminal(cell: Any) -> Text | str:
    """Returns a cell in which nothing breaks a line: its text comes from files."""
    return Text(BEST + cell, style="bold") if isinstance(cell, Best) else shown(cell)


def _one_line(text: str) -> str:
    lines = re.sub(r"\n+\(", " (", text).split("\n")  # a unit below its header
    return shown(", ".join(filter(None, lines)))


def notes_of_files(table: Table) -> list[str]:
    """Returns the notes as files have them that show the best in bold."""
    return [re.sub(f"^{BEST} ", "Bold: ", note) for note in table.notes]


def _csv_names(first: str, tables: Sequence[Table]) -> list[str]:
    names: list[str] = []
    for number, table in enumerate(tables):
        subject = re.sub(r"\W+", "_", re.split(r"[:(]", table.title)[0]).strip("_").lower()
        name = f"{first}-{subject}" if number else first
        names.append(f"{name}-{number + 1}" if name in names else name)
    return [f"{name}.csv" for name in names]


def _label(title: str) -> str:
    """Returns what a table is referred to by: its title in small letters, digits and hyphens."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


def _markdown(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", shown(text))


def latex(text: str) -> str:
    """Writes text so that LaTeX shows it as it is."""
    return "".join(_LATEX.get(one, one) for one in shown(text))


def _latex_row(cells: Iterable[str]) -> str:
    return f"    {' & '.join(cells)} \\\\"


def write_table(path: Path, header: Sequence[str], rows: Iterable[Sequence]) -> Path:
    """Writes a header and rows, makes the folder if it is new, returns the path; no text is a formula (`cell_of`)."""
    return write_file(path, "".join(map(csv_line, (header, *rows))))


def csv_line(row: Iterable[Any]) -> str:
    """Returns a row of a CSV file with its line feed."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow(map(cell_of, row))  # with these a lone return is quoted, too
    return text.getvalue().removesuffix("\r\n") + "\n"


def shown_cells(row: Iterable[Any]) -> list[Any]:
    """Returns cells of a table that people look at on a terminal, too: text in them steers none (`shown`)."""
    return [shown(cell) if isinstance(cell, str) else cell for cell in row]


def write_records(path: Path, kind: type, records: Iterable[Any]) -> Path:
    """Writes data classes of a kind, a row each, a column for every field; None and NaN are left empty."""
    names = [field.name for field in fields(kind)]
    rows = ([empty_where_none(getattr(record, name)) for name in names] for record in records)
    return write_table(path, names, rows)


def write_file(path: Path, text: str) -> Path:
    """Writes a text file into a folder that may be new, and returns its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, text)
    return path


def empty_where_none(value: Any) -> Any:
    """Returns what a cell of a CSV file holds: nothing for None and NaN."""
    return "" if value is None or value != value else value
