"""The groups and means of conf/suite/clams.yaml, against the printed numbers of Mueller et al. (2020)."""

import csv
from statistics import fmean

import pytest

from polyprobe.named import built
from polyprobe.runs.names.conf_folders import CONF
from tests.runs.composed import composed

ENGLISH_SETS = {  # counted in the published files
    "obj_rel_within_anim": 11200, "obj_rel_within_inanim": 10080, "obj_rel_no_comp_within_anim": 11200,
    "obj_rel_no_comp_within_inanim": 10080, "obj_rel_across_anim": 11200, "obj_rel_across_inanim": 10080,
    "obj_rel_no_comp_across_anim": 11200, "obj_rel_no_comp_across_inanim": 10080, "prep_anim": 16800,
    "prep_inanim": 5040,
}  # fmt: skip
SHARES = {"within": {"anim": (3, 4), "inanim": (3, 4)}, "across": {"anim": (6, 7), "inanim": (1, 1)}}


@pytest.fixture(scope="module")
def clams():
    return built(composed("probe", "suite=clams", "predictor=masked", "predictor.model=x")["suite"], "suite")


def printed(table, column):
    with (CONF.parent / "published" / "clams.csv").open(encoding="utf-8", newline="") as file:
        return {
            row["row"]: float(row["value"])
            for row in csv.DictReader(file)
            if (row["table"], row["column"]) == (table, column)
        }


@pytest.mark.parametrize("model", ["BERT base", "mBERT"])
def test_the_averages_of_table_3_are_the_unweighted_means_of_its_lines(clams, model):
    lines = printed("3", model)
    for name, members in clams.means.items():
        assert fmean(lines[member] for member in members) == pytest.approx(lines[name], abs=0.0051)


def test_the_counts_of_table_7_pool_animate_and_inanimate_subjects(clams):
    """BERT base has both forms of 6 of 7 main verbs for persons, of all for things, and of 3 of 4 verbs within."""
    lines = printed("7", "English BERT base")
    (animacy,) = clams.groupings
    for group, tests in animacy.tests.items():
        shares = SHARES["within" if "within" in group else "across"]
        parts = [(ENGLISH_SETS[test], shares[test.rpartition("_")[2]]) for test in tests]
        assert sum(n * used // of for n, (used, of) in parts) == lines[group]


def test_groups_and_means_of_constructions_that_are_not_scored_change_no_name(clams):
    assert clams.of_identity(clams.tests) == {}
    scored = [test for tests in clams.groupings[0].tests.values() for test in tests]
    assert set(clams.of_identity(scored)) == {"groups"}
