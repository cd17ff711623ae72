"""Pages of HTML: of a run, of several side by side, of a sweep, of papers, of a work folder."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import yaml

from polyprobe.analysis.citations import bibtex
from polyprobe.analysis.comparisons.compare import AGAINST, compare, comparison_name
from polyprobe.analysis.output.tables import Printable, Table, write_file
from polyprobe.analysis.page.html_page import Page, html_of
from polyprobe.analysis.page.page_panels import Panel
from polyprobe.analysis.published.published_cells import PAPERS
from polyprobe.analysis.published.scoreboard import ALL, FOLDER, published_numbers
from polyprobe.analysis.reports.result_kinds import RESULT_KINDS, RunResults, first_sentence, kinds_of, run_results
from polyprobe.analysis.results.collection import collect, find_run, results_files
from polyprobe.analysis.results.result_grid import grid_of
from polyprobe.analysis.results.rows import Row, rests_on_few_items, said
from polyprobe.analysis.statistics.significance import SIGNIFICANT
from polyprobe.analysis.tables.sweep import written_tables
from polyprobe.analysis.tables.training import summary_table
from polyprobe.display.progress import each
from polyprobe.display.shown import plural, short_path, shown
from polyprobe.runs.command.sweep import NOTED, Sweep
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.results import FEW_ITEMS

REPORT = "report.html"
WORK, PUBLISHED = "work", "published"


def write_reports(work: Path, reference: object) -> Iterator[Printable]:
    """Writes a page and says where it is; see `write_report`."""
    yield f"report    {short_path(write_report(work, reference))}"


def write_report(work: Path, reference: object, path: Path | None = None) -> Path:
    """Writes a page, and returns its file.

    Args:
        reference: name or folder of a run, or of a sweep; a list of runs, compared with the first of them; "work": all
            runs, with pages for those that have none; "published", or a paper.
        path: of the file; None for its usual place.

    Raises:
        PolyprobeError: there is no such run or sweep, it is not finished, or runs cannot be compared.
    """
    folder = Path(str(reference))
    if isinstance(reference, list):
        name = comparison_name([str(one) for one in reference][::-1], AGAINST)
        place, page = work / "comparisons" / f"{name}.html", page_of_runs(work, reference)
    elif reference == WORK:
        place, page = work / REPORT, page_of_work(work)
    elif reference in (PUBLISHED, *PAPERS):
        place, page = work / FOLDER / REPORT, page_of_papers(work, str(reference))
    elif (folder / NOTED).is_file():
        place, page = folder / REPORT, page_of_sweep(folder)
    else:
        run = RunDirectory(find_run(work, str(reference)))
        place, page = run.path / REPORT, page_of_run(run)
    return write_file(path or place, html_of(page))


def page_of_run(run: RunDirectory) -> Page:
    """Returns the page of a finished run.

    Raises:
        PolyprobeError: the run is not finished.
    """
    results = run_results(run.path)
    rows, record = results.rows, run.record()
    of_models = [row for row in rows if row["stage"] != "baseline"]
    return Page(
        kind=f"polyprobe · {run.path.parent.name}",
        title=shown(said(of_models, "encoder", "predictor", "model", "suite", "lang") or run.name),
        sentence=shown(first_sentence(results)),
        command=record.get("command", ""),
        marks=_marks(rows),
        panels=[*panels_of(results), *(one for kind in kinds_of(results) for one in kind.panels(results))],
        provenance=_provenance(run, record),
        citations=bibtex([run]),
        configuration=yaml.safe_dump(run.configuration_if_any(), allow_unicode=True, sort_keys=False),
        rows=rows,
    )


def panels_of(results: RunResults) -> list[Panel]:
    """Returns a panel for each kind of results, with the tables that the command prints."""
    return [
        Panel(
            kind.title,
            [table for tables in kind.tables(results).values() for table in tables],
            partial(kind.figures, results),
            None if kind.scores is None else grid_of(kind.scores, results.shown),
        )
        for kind in kinds_of(results)
    ]


def page_of_runs(work: Path, references: Sequence[object]) -> Page:
    """Returns the page of runs beside the first of them: what differs, tested item by item, and all scores.

    Raises:
        PolyprobeError: see `compare`.
    """
    names = [str(one) for one in references]
    tables = [one for one in compare(work, names) if isinstance(one, Table)]
    found = [line[-1] for table in tables for line in table.rows]
    counts = f"above the first in {found.count('+')} of {plural(len(found), 'comparison')}, below in {found.count('-')}"
    runs = [RunDirectory(find_run(work, one.partition(":")[0])) for one in names]
    rows = [row for run in runs for row in run.rows()]
    return Page(
        kind="polyprobe · comparison",
        title=", ".join(names),
        sentence=f"Significantly {counts} (Holm over all of them, {100 * SIGNIFICANT:.0f} %).",
        marks=_marks(rows),
        panels=[Panel("Differences from the first run", tables), *panels_of(RunResults(runs[0], rows))],
        rows=rows,
    )


def page_of_sweep(folder: Path) -> Page:
    """Returns the page of a sweep: its jobs, and scores over seeds."""
    tables = [one for one in written_tables(folder) if isinstance(one, Table)]
    records = Sweep(folder).records()
    statuses = [one.status if one else "not begun" for one in records]
    counts = ", ".join(f"{statuses.count(one)} {one}" for one in dict.fromkeys(statuses))
    return Page(
        kind="polyprobe · sweep", title=folder.name, sentence=f"Jobs: {counts}.", panels=[Panel("Sweep", tables)]
    )


def page_of_papers(work: Path, paper: str) -> Page:
    """Returns the page of the numbers that papers print, with those of the work folder beside them."""
    tables = [one for one in published_numbers(work, ALL if paper == PUBLISHED else paper) if isinstance(one, Table)]
    *papers, totals = tables
    counts = [sum(int(line[place]) for line in totals.rows) for place in range(1, len(totals.header))]
    said_of_states = ", ".join(f"{n:,} {state}" for n, state in zip(counts[:-1], totals.right, strict=False) if n)
    return Page(
        kind="polyprobe · published numbers",
        title="Published numbers and ours",
        sentence=f"Of {counts[-1]:,} numbers: {said_of_states}.",
        panels=[Panel("All", [totals]), *(Panel(table.title, [table]) for table in papers)],
    )


def page_of_work(work: Path) -> Page:
    """Returns the index of a work folder: a line for each run, which leads to its page; pages that lack are written."""
    runs = [RunDirectory(file.parent) for file in results_files(work)]
    found = collect(work)
    sound = {row["run"] for row in found.rows}
    for run in each(
        [one for one in runs if one.name in sound and not (one.path / REPORT).is_file()], "writing", "pages"
    ):
        write_file(run.path / REPORT, html_of(page_of_run(run)))
    pages = {run.name: run.path / REPORT for run in runs if (run.path / REPORT).is_file()}
    return Page(
        kind="polyprobe · work folder",
        title=work.resolve().name,
        sentence=f"{plural(len(sound), 'finished run')}.",
        marks=found.lines(),
        panels=[Panel("Runs", [summary_table(found.rows)])],
        links={name: quote(page.relative_to(work).as_posix()) for name, page in pages.items()},
    )


def _marks(rows: Sequence[Row]) -> list[str]:
    """Returns what a reader must know before trusting the numbers."""
    stages = {kind.scores.stage for kind in RESULT_KINDS if kind.scores is not None}
    scored = [row for row in rows if row["stage"] in stages and row["value"] is not None]
    marks = []
    if any(row.get("n_seeds") == 1 for row in scored) or (scored and not any(row.get("n_seeds") for row in scored)):
        marks.append("Single seed; no variance estimate.")
    if few := sorted({row["test"] for row in scored if rests_on_few_items(row)}):
        marks.append(shown(f"Fewer than {FEW_ITEMS} items: {', '.join(few)}."))
    return marks


def _provenance(run: RunDirectory, record: Mapping[str, Any]) -> dict[str, str]:
    code = record.get("polyprobe") or {}
    commit = (code.get("commit") or "")[:12]
    state = {True: "", False: ", changed", None: ""}[code.get("clean")]
    versions = {"Python": record.get("python"), **(record.get("libraries") or {})}
    data = {f"data: {name}": digest for name, digest in (record.get("data") or {}).items()}
    known = {"run": run.name, "polyprobe": f"{code.get('version', '')} {commit}{state}".strip(), **versions, **data}
    return {name: str(value) for name, value in known.items() if value}
