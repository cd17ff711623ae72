"""Writes a page as HTML: one file that needs no network, and nothing of it is forbidden by its own policy."""

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from polyprobe.analysis.output.tables import BELOW, Best, Table, notes_of_files
from polyprobe.analysis.page.page_panels import Marked, Panel, Shaded, baselines_of
from polyprobe.analysis.results.rows import Row
from polyprobe.display.shown import cut, shown, shown_lines

SOURCE = Path(__file__).parent
HEAD = 2000  # characters in which a page says what it was made of
DIGITS = 6  # of numbers in the data of a page
LONGEST_WORD = 60  # letters, of a cell of one word; the whole is told where a reader points at it
SWITCHED = ("majority", "memoriser", "random")  # baselines whose difference from a score can be shown


@dataclass(frozen=True, kw_only=True)
class Page:
    """What stands on a page, from top to bottom."""

    kind: str
    title: str
    sentence: str = ""
    command: str = ""
    """That makes the same."""
    made_of: str = ""
    """Program and results of which it was made, by which one that is out of date is known (`is_made_of`)."""
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


def html_of(page: Page) -> str:
    """Returns a page as HTML: the same bytes for the same page."""
    style, script = (file.read_text(encoding="utf-8") for file in (SOURCE / "page.css", SOURCE / "page.js"))
    panels = [_shown(panel) for panel in page.panels]
    return _template().render(
        page=page,
        panels=panels,
        data=_in_script({"name": page.title, "rows": len(page.rows), "columns": packed(page.rows)}),
        style=Markup(style),
        script=Markup(script),
        style_digest=_digest(style),
        script_digest=_digest(script),
    )


def is_made_of(page: Path, made_of: str) -> bool:
    """Says whether a file is a page that was made of this."""
    try:
        with page.open(encoding="utf-8", errors="replace") as file:
            return f'name="made-of" content="{made_of}"' in file.read(HEAD)
    except OSError:
        return False


def packed(rows: Sequence[Row]) -> dict[str, Any]:
    """Returns the columns of rows: a value that all rows have once, of others a list; numbers to six digits."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {name: [_rounded(row.get(name)) for row in rows] for name in names}
    return {name: one[0] if all(value == one[0] for value in one) else one for name, one in columns.items()}


def _shown(panel: Panel) -> Mapping[str, Any]:
    tables = [_table(table) for table in panel.tables]
    if panel.grid is not None and tables:
        tables[0] |= _switch(panel, panel.tables[0])
    folds = [{"title": one.title, "tables": [*map(_table, one.tables)]} for one in panel.folds]
    titles = {"title": panel.title, "title_of_folds": panel.title_of_folds}
    return {**titles, "tables": tables, "figures": panel.figures(), "folds": folds}


def _table(table: Table) -> dict[str, Any]:
    lines = zip(table.lines, table.rows, strict=True)
    cells = [[_cell(*one) for one in zip(*both, strict=True)] for both in lines]
    return {
        "title": table.title,
        "notes": notes_of_files(table),
        "header": [{"text": cut(name, LONGEST_WORD), "whole": name} for name in table.header],
        "sides": table.sides,
        "lines": cells,
    }


def _cell(text: str, cell: str) -> dict[str, Any]:
    shade = [f"c{cell.shade}"] if isinstance(cell, Shaded) else []
    classes = [*(["best"] if isinstance(cell, Best) else []), *(["below"] if BELOW in text else []), *shade]
    marked = [*map(shown, cell.parts)] if isinstance(cell, Marked) else None
    is_long = len(text) > LONGEST_WORD
    short = cut(text, LONGEST_WORD) if is_long and " " not in text else text
    classes += ["long"] if is_long else []
    return {"text": text, "short": short, "classes": " ".join(classes), "marked": marked}


def _switch(panel: Panel, table: Table) -> Mapping[str, Any]:
    """Returns which cells of a table are scores, and the numbers behind them, for the switch to differences."""
    grid = panel.grid
    assert grid is not None
    baselines = {name: words for name, words in baselines_of(grid).items() if name in SWITCHED}
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
    environment = Environment(
        loader=FileSystemLoader(SOURCE),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        # Text of files turns no reading order; drawings saw to that themselves.
        finalize=lambda one: shown_lines(one) if isinstance(one, str) and not isinstance(one, Markup) else one,
    )
    return environment.get_template("page.html.j2")
