"""Rows of several constructions together, worked out by hand."""

from dataclasses import replace

import numpy as np
import pytest

from polyprobe.probing.minimal_sets.findings import NO_SCORE
from tests.probing.minimal_sets.small_suite import GivenLogProbabilities, construction, findings_of, rows_of

TABLE = {"hen": -1.0, "cow": -1.0, "eats": -2.0, "eat": -4.0, "walks": -3.0, "walk": -2.5}
RIGHT, WRONG, TIE = ("hen eats", "hen eat"), ("hen walks", "hen walk"), ("cow eats", "cow eats")


def grouped(name, sets, *groups):
    return replace(construction(name, *sets), groups={"phenomenon": np.array(groups)})


@pytest.fixture
def constructions():
    small = grouped("small", [RIGHT], "agreement")
    large = grouped("large", [RIGHT, WRONG, WRONG, TIE], *["agreement"] * 3, "other")
    return [small, large, grouped("alone", [WRONG], "")]


def test_a_group_counts_all_sets_of_its_constructions_together(constructions):
    found = findings_of(constructions, [GivenLogProbabilities(TABLE)])
    (row,) = rows_of(found, stage="minimal_set_groups", test="agreement", metric="accuracy")
    assert (row.grouping, row.n, row.correct, row.wrong, row.ties) == ("phenomenon", 4, 2, 2, 0)
    assert row.value == 0.5  # and not the mean of 1 and 1/3
    assert row.interval_low < 0.5 < row.interval_high
    assert row.note == "sets of 2 constructions, fewer than 30 sets"
    assert row.constructions == "small+large"


def test_groups_have_rows_of_their_own_stage_for_each_metric_and_leave_the_others_alone(constructions):
    found = findings_of(constructions, [GivenLogProbabilities(TABLE)])
    assert {row.test for row in rows_of(found, stage="minimal_set_groups")} == {"agreement", "other"}
    assert len(rows_of(found, stage="minimal_set_groups", test="other")) == 4
    assert {row.test for row in rows_of(found, stage="minimal_sets")} == {"small", "large", "alone", ""}
    assert all(row.grouping is None for row in rows_of(found, stage="minimal_sets"))


def test_seeds_of_a_group_have_rows_of_their_own_and_an_average(constructions):
    other = {**TABLE, "walk": -9.0}
    found = findings_of(constructions, [GivenLogProbabilities(TABLE, seed=1), GivenLogProbabilities(other, seed=2)])
    rows = rows_of(found, test="agreement", metric="accuracy")
    assert [(row.seed, row.value) for row in rows] == [(1, 0.5), (2, 1.0), (None, 0.75)]
    assert rows[-1].sd == pytest.approx(np.std([0.5, 1.0], ddof=1))


def test_a_mean_that_the_suite_names_weighs_constructions_and_groups_alike(constructions):
    means = {"both": ["agreement", "alone", "small"]}
    other = {**TABLE, "walk": -9.0}
    models = [GivenLogProbabilities(TABLE, seed=1), GivenLogProbabilities(other, seed=2)]
    rows = rows_of(findings_of(constructions, models, means=means), test="both")
    expected = [(0.5 + 0 + 1) / 3, (1 + 1 + 1) / 3]
    assert [row.value for row in rows] == pytest.approx([*expected, np.mean(expected)])
    assert {(row.stage, row.grouping, row.n) for row in rows} == {("minimal_set_groups", "average", 6)}
    assert rows[-1].note == "mean over 3 lines"
    assert rows[-1].sd == pytest.approx(np.std(expected, ddof=1))


def test_a_mean_has_no_value_where_a_line_has_no_scored_set(constructions):
    models = [GivenLogProbabilities(TABLE, seed=seed, refused=["cow"]) for seed in (1, 2)]
    rows = rows_of(findings_of(constructions, models, means={"both": ["agreement", "other"]}), test="both")
    assert [(row.seed, row.value, row.sd) for row in rows] == [(1, None, None), (2, None, None), (None, None, None)]
    assert rows[-1].note == "no mean over 2 lines: other without a score"


def test_a_group_says_which_of_its_sets_are_left_out_or_have_unknown_words():
    """The first two sets of each construction are in the group; the third is not counted in its note."""
    unknown, refused = ("hen sleeps", "hen sleep"), ("sheep eats", "sheep eat")
    sets = [grouped(name, [unknown, refused, unknown], "agreement", "agreement", "") for name in ("one", "two")]
    found = findings_of(sets, [GivenLogProbabilities(TABLE, refused=["sheep"])])
    (row,) = rows_of(found, test="agreement", metric="accuracy")
    notes = ["2 sets left out: a refused word", "2 sets with an OOV or unscored critical word"]
    assert row.value is None
    assert row.note == ", ".join([NO_SCORE, "sets of 2 constructions", *notes, "fewer than 30 sets"])
    (skipped,) = rows_of(
        findings_of(sets, [GivenLogProbabilities(TABLE)], unknown_focus="skipped"), test="agreement", metric="accuracy"
    )
    assert (skipped.n, skipped.skipped) == (2, 2)
    assert "2 sets left out: an OOV or unscored critical word" in skipped.note


def test_groups_that_a_construction_lacks_are_an_error(constructions):
    without = [replace(one, groups={}) for one in constructions]
    with pytest.raises(KeyError):
        findings_of([*constructions[:2], *without[2:]], [GivenLogProbabilities(TABLE)]).rows()
    assert not rows_of(findings_of(without, [GivenLogProbabilities(TABLE)]), stage="minimal_set_groups")


def test_a_mean_leaves_the_average_of_the_run_alone(constructions):
    found = findings_of(constructions, [GivenLogProbabilities(TABLE)], means={"both": ["agreement"]})
    (whole,) = rows_of(found, test="")
    assert whole.value == pytest.approx((1 + 1 / 4 + 0) / 3)


def test_identical_sentences_are_counted_in_rows_of_constructions_and_groups(constructions):
    found = findings_of(constructions, [GivenLogProbabilities(TABLE)])
    counted = {(row.stage, row.test): row.identical for row in rows_of(found, metric="accuracy")}
    assert counted[("minimal_sets", "large")] == counted[("minimal_set_groups", "other")] == 1
    assert counted[("minimal_sets", "small")] == counted[("minimal_set_groups", "agreement")] == 0
