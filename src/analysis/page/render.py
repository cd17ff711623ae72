"""Pages: one file of HTML that needs no network, with everything of a run on it."""

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from polyprobe.analysis.output.tables import BELOW, Best, Printable, Table, notes_of_files, write_file
from polyprobe.analysis.page.first_sentence import first_sentence
from polyprobe.analysis.page.page_panels import Panel, panels_of_run
from polyprobe.analysis.results.collection import find_run
from polyprobe.analysis.results.kinds import KINDS
from polyprobe.analysis.results.rows import Row, rests_on_few_items, said
from polyprobe.display.shown import short_path
from polyprobe.errors import PolyprobeError
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.results import FEW_ITEMS

FOLDER = Path(__file__).parent
DIGITS = 6  # of numbers in the data of a page
MOST_ITEMS = 50  # of a list of errors
SWITCHED = ("majority", "memoriser", "random")  # baselines whose difference from a score can be shown


def write_reports(work: Path, reference: object) -> Iterator[Printable]:
    """Writes the page of a run into its folder.

    Args:
        reference: name or folder of a run.

    Raises:
        PolyprobeError: there is no such run, or it is not finished.
    """
    run = RunDirectory(find_run(work, reference))
    yield f"report    {short_path(write_file(run.path / 'report.html', page_of_run(run)))}"


def page_of_run(run: RunDirectory) -> str:
    """Returns the page of a finished run: the same bytes for the same run.

    Raises:
        PolyprobeError: the run is not finished.
    """
    try:
        rows = run.rows()
    except FileNotFoundError as error:
        raise PolyprobeError(f"{run.path} has no results.jsonl: the run is not finished.") from error
    record = run.record()
    style, script = ((FOLDER / f"page.{ending}").read_text(encoding="utf-8") for ending in ("css", "js"))
    of_models = [row for row in rows if row["stage"] != "baseline"]
    return _template().render(
        kind=f"polyprobe · {run.path.parent.name}",
        title=said(of_models, "encoder", "predictor", "model", "suite", "lang") or run.name,
        sentence=first_sentence(run, rows),
        command=record.get("command", ""),
        marks=_marks(rows),
        panels=[_shown(panel) for panel in panels_of_run(run, rows)],
        errors=[*_errors(run)],
        provenance=_provenance(run, record),
        configuration=yaml.safe_dump(run.configuration_if_any(), allow_unicode=True, sort_keys=False),
        data=_in_script({"run": run.name, "rows": len(rows), "columns": packed(rows)}),
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
    return {"title": panel.title, "tables": tables, "figures": panel.figures()}


def _table(table: Table) -> dict[str, Any]:
    cells = [
        [{"text": str(cell), "is_best": isinstance(cell, Best), "is_below": BELOW in str(cell)} for cell in line]
        for line in table.lines
    ]
    return {
        "title": table.title,
        "notes": notes_of_files(table),
        "header": table.header,
        "sides": table.sides,
        "lines": cells,
    }


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
def _template():
    loader = FileSystemLoader(FOLDER)
    environment = Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    return environment.get_template("page.html.j2")
