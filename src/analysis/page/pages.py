"""The pages that there are: of a run, of several side by side, of a sweep, of papers, of a work folder."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import yaml

from polyprobe.analysis.comparisons.compare import AGAINST, compare, comparison_name
from polyprobe.analysis.output.tables import Printable, Table, write_file
from polyprobe.analysis.page.first_sentence import first_sentence
from polyprobe.analysis.page.page_panels import Panel, panels_of_run
from polyprobe.analysis.page.render import Page, html_of
from polyprobe.analysis.published.published_cells import PAPERS
from polyprobe.analysis.published.scoreboard import ALL, FOLDER, published_numbers
from polyprobe.analysis.results.collection import collect, find_run, results_files
from polyprobe.analysis.results.kinds import KINDS
from polyprobe.analysis.results.rows import Row, rests_on_few_items, said
from polyprobe.analysis.statistics.significance import SIGNIFICANT
from polyprobe.analysis.tables.sweep import written_tables
from polyprobe.analysis.tables.training import summary_table
from polyprobe.display.progress import each
from polyprobe.display.shown import plural, short_path
from polyprobe.errors import PolyprobeError
from polyprobe.runs.command.sweep import NOTED, Sweep
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.results import FEW_ITEMS

REPORT = "report.html"
WORK, PUBLISHED = "work", "published"
MOST_ITEMS = 50  # of a list of errors


def write_reports(work: Path, reference: object) -> Iterator[Printable]:
    """Writes a page and says where it is.

    Args:
        reference: name or folder of a run, in whose folder its page lies; of a sweep likewise; a list of runs, compared
            with the first of them; "work": all runs, with pages for those that have none; "published", or a paper.

    Raises:
        PolyprobeError: there is no such run or sweep, it is not finished, or runs cannot be compared.
    """
    folder = Path(str(reference))
    if isinstance(reference, list):
        name = comparison_name([str(one) for one in reference][::-1], AGAINST)
        written = write_file(work / "comparisons" / f"{name}.html", html_of(page_of_runs(work, reference)))
    elif reference == WORK:
        written = write_file(work / REPORT, html_of(page_of_work(work)))
    elif reference in (PUBLISHED, *PAPERS):
        written = write_file(work / FOLDER / REPORT, html_of(page_of_papers(work, str(reference))))
    elif (folder / NOTED).is_file():
        written = write_file(folder / REPORT, html_of(page_of_sweep(folder)))
    else:
        written = write_report_of_run(RunDirectory(find_run(work, str(reference))))
    yield f"report    {short_path(written)}"


def write_report_of_run(run: RunDirectory) -> Path:
    """Writes the page of a run into its folder, and returns the file."""
    return write_file(run.path / REPORT, html_of(page_of_run(run)))


def page_of_run(run: RunDirectory) -> Page:
    """Returns the page of a finished run.

    Raises:
        PolyprobeError: the run is not finished.
    """
    try:
        rows = run.rows()
    except FileNotFoundError as error:
        raise PolyprobeError(f"{run.path} has no results.jsonl: the run is not finished.") from error
    record = run.record()
    of_models = [row for row in rows if row["stage"] != "baseline"]
    return Page(
        kind=f"polyprobe · {run.path.parent.name}",
        title=said(of_models, "encoder", "predictor", "model", "suite", "lang") or run.name,
        sentence=first_sentence(run, rows),
        command=record.get("command", ""),
        marks=_marks(rows),
        panels=panels_of_run(run, rows),
        errors=[*_errors(run)],
        provenance=_provenance(run, record),
        configuration=yaml.safe_dump(run.configuration_if_any(), allow_unicode=True, sort_keys=False),
        rows=rows,
    )


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
        panels=[Panel("Differences from the first run", tables), *panels_of_run(runs[0], rows)],
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
        write_report_of_run(run)
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
    stages = {kind.stage for kind in KINDS.values()}
    scored = [row for row in rows if row["stage"] in stages and row["value"] is not None]
    marks = []
    if any(row.get("n_seeds") == 1 for row in scored) or (scored and not any(row.get("n_seeds") for row in scored)):
        marks.append("Single seed; no variance estimate.")
    if few := sorted({row["test"] for row in scored if rests_on_few_items(row)}):
        marks.append(f"Fewer than {FEW_ITEMS} items: {', '.join(few)}.")
    return marks


def _errors(run: RunDirectory) -> Iterator[Mapping[str, Any]]:
    """Yields the first items that the best layer gets wrong, of each test, as the command left them."""
    for path in sorted(run.errors.glob("*.tsv")):
        header, *lines = path.read_text(encoding="utf-8").split("\n")[:-1]
        shown_lines = [line.split("\t") for line in lines[:MOST_ITEMS]]
        yield {"test": path.stem, "n": len(lines), "header": header.split("\t"), "lines": shown_lines}


def _provenance(run: RunDirectory, record: Mapping[str, Any]) -> dict[str, str]:
    code = record.get("polyprobe") or {}
    commit = (code.get("commit") or "")[:12]
    state = {True: "", False: ", changed", None: ""}[code.get("clean")]
    versions = {"Python": record.get("python"), **(record.get("libraries") or {})}
    data = {f"data: {name}": digest for name, digest in (record.get("data") or {}).items()}
    known = {"run": run.name, "polyprobe": f"{code.get('version', '')} {commit}{state}".strip(), **versions, **data}
    return {name: str(value) for name, value in known.items() if value}
