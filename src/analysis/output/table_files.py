"""Writes tables as files: CSV for spreadsheets, Markdown for notes, LaTeX (booktabs) for papers."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table
from rich.text import Text

from src.analysis.output.csv_files import csv_line, write_file
from src.analysis.output.marks import BELOW, FEW_ITEMS_MARK, ONE_SEED_MARK
from src.analysis.output.terminal_tables import BEST, FoldedTable, TitledTable
from src.display.short_paths import short_path
from src.display.shown import say, shown

NOTHING = "-"  # what a cell without a number shows
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


@dataclass(frozen=True, slots=True)
class PlainCell:
    """The text of a cell, and whether it is the best of its line."""

    text: str
    is_best: bool = False


@dataclass(frozen=True, slots=True)
class PlainTable:
    """A table of nothing but text.

    Attributes:
        title: the line above.
        header: of each column.
        sides: of each column "l" for text at the left, "r" for numbers at the right.
        rows: a cell for each column.
        notes: the lines below.
    """

    title: str
    header: Sequence[str]
    sides: str
    rows: Sequence[Sequence[PlainCell]]
    notes: Sequence[str]


def write_tables(stem: Path, tables: Sequence[TitledTable]) -> list[Path]:
    """Writes tables as `<stem>.csv`, `.md` and `.tex`, into a folder that may be new.

    Markdown and LaTeX have all tables in one file; of CSV the first table has the name of the stem, and each other one
    that of its title, too.

    Returns:
        The files written.
    """
    plain = [plain_table(table) for table in tables]
    names = _csv_names(stem.name, plain)
    files = [write_file(stem.with_name(name), csv_text(table)) for name, table in zip(names, plain, strict=True)]
    return [*files, *write_texts(stem, tables)]


def write_texts(stem: Path, tables: Sequence[TitledTable]) -> list[Path]:
    """Writes tables as `<stem>.md` and `<stem>.tex`; returns these files."""
    plain = [plain_table(table) for table in tables]
    of_latex = [latex_text(table, f"{plain[0].title} {number}" if number else "") for number, table in enumerate(plain)]
    written = {"md": map(markdown_text, plain), "tex": of_latex}
    return [write_file(stem.with_name(f"{stem.name}.{ending}"), "\n".join(texts)) for ending, texts in written.items()]


def say_files(files: Sequence[Path]) -> None:
    """Says in a line where the files of tables are: "table     pictures/probing.csv, probing.md, probing.tex"."""
    first, *others = files
    say(f"table     {', '.join([short_path(first), *(file.name for file in others)])}")


def plain_table(table: TitledTable) -> PlainTable:
    """Takes the text out of a table for the terminal."""
    if isinstance(table.body, FoldedTable):
        header, sides = [table.body.left, *table.body.right], _LEFT + _RIGHT * len(table.body.right)
        rows = table.body.rows
    else:
        assert isinstance(table.body, Table), type(table.body)
        columns = table.body.columns
        header = [str(column.header) for column in columns]
        sides = "".join(_RIGHT if column.justify == "right" else _LEFT for column in columns)
        rows = list(zip(*(column.cells for column in columns), strict=True))
    cells = [[_plain_cell(cell) for cell in row] for row in rows]
    notes = [re.sub(f"^{BEST} ", "Bold: ", note) for note in table.notes]  # as Markdown and LaTeX show the best
    return PlainTable(table.title, [_one_line(name) for name in header], sides, cells, notes)


def csv_text(table: PlainTable) -> str:
    """Writes header and rows: in columns of numbers a plain number or nothing, marks of the best left out.

    What stands behind the numbers of a column has columns of its own, where there is any: `<column>_plus_minus` (half
    the interval, or the deviation over seeds, as the notes say), `_low` and `_high` (of the interval), `_marks`.
    """
    columns = [[cell.text for cell in column] for column in zip(*table.rows, strict=True)] or [[] for _ in table.header]
    of_all = [_csv_columns(*column) for column in zip(table.header, table.sides, columns, strict=True)]
    header, written = zip(*(column for of_one in of_all for column in of_one), strict=True)
    return "".join(map(csv_line, (header, *zip(*written, strict=True))))


def _csv_columns(name: str, side: str, cells: Sequence[str]) -> list[tuple[str, list[str]]]:
    found = [_NUMBER.fullmatch(cell) if side == _RIGHT else None for cell in cells]
    values = [cell if one is None else one["value"].replace(",", "") for cell, one in zip(cells, found, strict=True)]
    beside = {part: [_in_words((one and one[part]) or "") for one in found] for part in _BESIDE}
    return [
        (name, ["" if value == NOTHING else value for value in values]),
        *((f"{name}_{part}", of_part) for part, of_part in beside.items() if any(of_part)),
    ]


def _in_words(beside: str) -> str:
    """Names the marks that a spreadsheet would take for the start of a formula."""
    return {"+": "better", "-": "worse"}.get(beside, beside)


def markdown_text(table: PlainTable) -> str:
    """Writes a title in bold, a table and its notes as a list; the best of a line is bold."""
    rules = [{_LEFT: ":---", _RIGHT: "---:"}[side] for side in table.sides]
    rows = [map(_markdown_cell, row) for row in table.rows]
    lines = map(_markdown_row, [map(_markdown, table.header), rules, *rows])
    notes = [f"- {_markdown(note)}" for note in table.notes]
    return "\n".join([f"**{_markdown(table.title)}**", "", *lines, "", *notes, *([""] if notes else [])])


def latex_text(table: PlainTable, first: str = "") -> str:
    """Writes a table of the package booktabs, the title its caption, the notes below in small print.

    Args:
        table: what is written.
        first: what the label begins with where this is not the first table of its file.
    """
    rows = [_latex_row(map(_latex_cell, row)) for row in table.rows]
    notes = [f"  {_latex(note)}\\par" for note in table.notes]
    lines = [
        "% needs \\usepackage{booktabs} and, before 2018, \\usepackage[utf8]{inputenc}",
        "\\begin{table}",
        "  \\centering",
        f"  \\caption{{{_latex(table.title)}}}",
        f"  \\label{{tab:{_label(f'{first} {table.title}')}}}",
        f"  \\begin{{tabular}}{{{table.sides}}}",
        "    \\toprule",
        _latex_row(map(_latex, table.header)),
        "    \\midrule",
        *rows,
        "    \\bottomrule",
        "  \\end{tabular}",
        *(["", "  \\footnotesize", *notes] if notes else []),
        "\\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _label(title: str) -> str:
    """Returns what a table is referred to by: its title in small letters, digits and hyphens."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


def _plain_cell(cell: object) -> PlainCell:
    text = cell.plain if isinstance(cell, Text) else str(cell)
    is_best = isinstance(cell, Text) and text.startswith(BEST)
    return PlainCell(_one_line(text.removeprefix(BEST) if is_best else text), is_best)


def _one_line(text: str) -> str:
    return shown(", ".join(part for part in text.split("\n") if part))


def _csv_names(first: str, tables: Sequence[PlainTable]) -> list[str]:
    names: list[str] = []
    for number, table in enumerate(tables):
        subject = re.sub(r"\W+", "_", re.split(r"[:(]", table.title)[0]).strip("_").lower()
        name = f"{first}-{subject}" if number else first
        names.append(f"{name}-{number + 1}" if name in names else name)
    return [f"{name}.csv" for name in names]


def _markdown(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", shown(text))


def _markdown_cell(cell: PlainCell) -> str:
    return f"**{_markdown(cell.text)}**" if cell.is_best else _markdown(cell.text)


def _markdown_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _latex(text: str) -> str:
    return "".join(_LATEX.get(one, one) for one in shown(text))


def _latex_cell(cell: PlainCell) -> str:
    return f"\\textbf{{{_latex(cell.text)}}}" if cell.is_best else _latex(cell.text)


def _latex_row(cells: Iterable[str]) -> str:
    return f"    {' & '.join(cells)} \\\\"
