"""Draws the pictures of docs/gallery.md from rows that docs/results/ keeps: `python -m tests.documents.gallery`.

`gallery/NAME-2.svg` is the second picture of the run with the rows NAME.jsonl, as its page has it, on white.
"""

import re
from pathlib import Path

from polyprobe.analysis.pictures.panels import svg_text
from polyprobe.analysis.reports.run_pages import panels_of
from tests.documents.tables import RESULTS, results_of

PAGE = RESULTS.parent / "gallery.md"
PICTURE = re.compile(r"\((gallery/(?P<rows>\w+)-(?P<number>\d)\.svg)\)")
WHITE = '<rect width="100%" height="100%" fill="#ffffff"/><g font-family="sans-serif" fill="#000000" color="#000000">'


def pictures() -> dict[Path, str]:
    """Returns the pictures of the gallery by their files."""
    found = PICTURE.finditer(PAGE.read_text(encoding="utf-8"))
    return {PAGE.parent / one[1]: drawn(one["rows"], int(one["number"]) - 1) for one in found}


def drawn(name: str, number: int) -> str:
    """Returns a picture of kept rows as one file."""
    figures = [figure for panel in panels_of(results_of(RESULTS / f"{name}.jsonl")) for figure in panel.figures()]
    head, inside = svg_text(figures[number]).split(">", 1)
    return f"{head}>{WHITE}{inside.removesuffix('</svg>')}</g></svg>\n"


if __name__ == "__main__":
    for file, text in pictures().items():
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
