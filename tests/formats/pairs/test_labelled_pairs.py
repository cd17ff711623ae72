import json

import pytest

from polyprobe.formats.pairs.labelled_pairs import object_pairs, table_pairs
from polyprobe.formats.reading.malformed import refuse

LAYOUT = {
    "separator": "tab",
    "quotes": "none",
    "line_end": "lf",
    "columns": ["premise", "hypothesis", "label"],
    "premise": "premise",
    "hypothesis": "hypothesis",
    "label": "label",
    "labels": {"0": "neutral", "-1": None},
    "where": {},
}


def test_rows_of_a_table_are_pairs(tmp_path):
    (tmp_path / "x").write_text("A b.\tc\t0\nd\te\t-1\n", encoding="utf-8")
    first, second = table_pairs(tmp_path / "x", refuse, **LAYOUT)
    assert (first.premise, first.hypothesis, first.label, first.line) == (("A", "b", "."), ("c",), "neutral", 1)
    assert (second.label, second.line) == (None, 2)


@pytest.mark.parametrize(
    ("label", "labels", "expected"),
    [
        ("neutral", None, "neutral"),
        ("-", None, None),
        (None, None, None),
        (0, {0: "entailment", -1: None}, "entailment"),
        (-1, {0: "entailment", -1: None}, None),
        ("1", {1: "neutral"}, "neutral"),
    ],
)
def test_keys_and_labels_of_objects_are_those_of_the_file(label, labels, expected, tmp_path):
    (tmp_path / "x").write_text(json.dumps({"sentence1": "a", "sentence2": "b", "gold_label": label}) + "\n")
    names = {"premise": "sentence1", "hypothesis": "sentence2", "label": "gold_label"}
    (pair,) = object_pairs(tmp_path / "x", refuse, labels, **names)
    assert (pair.premise, pair.hypothesis, pair.label) == (("a",), ("b",), expected)
