"""Writes a page as HTML: one file that needs no network, and nothing of it is forbidden by its own policy."""

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from polyprobe.analysis.output.tables import BELOW, Best, Table, notes_of_files
from polyprobe.analysis.page.panel import Panel
from polyprobe.analysis.pictures.panels import svg_text
from polyprobe.display.shown import shown_lines

SOURCE = Path(__file__).parent
HEAD = 2000  # characters in which a page says what it was made of
LONG = 60  # letters of a cell, which is broken into lines
_FOLDERS = re.compile(r"(?<![\w./:…])/(?:[^\s/'\",\])]+/)+(?=[^\s/'\",\])])")  # of an absolute path
_TEXT_OF_SVG = re.compile(r'>[^<>]+<|aria-label="[^"]*"')


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
    links: Mapping[str, str] = field(default_factory=dict)
    """By the first cell of a line, the page that it leads to: a path relative to this one."""


def html_of(page: Page) -> str:
    """Returns a page as HTML: the same bytes for the same page."""
    style, script = ((SOURCE / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    return _template().render(
        page=page,
        figures_of=lambda panel: [_TEXT_OF_SVG.sub(_without_folders, svg_text(one)) for one in panel.figures()],
        lines_of=_lines,
        notes_of=notes_of_files,
        style=style,
        script=script,
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


def without_folders(text: str) -> str:
    """Leaves out the folders of absolute paths, which a page that is sent elsewhere has no use for.

    >>> without_folders("probe.py data=/home/me/words.tsv")
    'probe.py data=…/words.tsv'
    """
    return _FOLDERS.sub("…/", text)


def _without_folders(found: re.Match) -> str:
    return without_folders(found[0])


def _lines(table: Table) -> list[list[tuple[str, str]]]:
    """Returns the cells of a table, each with the classes of page.css that it has."""
    lines = zip(table.lines, table.rows, strict=True)
    return [
        [(text, _classes(text, cell, side)) for text, cell, side in zip(*both, table.sides, strict=True)]
        for both in lines
    ]


def _classes(text: str, cell: Any, side: str) -> str:
    has = {"best": isinstance(cell, Best), "below": BELOW in text, "long": len(text) > LONG}
    return " ".join([side, *(name for name, is_so in has.items() if is_so)])


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _harmless(value: Any) -> Any:
    """Text of files turns no reading order; our own style, script and drawings, marked as safe, stay as they are."""
    is_text = isinstance(value, str) and not hasattr(value, "__html__")
    return without_folders(shown_lines(value)) if is_text else value


@cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(SOURCE),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        finalize=_harmless,
    )
    return environment.get_template("page.html.j2")
