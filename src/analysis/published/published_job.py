"""`analyze.py published=…`: every published number of the four papers, and what became of it in the runs at hand."""

from collections.abc import Sequence
from pathlib import Path

from src.analysis.output.csv_files import write_file
from src.analysis.output.table_files import say_files, write_tables
from src.analysis.output.terminal_tables import show
from src.analysis.published.filled_cells import FilledCell, FinishedRun, filled_cells
from src.analysis.published.published_cells import PAPERS, published_cells
from src.analysis.published.scoreboard import cells_csv, paper_tables, totals_table
from src.analysis.results.collection import results_files
from src.display.shown import say
from src.errors import BadValue, PolyprobeError, check_choice
from src.runs.workspace import RUNS

ALL = "all"
FOLDER = "published"  # of the work folder


def show_published(work: Path, asked: object) -> None:
    """Prints the tables of papers with our numbers beside, and writes them as CSV, Markdown and LaTeX.

    Args:
        work: the folder whose runs are looked at.
        asked: one of `PAPERS`, a list of some, or "all".

    Raises:
        BadValue: no paper is named.
        UnknownChoice: it is none of these.
    """
    named = asked if isinstance(asked, list) else [asked]
    if not named or named == [""]:
        raise BadValue("published", "empty", f"one of {', '.join([*PAPERS, ALL])}, or a list of such")
    for paper in named:
        check_choice("published", paper, [*PAPERS, ALL])
    runs = _sound_runs(work)
    if not runs:
        say(f"No finished run below {work / RUNS}: these are the published numbers alone.")
    papers = {one: filled_cells(published_cells(one), runs) for one in PAPERS if {one, ALL} & {*named}}
    for one, filled in papers.items():
        _show_paper(work / FOLDER / one, filled)
    show(totals_table(papers))


def _sound_runs(work: Path) -> list[FinishedRun]:
    """Reads the finished runs of a work folder, each once, and prints which are left out, and why."""
    runs: dict[str, FinishedRun] = {}
    for file in results_files(work):
        try:
            run = FinishedRun.read(file.parent)
        except (PolyprobeError, OSError) as error:
            say(f"Left out: {error}")
            continue
        name = run.rows[0].get("run", run.name) if run.rows else run.name
        if name in runs:
            say(f"Left out: {file.parent} is a copy of the run {name}.")
        runs.setdefault(name, run)
    return list(runs.values())


def _show_paper(stem: Path, filled: Sequence[FilledCell]) -> None:
    tables = paper_tables(filled)
    show(*tables)
    say_files(write_tables(stem, tables))
    say_files([write_file(stem.with_name(f"{stem.name}_cells.csv"), cells_csv(filled))])
