"""What does not fit a layout is named with its place, what was found and what was expected."""

import pytest

from polyprobe.runs.record.layout import Entries, FileName, Listed, Table, no_text, wrong

LAYOUT = Entries(
    {"name": FileName},
    {"layers": Listed(Entries({"width": range(1, 10)}), 1), "counts": Table(int), "tests": Table(dict, FileName),
     "text": (str, None), "flag": bool},
)  # fmt: skip
WRONG = {
    "no entries": (["x"], 'it is ["x"], no object'),
    "an absent one": ({}, "it has no name"),
    "a path": ({"name": "../x"}, 'name is "../x", no name of one file or folder'),
    "an empty list": ({"name": "x", "layers": []}, "layers is [], no list of at least 1"),
    "one of a list": ({"name": "x", "layers": [{"width": 1}, {"width": 10}]}, "layers[1].width is 10, no integer of 1"),
    "true for 1": ({"name": "x", "layers": [{"width": True}]}, "layers[0].width is true, no integer of 1"),
    "one of a table": ({"name": "x", "counts": {"a": 1, "b": "2"}}, 'counts.b is "2", no integer'),
    "a name of a table": ({"name": "x", "tests": {"a/b": {}}}, 'tests names "a/b", no name of one file or folder'),
    "neither of two": ({"name": "x", "text": 5}, "text is 5, no text"),
    "a number for a flag": ({"name": "x", "flag": 1}, "flag is 1, no truth value"),
}


@pytest.mark.parametrize(("value", "found"), WRONG.values(), ids=WRONG)
def test_what_does_not_fit_is_named_with_its_place(value, found):
    assert wrong(value, LAYOUT).startswith(found)


def test_what_fits_is_right_whatever_else_stands_there():
    value = {"name": "x y-1", "layers": [{"width": 1}], "counts": {"": 2**70}, "text": None, "flag": False, "other": []}
    assert wrong(value, LAYOUT) is None
    assert no_text(value) is None


@pytest.mark.parametrize("value", [{"a": ["b", {"c": "\0"}]}, {"a": {"\0": 1}}, {"a": "\ud800"}, ["\0"]])
def test_characters_that_no_text_has_are_found_at_any_depth(value):
    assert "with a character that no text has" in no_text(value)
