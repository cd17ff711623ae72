"""Draws the pictures of docs/gallery.md from rows that docs/results/ keeps: `python -m tests.documents.gallery`.

`gallery/NAME-2.svg` is the second figure on the page (`analyze.py report=`) of the run with the rows NAME.jsonl.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from polyprobe.analysis.page import marks
from polyprobe.analysis.page.page_panels import Figure
from tests.documents.tables import RESULTS, panels_of

PAGE = RESULTS.parent / "gallery.md"
PICTURE = re.compile(r"\((gallery/(?P<rows>\w+)-(?P<number>\d)\.svg)\)")
WIDTH, GAP, LINE = 780, 8, 18
_STYLE = Path(marks.__file__).with_name("page.css")
_OF_MARKS = re.compile(
    r"(?:@media\(prefers-color-scheme:dark\)\{)?:root\{.*?\}+|"
    r"(?:rect(?:\[class\^=c\])?|(?:polyline|td)?\.(?:[sc]\d|panel|axis|rule|base|beside|line|band|mark|cell))(?:[.,][\w.,]*)?\{.*?\}",
    re.DOTALL,
)
_SIZE = re.compile(r'viewBox="0 0 (\d+) (\d+)" (?:width="\d+" height="\d+")? ?class="\w*"')
_ENTRY = re.compile(r"<li><svg.*?>(?P<mark>.*?)</svg> (?P<name>.*?)</li>", re.DOTALL)


def pictures() -> dict[Path, str]:
    """Returns the pictures of the gallery by their files."""
    found = PICTURE.finditer(PAGE.read_text(encoding="utf-8"))
    return {PAGE.parent / one[1]: drawn(_figures(one["rows"])[int(one["number"]) - 1]) for one in found}


def _figures(name: str) -> list[Figure]:
    return [figure for panel in panels_of(RESULTS / f"{name}.jsonl") for figure in panel.figures()]


def drawn(figure: Figure) -> str:
    """Returns a figure of a page as one file: its drawings side by side, its key below, the colours of the page."""
    parts, x, y, row = list[str](), 0, 0, 0
    for drawing in figure.drawings:
        width, height = map(int, _SIZE.search(drawing).groups())
        if x + width > WIDTH:
            x, y, row = 0, y + row + GAP, 0
        place = f'x="{x}" y="{y}" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
        parts.append(_SIZE.sub(place, drawing, count=1))
        x, row = x + width + GAP, max(row, height)
    key = list(_key(str(figure.key or ""), y + row + GAP))
    height = y + row + GAP + (LINE if key else 0)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">'
    style = "".join(_OF_MARKS.findall(_STYLE.read_text(encoding="utf-8")))
    back = f'<rect width="{WIDTH}" height="{height}" fill="var(--paper)"/>'
    text = "\n".join([f"{head}<style>svg{{font:10px system-ui,sans-serif}}{style}</style>", back, *parts, *key])
    return f"{text}</svg>\n"


def _key(entries: str, y: int) -> Iterator[str]:
    x = 4.0
    for entry in _ENTRY.finditer(entries):
        name = f'<text class="axis" x="28" y="12">{entry["name"]}</text>'
        yield f'<g transform="translate({x:.0f} {y})">{entry["mark"]}{name}</g>'
        x += 44 + marks.LETTER * len(entry["name"])


if __name__ == "__main__":
    for file, text in pictures().items():
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
