"""Pages of HTML: of a run, of several side by side, of a sweep, of papers, of a work folder.

A page is one file that needs no network, and nothing of it is forbidden by its own policy.
"""

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from polyprobe.analysis.citations import bibtex
from polyprobe.analysis.comparisons.compare import AGAINST, compare, comparison_name
from polyprobe.analysis.output.tables import BELOW, Best, Printable, Table, notes_of_files, write_file
from polyprobe.analysis.page.first_sentence import first_sentence
from polyprobe.analysis.page.page_panels import Marked, Panel, Shaded, panels_of_run
from polyprobe.analysis.page.single_items import minimal_set_panels, predictions_panels
from polyprobe.analysis.published.published_cells import PAPERS
from polyprobe.analysis.published.scoreboard import ALL, FOLDER, published_numbers
from polyprobe.analysis.results.collection import collect, find_run, results_files
from polyprobe.analysis.results.kinds import KINDS
from polyprobe.analysis.results.rows import Row, rests_on_few_items, said
from polyprobe.analysis.statistics.significance import SIGNIFICANT
from polyprobe.analysis.tables.sweep import written_tables
from polyprobe.analysis.tables.training import summary_table
from polyprobe.display.progress import each
from polyprobe.display.shown import plural, short_path, shown
from polyprobe.errors import PolyprobeError
from polyprobe.runs.command.sweep import NOTED, Sweep
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.results import FEW_ITEMS

SOURCE = Path(__file__).parent
REPORT = "report.html"
WORK, PUBLISHED = "work", "published"
DIGITS = 6  # of numbers in the data of a page
SWITCHED = ("majority", "memoriser", "random")  # baselines whose difference from a score can be shown


@dataclass(frozen=True, kw_only=True)
class Page:
    """What stands on a page, from top to bottom."""

    kind: str
    title: str
    sentence: str = ""
    command: str = ""
    """That makes the same."""
    marks: Sequence[str] = ()
    """What a reader must know before trusting the numbers."""
    panels: Sequence[Panel]
    provenance: Mapping[str, str] = field(default_factory=dict)
    configuration: str = ""
    citations: str = ""
    """BibTeX."""
    rows: Sequence[Row] = ()
    """That the page holds for a reader to take away."""
    links: Mapping[str, str] = field(default_factory=dict)
    """By the first cell of a line, the page that it leads to: a path relative to this one."""


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
    try:
        rows = run.rows()
    except FileNotFoundError as error:
        raise PolyprobeError(f"{run.path} has no results.jsonl: the run is not finished.") from error
    record = run.record()
    of_models = [row for row in rows if row["stage"] != "baseline"]
    return Page(
        kind=f"polyprobe · {run.path.parent.name}",
        title=shown(said(of_models, "encoder", "predictor", "model", "suite", "lang") or run.name),
        sentence=shown(first_sentence(run, rows)),
        command=record.get("command", ""),
        marks=_marks(rows),
        panels=[*panels_of_run(run, rows), *minimal_set_panels(run, rows), *predictions_panels(run)],
        provenance=_provenance(run, record),
        citations=bibtex([run]),
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
    stages = {kind.stage for kind in KINDS.values()}
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


def html_of(page: Page) -> str:
    """Returns a page as HTML: the same bytes for the same page."""
    style, script = (file.read_text(encoding="utf-8") for file in (SOURCE / "page.css", SOURCE / "page.js"))
    return _template().render(
        page=page,
        panels=[_shown(panel) for panel in page.panels],
        data=_in_script({"name": page.title, "rows": len(page.rows), "columns": packed(page.rows)}),
        style=Markup(style),
        script=Markup(script),
        style_digest=_digest(style),
        script_digest=_digest(script),
    )


def packed(rows: Sequence[Row]) -> dict[str, Any]:
    """Returns the columns of rows: a value that all rows have once, of others a list; numbers to six digits."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {name: [_rounded(row.get(name)) for row in rows] for name in names}
    return {name: one[0] if all(value == one[0] for value in one) else one for name, one in columns.items()}


def _shown(panel: Panel) -> Mapping[str, Any]:
    tables = [_table(table) for table in panel.tables]
    if panel.grid is not None and tables:
        tables[0] |= _switch(panel, panel.tables[0])
    folds = panel.folds and {
        "title": panel.folds.title,
        "folds": [{"title": one.title, "tables": [*map(_table, one.tables)]} for one in panel.folds.folds],
    }
    return {"title": panel.title, "tables": tables, "figures": panel.figures(), "folds": folds}


def _table(table: Table) -> dict[str, Any]:
    lines = zip(table.lines, table.rows, strict=True)
    cells = [[_cell(*one) for one in zip(*both, strict=True)] for both in lines]
    return {
        "title": table.title,
        "notes": notes_of_files(table),
        "header": table.header,
        "sides": table.sides,
        "lines": cells,
    }


def _cell(text: str, cell: str) -> dict[str, Any]:
    shade = [f"c{cell.shade}"] if isinstance(cell, Shaded) else []
    classes = [*(["best"] if isinstance(cell, Best) else []), *(["below"] if BELOW in text else []), *shade]
    marked = [*map(shown, cell.parts)] if isinstance(cell, Marked) else None
    return {"text": text, "classes": " ".join(classes), "marked": marked}


def _switch(panel: Panel, table: Table) -> Mapping[str, Any]:
    """Returns which cells of a table are scores, and the numbers behind them, for the switch to differences."""
    grid = panel.grid
    assert grid is not None
    baselines = [name for name in SWITCHED if grid.has(name)]
    start = len(table.left) + table.right.index(grid.headers()[0]) if grid.headers()[0] in table.right else None
    if start is None or not baselines:
        return {}
    values = {name: grid.values(name).tolist() for name in ("value", *baselines)}
    numbers = {name: [[_rounded(value) for value in line] for line in lines] for name, lines in values.items()}
    return {"start": start, "n_scores": len(grid.columns), "baselines": baselines, "numbers": _in_script(numbers)}


def _rounded(value: Any) -> Any:
    if not isinstance(value, float):
        return value
    return None if value != value else float(f"{value:.{DIGITS}g}")


def _in_script(value: Any) -> Markup:
    """Writes data for a script element: nothing in it ends the element or a line of the script."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _template() -> Template:
    loader = FileSystemLoader(SOURCE)
    environment = Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    return environment.get_template("page.html.j2")
