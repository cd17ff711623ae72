"""The table of drills names tests that there are."""

import re

import pytest

from tests.commands.scripts import ROOT

DRILLS = (ROOT / "docs/reliability.md").read_text(encoding="utf-8").partition("## By hand")[0].splitlines()
ROWS = [row for row in DRILLS if re.match(r"\| \d+ \|", row)]


def test_there_are_26_drills_in_their_order():
    assert [int(row.split("|")[1]) for row in ROWS] == list(range(1, 27))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip())
def test_every_test_of_a_drill_exists(row):
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", row)
    assert named
    for file, name in named:
        assert re.search(rf"^def {name}\(", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE), (file, name)
