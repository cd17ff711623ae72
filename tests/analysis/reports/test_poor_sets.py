"""What is said of sets that are poor."""

import pytest

from polyprobe.analysis.reports.generated import broken_definitions, poor_tests

GOOD = {
    "labels": {"train": {"A": 350, "B": 350}, "dev": {"A": 100, "B": 100}, "test": {"A": 50, "B": 50}},
    "majority": {"label": "A", "accuracy": 0.5},
    "inputs_of_several_labels": 0,
    "reversed_pairs": 0,
    "frequent_share": {"train": 0.8, "dev": 0.8, "test": 0.8},
    "frequent_draw": {"train": "80% frequent", "dev": "80% frequent", "test": "80% frequent"},
}
RARE = {"train": {"A": 670, "C": 30}, "dev": {"A": 192, "C": 8}, "test": {"A": 100}}


def test_nothing_is_said_of_a_good_set_or_of_what_earlier_runs_did_not_count():
    assert list(poor_tests({"Case": GOOD}, "type_level", {})) == []
    assert list(poor_tests({"Case": {"labels": GOOD["labels"]}}, "type_level", {})) == []


@pytest.mark.parametrize(
    ("changes", "said", "option"),
    [
        ({"majority": {"label": "A", "accuracy": 0.612}}, "majority above 60 %: Case 61.2", "balance=labels"),
        ({"labels": RARE}, "a label with fewer than 30 items in a split: Case (C: 0)", "least_of_label="),
        ({"inputs_of_several_labels": 20}, "inputs with two labels: Case 20", "repeated_pairs=left_out"),
        ({"reversed_pairs": 88}, "pairs that also occur reversed: Case 88", "repeated_pairs=left_out"),
        (
            {"frequent_draw": {"all": "all frequent, rare for the rest"}, "frequent_share": {"train": 0.31}},
            "share of frequent words not reached, of train (%): Case 31",
            "made_from.frequency=<file>",
        ),
    ],
)
def test_each_fault_is_a_line_with_the_option_that_helps(changes, said, option):
    (line,) = poor_tests({"Case": {**GOOD, **changes}, "Tense": GOOD}, "type_level", {"balance": "draw"})
    assert line.startswith(f"{said}; type_level.")
    assert option in line


def test_an_option_that_is_chosen_already_or_is_about_other_tests_is_not_named():
    (line,) = poor_tests({"OddFeat": {**GOOD, "labels": RARE}}, "type_level", {"balance": "labels"})
    assert line == "a label with fewer than 30 items in a split: OddFeat (C: 0)"
    (line,) = poor_tests({"Case": {**GOOD, "labels": RARE}}, "type_level", {"balance": "labels"})
    assert line.endswith("; type_level.least_of_label=<number> drops it from a feature")


def test_options_that_a_suite_lacks_are_not_named():
    poor = {**GOOD, "majority": {"label": "A", "accuracy": 0.7}, "inputs_of_several_labels": 1}
    assert list(poor_tests({"SentLen": poor}, "", {})) == [
        "majority above 60 %: SentLen 70.0",
        "inputs with two labels: SentLen 1",
    ]


def test_rows_that_break_a_definition_are_counted_and_the_first_one_is_named():
    first = "OddFeat/train.txt, line 27: matlaydın matlalardı (Number)"
    found = {"Case": {"rows": 600, "broken": 0, "first": None}, "OddFeat": {"rows": 400, "broken": 7, "first": first}}
    line = broken_definitions(found, "article")
    assert line == f"7 of 1,000 rows break the article's definition: OddFeat 7. The first: {first}"
    assert broken_definitions(found, "released").endswith("; expected with rules=released, absent with rules=article")
    assert broken_definitions({"Case": found["Case"]}, "article").startswith("all 600 rows agree with")
