import json

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


def test_objects_are_pairs_too(tmp_path):
    line = json.dumps({"premise": "a b", "hypothesis": "c", "label": "entailment"})
    (tmp_path / "x").write_text(line + "\n", encoding="utf-8")
    (pair,) = object_pairs(tmp_path / "x", refuse, {"entailment": "entailment"})
    assert (pair.premise, pair.hypothesis, pair.label, pair.line) == (("a", "b"), ("c",), "entailment", 1)
