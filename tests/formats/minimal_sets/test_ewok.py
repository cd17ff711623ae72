"""EWoK's items: two sets each, whose focus is the target."""

import json
import re

import pytest

from polyprobe.errors import MalformedLine
from polyprobe.formats.minimal_sets.pair_rows import BLIMP, PairReading, read_ewok
from polyprobe.formats.reading.malformed import Skipped, refuse

READING = PairReading(BLIMP, ("Domain",), " ")
ITEM = {"Context1": "A hen ate.", "Context2": "A hen is hungry.", "Target1": "It is full.", "Target2": "It eats now."}


def file(tmp_path, *lines):
    path = tmp_path / "ewok.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_each_target_follows_its_own_context_and_the_other(tmp_path):
    first, second, *_ = read_ewok(file(tmp_path, json.dumps({**ITEM, "Domain": "birds", "other": 1})), refuse, READING)
    assert [one.sentence for one in first.variants] == ["A hen ate. It is full.", "A hen is hungry. It is full."]
    assert [one.sentence for one in second.variants] == ["A hen is hungry. It eats now.", "A hen ate. It eats now."]
    assert (first.focus, second.focus) == (((3, 6), (4, 7)), ((4, 7), (3, 6)))
    assert (first.number, second.number) == (1, 2)
    assert dict(second.fields) == {"Domain": "birds"}


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (json.dumps({**ITEM, "Target2": None}), "the line has no Target2"),
        (json.dumps({**ITEM, "Context1": " "}), "Context1 is empty"),
        ("[]", "the line has no Context1 and no Context2"),
        ("{", "the line is no JSON"),
    ],
)
def test_a_bad_line_is_refused_or_left_out(tmp_path, line, found):
    path = file(tmp_path, json.dumps(ITEM), line, json.dumps(ITEM))
    with pytest.raises(MalformedLine, match=re.escape(f"line 2: {found}")):
        list(read_ewok(path, refuse, READING))
    assert [one.number for one in read_ewok(path, Skipped(), READING)] == [1, 2, 5, 6]
