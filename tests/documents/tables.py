"""Writes the tables of numbers in README.md and docs/ from docs/results/: `python -m tests.documents.tables`.

Above each table or printed output stands `<!-- made from docs/results/NAME -->`. A file is of one of two kinds:

- `NAME.jsonl`: the command that was run, then rows of its results.jsonl. Our own tables are made of them.
- `NAME.tsv`: what made the numbers, where they come from, then the cells. For many runs, or where rows are lost.
"""

import json
import re
from collections.abc import Mapping
from io import StringIO
from pathlib import Path

from polyprobe.analysis.output.tables import WIDTH_OF_PIPES, Table, markdown_text
from polyprobe.analysis.reports.result_kinds import RunResults, tables_of
from polyprobe.display.terminal import Terminal
from polyprobe.runs.directory import RunDirectory
from tests.commands.scripts import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
RESULTS = ROOT / "docs/results"
MADE = re.compile(
    r"^<!-- made from docs/results/(?P<file>[\w.]+) -->\n\n?(?P<table>```\n.*?^```\n|(?:\|[^\n]*\n)+)",
    re.MULTILINE | re.DOTALL,
)


def with_tables(text: str) -> str:
    """Returns the text of a page with its tables written anew."""
    return MADE.sub(lambda made: made[0].replace(made["table"], _written(made["file"], made["table"])), text)


def _written(name: str, before: str) -> str:
    """Returns a table in the form that it has in its page: printed in a fence, or as Markdown."""
    if name.endswith(".tsv"):
        return of_cells(cells_of(RESULTS / name)[1])
    tables = [table for of_kind in tables_of(results_of(RESULTS / name)).values() for table in of_kind]
    return printed(tables) if before.startswith("```") else of_markdown(tables[0])


def command_of(file: Path) -> str:
    """Returns what made the numbers of a file."""
    first = file.read_text(encoding="utf-8").partition("\n")[0]
    return json.loads(first)["command"] if file.suffix == ".jsonl" else first.removeprefix("# made by: ")


def results_of(file: Path) -> RunResults:
    """Returns kept rows as those of a run, whose tables are those that its command prints."""
    _, *rows = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return RunResults(RunDirectory(file), rows)


def cells_of(file: Path) -> tuple[Mapping[str, str], list[list[str]]]:
    """Returns what a file of cells says of itself, and its lines, the first of them the header."""
    lines = file.read_text(encoding="utf-8").splitlines()
    said = dict(line.removeprefix("# ").split(": ", 1) for line in lines if line.startswith("# "))
    return said, [line.split("\t") for line in lines if not line.startswith("# ")]


def of_cells(lines: list[list[str]]) -> str:
    header, *rows = [f"| {' | '.join(cells)} |" for cells in lines]
    return "\n".join([header, f"|{'---|' * len(lines[0])}", *rows]) + "\n"


def of_markdown(table: Table) -> str:
    return "".join(f"{line}\n" for line in markdown_text(table).splitlines() if line.startswith("|"))


def printed(tables: list[Table]) -> str:
    """Returns what a command prints into a pipe, without titles."""
    text = StringIO()
    console = Terminal(file=text, width=WIDTH_OF_PIPES)
    for table in tables:
        console.print(table)
        text.writelines(f"{note}\n" for note in table.notes)
    lines = [line.rstrip() for line in text.getvalue().splitlines()]
    return "\n".join(["```", "\n".join(lines).strip("\n"), "```"]) + "\n"


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(with_tables(page.read_text(encoding="utf-8")), encoding="utf-8")
