"""Published tests beside those that were made."""

import pytest

from polyprobe.analysis.tables.made_sets import PublishedSets, distance, published_tables
from polyprobe.errors import PolyprobeError, UnknownChoice

EXPECTED = {
    "source": "a paper",
    "lexicon": {"paradigms": 3500, "forms": 275000, "ambiguous": 0.0776},
    "rows": [{"test": "Case", "labels": {"None": 30, "Dative": 70}}, {"test": "Pseudo", "labels": {0: 6, 1: 4}}],
    "notes": ["Another lexicon."],
}
MADE = {
    "Case": {
        "labels": {"train": {"None": 6, "Dative": 2}, "dev": {"Locative": 1}, "test": {"Dative": 1}},
        "ambiguity": {"repeated": 0.2, "several_labels": 0.1},
    },
    "Mood": {"labels": {"train": {"Indicative": 1}}, "ambiguity": {"repeated": 0.1, "several_labels": 0.0}},
    "OddFeat": {"labels": {"train": {"lemma": 1}}, "ambiguity": {}},
}


def cells(lexicon=None) -> list[list[list[str]]]:
    tables = published_tables(PublishedSets.of(EXPECTED), MADE, lexicon or {})
    return [table.lines for table in tables]


def test_labels_of_all_parts_stand_beside_the_published_ones():
    assert cells()[0] == [
        ["Case", "None: 30/6; Dative: 70/3; Locative: 0/1", "100", "10", "40.0"],
        ["Pseudo", "0: 6/-; 1: 4/-", "10", "not made", ""],
    ]


def test_the_lexicon_stands_beside_the_published_one():
    assert cells({"lemmas": 2894, "triples": 51557})[1] == [
        ["paradigms", "3,500", "2,894"],
        ["forms", "275,000", "51,557"],
        ["forms that occur again (%)", "7.76", "15.00"],
        ["forms of several labels (%)", "7.76", "5.00"],
    ]


def test_treebanks_stand_beside_the_published_ones():
    published = PublishedSets.of({**EXPECTED, "lexicon": {"sentences": 6000, "tokens": 67000, "ambiguous": 0.1928}})
    treebank = {"sentences": 4660, "tokens": 46840, "forms_of_several_bundles": 0.05}
    table = published_tables(published, MADE, treebank)[1]
    assert table.lines == [
        ["sentences", "6,000", "4,660"],
        ["tokens", "67,000", "46,840"],
        ["forms of several bundles (%)", "19.28", "5.00"],
        ["forms that occur again (%)", "19.28", "15.00"],
        ["forms of several labels (%)", "19.28", "5.00"],
    ]


def test_the_notes_say_why_they_differ():
    first, _ = published_tables(PublishedSets.of(EXPECTED), MADE, {})
    assert first.notes[1:] == ["Another lexicon.", "Source: a paper"]


def test_of_tests_without_known_labels_the_treebank_stands_there_with_the_notes():
    known = {name: EXPECTED[name] for name in ("source", "lexicon", "notes")}
    (table,) = published_tables(PublishedSets.of(known), MADE, {})
    assert table.title == "Sources, published and here"
    assert table.notes[-2:] == ["Another lexicon.", "Source: a paper"]


def test_the_distance_is_0_of_the_same_shares_and_1_of_other_labels():
    assert distance({"a": 1, "b": 3}, {"a": 25, "b": 75}) == 0
    assert distance({"a": 5}, {"b": 2}) == 1


@pytest.mark.parametrize(
    ("entry", "error", "words"),
    [
        ({"row": []}, UnknownChoice, "Did you mean rows"),
        ({"lexicon": {"form": 3}}, UnknownChoice, "Did you mean forms"),
        ({"rows": [{"test": "Case", "value": 0.5, "tolerance": 0.1}]}, PolyprobeError, "labels: {label: items}"),
        ({"rows": ["Case"]}, PolyprobeError, "found Case"),
        ({"rows": [{"test": "Case", "labels": {"None": "many"}}]}, PolyprobeError, "found {'test': 'Case'"),
    ],
)
def test_an_entry_of_another_shape_is_refused(entry, error, words):
    with pytest.raises(error, match=words):
        PublishedSets.of({**EXPECTED, **entry})
