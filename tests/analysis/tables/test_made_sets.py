"""What is printed of probing tests that were made, whatever suite made them."""

import pytest

from polyprobe.analysis.output.tables import show
from polyprobe.analysis.tables.made_sets import counts_in_parts, tables_of_tests

FORMS = {
    "filters": [
        {"filter": "rare labels", "unit": "forms", "taken": 0, "share": 0.0, "left": 1000},
        {"filter": "several labels", "unit": "forms", "taken": 250, "share": 0.25, "left": 750},
        {"filter": "with forms without the feature", "unit": "forms", "taken": 0, "share": 0.0, "left": 5000},
    ],
    "items": {"train": 70, "dev": 20, "test": 10},
    "labels": {"train": {"None": 40, "Dative": 30}, "dev": {"None": 20}, "test": {"Dative": 9, "Locative": 1}},
    "duplicates": 0,
    "ambiguity": {"repeated": 0.3, "several_labels": 0.25},
    "frequent_share": {"train": 0.8, "dev": 0.7, "test": 0.6},
    "shared_with_train": {"lemma": {"dev": 0.2, "test": 0.125}},
    "majority": {"label": "None", "accuracy": 0.4},
    "memoriser": 0.45,
}
SENTENCES = {
    "filters": [],
    "items": {"train": 2000, "dev": 100, "test": 100},
    "labels": {part: {f"w{n}": 2 for n in range(50)} for part in ("train", "dev", "test")},
    "duplicates": 3,
    "shared_with_train": {"document": {"dev": 0, "test": 0}},
    "majority": {"label": "w0", "accuracy": 0.02},
    "memoriser": 0.02,
}
SOURCES = [
    {"file": f"part{n}.conllu", "sha256": "0", "licence": "CC BY-SA 4.0", "revision": "UD/x 1a2b"} for n in range(6)
]
SOURCES.append({"file": "tr.txt", "sha256": "0", "licence": "unknown", "revision": "unknown"})


def rows(tests: dict, title: str) -> list[dict[str, str]]:
    record = {"tests": tests, "left_out": ["Mood: one label."], "made_from": SOURCES}
    plain = next(one for one in tables_of_tests(record) if one.title == title)
    return [dict(zip(plain.header, row, strict=True)) for row in plain.lines]


def test_a_run_of_which_no_test_came_says_why_and_of_what():
    record = {"tests": {}, "left_out": ["Mood: one label."], "made_from": SOURCES}
    tables = tables_of_tests(record)
    assert tables[0].notes == ["Mood: one label."]
    assert [table.title for table in tables] == ["Probing tests", "Sources"]


def test_a_test_has_a_line_with_its_figures_in_percent():
    (line,) = rows({"Case": FORMS}, "Probing tests")
    assert line == {
        "test": "Case",
        "items": "100",
        "labels": "3",
        "duplicates": "0",
        "ambiguous (%)": "25.00",
        "repeated (%)": "30.00",
        "frequent (%)": "80.00",
        "lemma of, train (%)": "12.50",
        "majority (%)": "40.00",
        "memoriser (%)": "45.00",
    }


def test_a_column_is_there_where_one_test_has_the_figure():
    assert {"ambiguous (%)", "frequent (%)"}.isdisjoint(rows({"WC": SENTENCES}, "Probing tests")[0])
    both = rows({"Case": FORMS, "WC": SENTENCES}, "Probing tests")
    assert [line["lemma of, train (%)"] for line in both] == ["12.50", ""]
    assert [line["document of, train (%)"] for line in both] == ["", "0.00"]


def test_filters_that_took_or_added_something_have_a_line():
    assert [list(line.values()) for line in rows({"Case": FORMS, "WC": SENTENCES}, "Items removed per filter")] == [
        ["Case", "several labels", "1,000 forms", "250", "25.00", "750"],
        ["", "with forms without the feature", "750 forms", "", "", "5,000"],
    ]


def test_a_filter_of_other_items_begins_with_those_that_came_to_it():
    steps = [
        {"filter": "no pseudoword", "unit": "words", "taken": 10, "share": 0.01, "left": 990},
        {"filter": "repeated", "unit": "pseudowords", "taken": 100, "share": 0.02, "left": 4900},
    ]
    lines = rows({"Pseudo": {**FORMS, "filters": steps}}, "Items removed per filter")
    assert [list(line.values())[2:] for line in lines] == [
        ["1,000 words", "10", "1.00", "990"],
        ["5,000 pseudowords", "100", "2.00", "4,900"],
    ]


def test_labels_are_counted_in_every_part_and_many_are_cut_with_a_word():
    case, words = rows({"Case": FORMS, "WC": SENTENCES}, "Labels")
    assert list(case.values()) == ["Case", "None: 40/20/0; Dative: 30/0/9; Locative: 0/0/1"]
    shown = list(words.values())[1].split("; ")
    assert shown[:2] == ["w0: 2/2/2", "w1: 2/2/2"]
    assert shown[10:] == ["40 more: 80/80/80"]
    assert list(counts_in_parts(FORMS["labels"]).values()) == [[40, 20, 0], [30, 0, 9], [0, 0, 1]]


@pytest.mark.parametrize("columns", ["80", "120"])
def test_the_tables_fit_on_a_terminal(columns, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", columns)
    show(tables_of_tests({"tests": {"Case": FORMS, "WC": SENTENCES}, "left_out": [], "made_from": SOURCES}))
    lines = capsys.readouterr().out.splitlines()
    assert max(len(line.replace("\x1b[1m", "").replace("\x1b[0m", "")) for line in lines) <= int(columns)
