import math

import pytest

from polyprobe.analysis.output.tables import show
from polyprobe.analysis.reports.expectations import (
    SHAPES,
    CheckedExpectation,
    compare,
    expected_table,
    report_expected,
    report_expected_of_runs,
)
from polyprobe.errors import PolyprobeError, UnknownChoice
from tests.analysis.handmade import as_read, probing, probing_run, training_run

CASE_8 = {"test": "Case", "layer": "encoding", "epoch": 8}
CASE = {"test": "Case", "layer": "encoding", "from_epoch": 0, "to_epoch": 8}


@pytest.fixture
def rows(tmp_path):
    return as_read(probing_run(), tmp_path)


def compare_one(entry, rows) -> CheckedExpectation:
    (comparison,) = compare({"source": "a paper", "rows": [entry]}, rows)
    return comparison


def test_a_value_within_its_tolerance_holds(rows):
    found = compare_one({**CASE_8, "value": 0.82, "tolerance": 0.02}, rows)
    assert (found.expectation.named, found.expected, found.found) == ("Case, encoding, epoch 8", "82.0 ±2.0", "80.0")
    assert found.difference == pytest.approx(-0.02)
    assert found.holds


def test_a_perplexity_is_shown_as_it_is():
    rows = [{"test": "", "split": "test", "metric": "perplexity", "value": 61.25}]
    found = compare_one({"split": "test", "metric": "perplexity", "value": 57.9, "tolerance": 5.75}, rows)
    assert (found.expected, found.found, found.expectation.is_in_percent) == ("57.9 ±5.75", "61.25", False)
    assert found.difference == pytest.approx(3.35)
    assert found.holds


def test_a_table_says_that_perplexities_are_no_percentages():
    rows = [
        {"test": "", "split": "test", "metric": "perplexity", "value": 1109.70612345},
        {"test": "", "split": "test", "metric": "accuracy", "value": 0.5},
    ]
    entries = [
        {"split": "test", "metric": "perplexity", "value": 46.31, "tolerance": 4.63},
        {"split": "test", "metric": "accuracy", "value": 0.6, "tolerance": 0.01},
    ]

    def table(entries):
        return expected_table(compare({"source": "a paper", "rows": entries}, rows), "a paper")

    assert [list(column) for column in zip(*table(entries).rows, strict=True)][2:4] == [
        ["1,109.71", "50.0"],
        ["+1,063.4", "-10.0"],
    ]
    assert table(entries).notes[0] == "Perplexities, counts and bits are not percentages."
    assert [table([entry]).title for entry in entries] == ["Expected and found", "Expected and found (%)"]
    assert table(entries[:1]).notes == ["Source: a paper"]


@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        ({"value": 0.75, "tolerance": 0.04}, False),
        ({"at_least": 0.8}, True),
        ({"at_least": 0.81}, False),
        ({"at_most": 0.8}, True),
        ({"at_most": 0.79}, False),
        ({"column": "majority", "value": 0.3, "tolerance": 0}, True),
        ({"column": "n", "value": 201, "tolerance": 0}, False),
    ],
)
def test_a_claim_about_one_row(rows, claim, holds):
    assert compare_one({**CASE_8, **claim}, rows).holds is holds


@pytest.mark.parametrize(
    ("test", "shape", "by", "holds"),
    [
        ("Case", "rises", 0.3, True),
        ("Case", "rises", 0.31, False),
        ("Case", "does_not_rise", 0.1, False),
        ("CharacterBin", "does_not_rise", 0.02, True),
        ("CharacterBin", "rises", 0.02, False),
        ("Case", "falls", 0.3, False),
    ],
)
def test_a_claim_about_a_curve(rows, test, shape, by, holds):
    assert compare_one({**CASE, "test": test, "shape": shape, "by": by}, rows).holds is holds


def test_a_flat_curve_does_not_rise():
    assert not SHAPES["rises"](0.0, 0.0)
    assert not SHAPES["falls"](0.0, 0.0)
    assert SHAPES["does_not_rise"](0.0, 0.0)
    assert SHAPES["rises"](0.001, 0.0)


@pytest.mark.parametrize(
    ("after", "holds"),
    [(0.69, True), (0.6, True), (0.71, False), (0.7, True), (0.8, False), (math.nan, False)],
)
def test_a_curve_falls_by_at_least_so_much(after, holds):
    rows = [{"test": "Case", "epoch": epoch, "value": value} for epoch, value in ((1, 0.8), (10, after))]
    entry = {"test": "Case", "shape": "falls", "from_epoch": 1, "to_epoch": 10, "by": 0.1}
    assert compare_one(entry, rows).holds is holds


@pytest.mark.parametrize(
    ("before", "after", "shape", "holds"),
    [
        ((0.80, 0.78, 0.82), (0.84, 0.82, 0.86), "rises", True),  # by 4 points, 2 and 2 together
        ((0.80, 0.78, 0.82), (0.83, 0.81, 0.85), "rises", False),
        ((0.80, 0.78, 0.82), (0.83, 0.81, 0.85), "does_not_rise", True),
        ((0.80, 0.78, 0.82), (0.84, 0.82, 0.86), "does_not_rise", False),
        ((0.80, 0.78, 0.82), (0.75, 0.72, 0.78), "falls", True),
        ((0.80, 0.78, 0.82), (0.76, 0.73, 0.79), "falls", False),
    ],
)
def test_a_large_change_is_larger_than_both_half_intervals_together(before, after, shape, holds):
    names = ("value", "interval_low", "interval_high")
    rows = [
        {"test": "Case", "epoch": 2 + n, **dict(zip(names, end, strict=True))} for n, end in enumerate((before, after))
    ]
    entry = {"test": "Case", "shape": shape, "from_epoch": 2, "to_epoch": 3, "by": "intervals"}
    assert compare_one(entry, rows).holds is holds


def test_the_size_of_a_large_change_is_told(rows):
    found = compare_one({**CASE, "shape": "rises", "by": "intervals"}, rows)  # 50 ±3 to 80 ±3
    assert (found.expected, found.holds) == ("rises by 6.0 (both intervals), epoch 0 to 8", True)


def test_a_large_change_needs_intervals():
    rows = [{"test": "Case", "epoch": epoch, "value": 0.5} for epoch in (0, 8)]
    found = compare_one({"test": "Case", "shape": "rises", "from_epoch": 0, "to_epoch": 8, "by": "intervals"}, rows)
    assert (found.expected, found.found) == (
        "rises by more than the intervals, epoch 0 to 8",
        "the row has no interval_low",
    )


def test_another_word_for_the_size_of_a_change_is_refused(rows):
    with pytest.raises(UnknownChoice, match="Did you mean intervals"):
        compare_one({**CASE, "shape": "rises", "by": "interval"}, rows)


def test_baselines_and_claims_are_counted_apart(rows, capsys):
    entries = [
        {**CASE_8, "column": "majority", "value": 0.3, "tolerance": 0.0},
        {"stage": "downstream", "epoch": 8, "at_least": 0.5},
        {**CASE_8, "column": "memoriser", "value": 0.35, "tolerance": 0.0},
        {**CASE, "shape": "rises", "by": 0.3},
        {**CASE, "test": "CharacterBin", "shape": "rises", "by": 0.0},
        {**CASE, "test": "CharacterBin", "shape": "does_not_rise", "by": "intervals"},
    ]
    show(report_expected({"source": "a paper", "rows": entries}, rows))
    assert " ".join(capsys.readouterr().out.split()).endswith(
        "1 of 2 claimed rises holds; 1 of 1 claims of no rise holds; 1 of 1 expectations holds; "
        "2 of 2 baselines equal their source."
    )


def test_a_curve_shows_both_ends_and_the_change(rows):
    found = compare_one({**CASE, "shape": "rises", "by": 0.1}, rows)
    assert (found.expected, found.found) == ("rises by 10.0, epoch 0 to 8", "50.0 to 80.0")
    assert found.difference == pytest.approx(0.3)


def test_an_average_over_seeds_goes_before_single_seeds(rows):
    assert compare_one({**CASE_8, "at_least": 0}, rows).found == "80.0"
    assert compare_one({**CASE_8, "seed": None, "at_least": 0}, rows).found == "80.0"
    assert compare_one({**CASE_8, "seed": 1, "at_least": 0}, rows).found == "81.0"


def test_null_selects_rows_that_lack_the_column(tmp_path):
    rows = as_read(training_run(), tmp_path)
    selector = {"suite": "srl", "stage": "test", "split": "test", "layer": None, "test": ""}
    assert compare_one({**selector, "at_least": 0.6}, rows).found == "61.0"


@pytest.mark.parametrize(
    ("entry", "found"),
    [
        ({"test": "Cas", "at_least": 0}, "no rows match"),
        ({"test": "Case", "at_least": 0}, "2 rows match"),
        ({**CASE, "to_epoch": 20, "shape": "rises", "by": 0}, "no rows match"),
        ({**CASE_8, "column": "leakage", "at_most": 1}, "the row has no leakage"),
    ],
)
def test_a_selector_without_exactly_one_row_does_not_hold_and_says_so(rows, entry, found):
    comparison = compare_one(entry, rows)
    assert (comparison.found, comparison.difference, comparison.holds) == (found, None, False)


def test_bits_are_no_percents(tmp_path):
    coded = as_read([probing("Case", 0.8, codelength=1193.0, compression=1.86)], tmp_path)
    found = compare_one({"test": "Case", "column": "codelength", "at_most": 1200}, coded)
    assert (found.expected, found.found) == ("at most 1,200", "1,193")


def test_a_misspelt_key_names_the_nearest(rows):
    with pytest.raises(UnknownChoice, match="Did you mean tolerance"):
        compare_one({**CASE_8, "value": 0.8, "tolerence": 0.1}, rows)


def test_a_misspelt_shape_names_the_nearest(rows):
    with pytest.raises(UnknownChoice, match="Did you mean rises"):
        compare_one({**CASE, "shape": "rise", "by": 0.1}, rows)


@pytest.mark.parametrize(
    "claim", [{}, {"value": 0.8}, {"at_least": 0.1, "at_most": 0.9}, {"shape": "rises", "from_epoch": 0}]
)
def test_an_entry_that_claims_nothing_or_not_enough_is_refused(rows, claim):
    with pytest.raises(PolyprobeError, match=r"claims|lacks"):
        compare_one({**CASE_8, **claim}, rows)


def test_the_table_prints_every_comparison_and_the_source(rows, capsys):
    entries = [{**CASE_8, "at_least": 0.7}, {**CASE_8, "column": "n", "value": 150, "tolerance": 10}]
    show(report_expected({"source": "A paper, Figure 2", "rows": entries}, rows))
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "Case, encoding, epoch 8 at least 70.0 80.0 +10.0 yes" in lines
    assert "Case, encoding, epoch 8: n 150 ±10 200 +50 NO" in lines
    assert "Source: A paper, Figure 2" in lines
    assert lines[-1] == "1 of 2 expectations holds."


LENGTH = {"suite": "senteval", "encoder": "length", "test": "Tense", "value": 0.5}
BOV = {"suite": "senteval", "encoder": "bov", "test": "Tense", "value": 0.9}
TABLE = {
    "source": "a paper",
    "about": {"suite": "senteval"},
    "rows": [
        {"encoder": "length", "tests": {"Tense": 0.51, "WC": 0.0}, "tolerance": 0.02},
        {"encoder": "bov", "tests": {"Tense": 0.8}, "tolerance": 0.02},
    ],
}


def test_a_line_of_a_table_is_an_expectation_for_each_of_its_tests():
    found = compare({"rows": TABLE["rows"][:1]}, [LENGTH, {**LENGTH, "test": "WC", "value": 0.001}])
    assert [(one.expectation.named, one.expected, one.found, one.holds) for one in found] == [
        ("length, Tense", "51.0 ±2.0", "50.0", True),
        ("length, WC", "0.0 ±2.0", "0.1", True),
    ]


def test_a_run_is_compared_with_what_is_about_its_encoder_and_its_tests(capsys):
    show(report_expected(TABLE, [LENGTH]))
    said = capsys.readouterr().out
    assert "1 of 1 expectations holds." in said
    assert "1 expectations are about tests that were not run." in said
    assert "bov" not in said


def test_a_run_on_other_data_is_told_the_values_without_a_verdict(capsys):
    show(report_expected(TABLE, [{**LENGTH, "suite": "xprobe"}]))
    said = " ".join(capsys.readouterr().out.split())
    assert "length, Tense 51.0 ±2.0 50.0 -1.0 -" in said
    assert "about suite=senteval: other data than this run's, so none of them is checked." in said


def test_a_run_of_another_language_is_told_no_values(capsys):
    about = {**TABLE, "about": {"suite": "senteval", "lang": "en"}}
    show(report_expected(about, [{**LENGTH, "lang": "mini"}]))
    said = " ".join(capsys.readouterr().out.split())
    assert "Tense" not in said
    assert "Expected values are about suite=senteval lang=en: other data" in said


def test_a_line_names_the_row_of_the_published_table():
    (found,) = compare({"rows": [{"row": "bilstm_max fr", "encoder": "bov", "value": 0.9, "tolerance": 0}]}, [BOV])
    assert (found.expectation.named, found.holds) == ("bilstm_max fr, bov", True)


def test_an_encoder_that_the_table_does_not_have_is_not_compared(capsys):
    show(report_expected(TABLE, [{**LENGTH, "encoder": "elmo"}]))
    assert capsys.readouterr().out == ""


def test_the_runs_of_a_table_stand_in_one(capsys):
    show(report_expected_of_runs([(TABLE, [LENGTH]), (TABLE, [BOV])]))
    said = capsys.readouterr().out
    assert "1 of 2 expectations holds." in said
    assert said.count("length, Tense") == said.count("bov, Tense") == 1
