import json

import pytest

from src.formats.errors import BadValue
from src.formats.labelled_pairs import object_pairs, table_pairs, words_of
from src.formats.malformed import refuse

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


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It's so.", ("It's", "so", ".")),
        ("“Oui”, dit-il…", ("“", "Oui", "”", ",", "dit", "-", "il", "…")),
        ("İstanbul’da 27,5", ("İstanbul’da", "27", ",", "5")),
        (" a\u00a0b ", ("a", "b")),
        ("\u200b", ("\u200b",)),
    ],
)
def test_running_text_is_cut_to_words_and_signs(text, words):
    assert words_of(text) == words


@pytest.mark.parametrize(("share", "lines"), [([0, 1], [1, 2, 3]), ([0, 0.85], [1, 2]), ([0.85, 1], [3])])
def test_a_share_is_a_part_in_the_order_of_the_file(share, lines, tmp_path):
    (tmp_path / "x").write_text("A b.\tc\t0\nd\te\t-1\nf\tg\t0\n", encoding="utf-8")
    pairs = list(table_pairs(tmp_path / "x", refuse, share, **LAYOUT))
    assert [pair.line for pair in pairs] == lines
    if lines[0] == 1:
        assert pairs[0].premise == ("A", "b", ".")
        assert [pair.label for pair in pairs[:2]] == ["neutral", None]


def test_objects_are_pairs_too(tmp_path):
    line = json.dumps({"premise": "a b", "hypothesis": "c", "label": "entailment"})
    (tmp_path / "x").write_text(line + "\n", encoding="utf-8")
    (pair,) = object_pairs(tmp_path / "x", refuse, [0, 1], {"entailment": "entailment"})
    assert (pair.premise, pair.hypothesis, pair.label, pair.line) == (("a", "b"), ("c",), "entailment", 1)


@pytest.mark.parametrize("share", [[0], [0.5, 0.5], [0, 1.2], [1, 0]])
def test_a_share_that_is_no_part_is_refused(share, tmp_path):
    (tmp_path / "x").write_text("a\tb\t0\n", encoding="utf-8")
    with pytest.raises(BadValue, match="share must be two numbers from 0 to 1"):
        list(table_pairs(tmp_path / "x", refuse, share, **LAYOUT))
