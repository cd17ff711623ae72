"""The pictures of the gallery are drawn from kept rows, are small, and each stands below the command of its rows."""

import re
from xml.etree import ElementTree

import pytest

from tests.documents.gallery import PAGE, PICTURE, pictures
from tests.documents.tables import RESULTS, command_of

DRAWN = pictures()


@pytest.mark.parametrize("file", DRAWN, ids=lambda file: file.name)
def test_a_picture_is_drawn_from_its_rows(file):
    """Colours may be those of an earlier page."""
    kept, drawn = (text.partition("</style>")[2] for text in (file.read_text(encoding="utf-8"), DRAWN[file]))
    assert kept == drawn, "python -m tests.documents.gallery draws it"
    assert file.stat().st_size < 40_000


@pytest.mark.parametrize("file", DRAWN, ids=lambda file: file.name)
def test_a_picture_is_well_formed_and_loads_nothing(file):
    parts = [*ElementTree.fromstring(DRAWN[file]).iter()]
    shapes = {"svg", "style", "rect", "g", "line", "path", "circle", "polyline", "polygon", "text", "title"}
    assert {part.tag.rpartition("}")[2] for part in parts} <= shapes
    assert [key for part in parts for key in part.attrib if "href" in key] == []
    assert "url(" not in DRAWN[file]


@pytest.mark.parametrize("file", DRAWN, ids=lambda file: file.name)
def test_each_kind_of_mark_in_a_picture_has_its_style(file):
    style, _, drawn = DRAWN[file].partition("</style>")
    used = {name for names in re.findall(r' class="([^"]+)"', drawn) for name in names.split()}
    assert {name for name in used - {"fixed"} if f".{name}{{" not in style} == set()
    assert 'class="c8"' not in drawn or "rect[class^=c]{fill:var(--c)}" in style


def test_each_picture_stands_below_its_command():
    text = PAGE.read_text(encoding="utf-8")
    sections = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    shown = [(section, one["rows"]) for section in sections for one in PICTURE.finditer(section)]
    assert [rows for section, rows in shown if command_of(RESULTS / f"{rows}.jsonl") not in section] == []
