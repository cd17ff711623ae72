import json

import pytest

from polyprobe.errors import BadValue, MalformedLine, UnknownChoice
from polyprobe.formats.pairs import labelled_pairs, pair_tables
from polyprobe.formats.pairs.pair_tables import PairFormat
from polyprobe.formats.reading.malformed import Skipped, refuse

WORDS = {"entailment": "entailment", "neutral": "neutral", "contradiction": "contradiction"}
TABS = {
    "separator": "tab",
    "quotes": "none",
    "line_end": "lf",
    "columns": None,
    "premise": "sentence1",
    "hypothesis": "sentence2",
    "label": "gold_label",
    "labels": WORDS | {"contradictory": "contradiction"},
    "where": {},
}
CSV = TABS | {"separator": "comma", "quotes": "csv", "line_end": "crlf"}
HEADER = "language\tgold_label\tsentence1\tsentence2\n"


def read(path, text, on_malformed=refuse, **settings):
    path.write_text(text, encoding="utf-8", newline="")
    return list(pair_tables.read(path, on_malformed, PairFormat(**{**TABS, **settings})))


def sides(pairs):
    return [(pair.premise, pair.hypothesis, pair.label) for pair in pairs]


def test_columns_are_found_by_the_header_and_rows_chosen_by_language(tmp_path):
    text = HEADER + "es\tneutral\tLlueve .\tHace sol .\nen\tentailment\tIt rains .\tIt is wet .\n"
    pairs = read(tmp_path / "x", text, where={"language": "en"})
    assert sides(pairs) == [("It rains .", "It is wet .", "entailment")]
    assert pairs[0].line == 3


def test_spellings_of_one_label_are_one_label(tmp_path):
    text = HEADER + "de\tcontradictory\ta\tb\nde\tcontradiction\ta\tb\n"
    pairs = read(tmp_path / "x", text)
    assert [pair.label for pair in pairs] == ["contradiction", "contradiction"]


def test_numbers_are_labels_and_minus_one_is_none(tmp_path):
    labels = {0: "entailment", 1: "neutral", 2: "contradiction", -1: None}
    text = "gold_label\tsentence1\tsentence2\n0\ta\tb\n-1\tc\td\n2\te\tf\n"
    pairs = read(tmp_path / "x", text, labels=labels)
    assert [pair.label for pair in pairs] == ["entailment", None, "contradiction"]


def test_a_quotation_mark_is_a_character_without_quoting(tmp_path):
    pairs = read(tmp_path / "x", HEADER + 'en\tneutral\t"No\the "said" it.\n')
    assert sides(pairs) == [('"No', 'he "said" it.', "neutral")]


def test_quoted_cells_hold_separators_and_doubled_marks(tmp_path):
    text = 'gold_label,sentence1,sentence2\r\nneutral,"a, b","He said ""no"""\r\nentailment,plain,"""q"""\r\n'
    pairs = read(tmp_path / "x", text, **CSV)
    assert sides(pairs) == [("a, b", 'He said "no"', "neutral"), ("plain", '"q"', "entailment")]


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ("en\tneutral\t\tb", "the premise is empty"),
        ("en\tneutral\t  \tb", "the premise is empty"),
        ("en\tneutral\ta\t", "the hypothesis is empty"),
        ("en\tneutrall\ta\tb", 'the label is "neutrall". Expected one of entailment, neutral, contradiction'),
        ("en\tneutral\ta", "the row has 3 columns. Expected 4 columns, separated by tabs"),
        ("en\tneutral\ta\tb\tc", "the row has 5 columns"),
        ("en\tneutral\ta\tb\r ", "carriage return"),
        ("", "the line is empty"),
    ],
)
def test_a_bad_row_is_refused_or_counted_and_left_out(row, found, tmp_path):
    text = f"{HEADER}en\tneutral\ta\tb\n{row}\nen\tneutral\tc\td\n"
    with pytest.raises(MalformedLine, match=f"line 3: .*{found}"):
        read(tmp_path / "x", text)
    skipped = Skipped()
    assert [pair.premise for pair in read(tmp_path / "x", text, skipped)] == ["a", "c"]
    assert [place.line for place in skipped.places] == [3]


def test_a_header_without_a_column_is_refused_in_either_mode(tmp_path):
    for on_malformed in (refuse, Skipped()):
        with pytest.raises(MalformedLine, match="line 1: the first line has no column gold_label"):
            read(tmp_path / "x", "sentence1\tsentence2\na\tb\n", on_malformed)


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"separator": "blank"}, UnknownChoice, "Known: comma, semicolon, tab"),
        ({"labels": {"ent": "entails"}}, UnknownChoice, "Did you mean entailment"),
        ({"columns": ["sentence1", "sentence2"]}, BadValue, "gold_label"),
    ],
)
def test_a_layout_that_cannot_be_is_refused(settings, error, words):
    with pytest.raises(error, match=words):
        PairFormat(**{**TABS, **settings})


def json_line(**fields) -> str:
    return json.dumps(fields, ensure_ascii=False) + "\n"


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ('{"premise": "a"\n', "the line is no JSON"),
        ("[1]\n", "the line has no premise"),
        (json_line(premise="a", label="x"), "the line has no premise or no hypothesis"),
        (json_line(premise=" ", hypothesis="b"), "the premise is empty"),
        (json_line(premise="a", hypothesis="b", label="x"), 'the label is "x"'),
        ("\n", "the line is empty"),
    ],
)
def test_a_bad_json_line_is_refused(line, found, tmp_path):
    (tmp_path / "x").write_text(json_line(premise="a", hypothesis="b") + line, encoding="utf-8")
    with pytest.raises(MalformedLine, match=f"line 2: {found}"):
        list(labelled_pairs.object_pairs(tmp_path / "x", refuse, {"entailment": "entailment"}))
