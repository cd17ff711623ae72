"""The pictures of the gallery are drawn from kept rows, are small, and each stands below the command of its rows."""

import re
from xml.etree import ElementTree

import pytest

from tests.documents.gallery import PAGE, PICTURE, pictures
from tests.documents.tables import RESULTS, command_of

DRAWN = pictures()


@pytest.mark.parametrize("file", DRAWN, ids=lambda file: file.name)
def test_a_picture_is_drawn_from_its_rows(file):
    assert file.read_text(encoding="utf-8") == DRAWN[file], "python -m tests.documents.gallery draws it"
    assert file.stat().st_size < 60_000


@pytest.mark.parametrize("file", DRAWN, ids=lambda file: file.name)
def test_a_picture_is_well_formed_and_loads_nothing(file):
    parts = [*ElementTree.fromstring(DRAWN[file]).iter()]
    shapes = {"svg", "g", "path", "text", "defs", "use", "clipPath", "rect", "image"}
    assert {part.tag.rpartition("}")[2] for part in parts} <= shapes
    links = [value for part in parts for key, value in part.attrib.items() if "href" in key]
    assert [one for one in links if not one.startswith(("#", "data:image/png;base64,"))] == []


def test_each_picture_stands_below_its_command():
    text = PAGE.read_text(encoding="utf-8")
    sections = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    shown = [(section, one["rows"]) for section in sections for one in PICTURE.finditer(section)]
    assert [rows for section, rows in shown if command_of(RESULTS / f"{rows}.jsonl") not in section] == []
