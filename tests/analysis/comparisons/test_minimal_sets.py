"""Two runs of minimal sets against each other: McNemar's exact test over sets."""

import csv
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyprobe.analysis.comparisons.compare import compare
from polyprobe.analysis.comparisons.differences import mcnemar
from polyprobe.analysis.results.kinds import CONSTRUCTIONS, PROBING
from polyprobe.analysis.results.paired_runs import kind_of_runs
from polyprobe.errors import PolyprobeError, UnknownChoice
from tests.analysis.handmade import predicted_run, predictions
from tests.analysis.handmade_minimal_sets import minimal_set_run, set_scores
from tests.analysis.told import csv_file

HALF = [1.0] * 20 + [-1.0] * 20


def compared(work, *references, tests=None, rule=None) -> list[dict[str, str]]:
    with open(csv_file(compare(work, list(references), tests, rule)), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def printed(capsys) -> list[str]:
    return capsys.readouterr().out.splitlines()


@pytest.fixture
def two_runs(tmp_path):
    """Run b is right on 8 sets more than a in vp_coord and on 2 fewer, and on the same ones in prep_anim."""
    better = [-1.0] * 2 + [1.0] * 18 + [1.0] * 8 + [-1.0] * 12
    minimal_set_run(tmp_path, "a", set_scores("vp_coord", {"s1": HALF}), set_scores("prep_anim", {"s1": HALF}))
    minimal_set_run(tmp_path, "b", set_scores("vp_coord", {"s1": better}), set_scores("prep_anim", {"s1": HALF}))
    return tmp_path


def test_discordant_sets_decide(two_runs):
    vp_coord, prep_anim = compared(two_runs, "a", "b")
    assert (vp_coord["construction"], vp_coord["n"], vp_coord["n_lemmas"]) == ("vp_coord", "40", "2")
    assert (float(vp_coord["first"]), float(vp_coord["second"]), float(vp_coord["difference"])) == (0.5, 0.65, 0.15)
    assert (vp_coord["first_better"], vp_coord["second_better"]) == ("2", "8")
    assert float(vp_coord["p"]) == pytest.approx(2 * (1 + 10 + 45) / 1024)
    assert float(vp_coord["p_holm"]) == pytest.approx(4 * (1 + 10 + 45) / 1024)
    assert (float(prep_anim["difference"]), float(prep_anim["p"]), float(prep_anim["p_holm"])) == (0, 1, 1)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 12), st.integers(0, 12))
def test_mcnemar_is_the_sum_over_all_outcomes_that_are_no_likelier(first, second):
    n = first + second
    likelihoods = [math.comb(n, k) for k in range(n + 1)]
    expected = sum(one for one in likelihoods if one <= likelihoods[first]) / 2**n
    assert mcnemar(first, second) == pytest.approx(expected)


def test_seeds_are_averaged_in_each_set_first(tmp_path, capsys):
    minimal_set_run(tmp_path, "a", set_scores("vp_coord", {"s1": [1, 1, -1, -1], "s2": [1, -1, -1, -1]}))
    minimal_set_run(tmp_path, "b", set_scores("vp_coord", {"s1": [1, 1, 1, -1], "s2": [1, -1, -1, -1]}))
    (row,) = compared(tmp_path, "a", "b")
    assert (float(row["first"]), float(row["second"]), row["n_seeds"]) == (0.375, 0.5, "2")
    assert (row["first_better"], row["second_better"], float(row["p"])) == ("0", "1", 1)
    assert any("Scores of a set are averaged over seeds first." in line for line in printed(capsys))


def test_one_model_or_one_epoch_of_a_run_is_chosen(tmp_path):
    curve = {"s1/0": [-1, -1], "s2/0": [-1, -1], "s1/8": [1, 1], "s2/8": [1, -1]}
    minimal_set_run(tmp_path, "a", set_scores("vp_coord", curve))
    (row,) = compared(tmp_path, "a:0", "a:8")
    assert (row["first_run"], row["second_run"], float(row["difference"])) == ("a:s1/0, s2/0", "a:s1/8, s2/8", 0.75)
    (row,) = compared(tmp_path, "a:s1/8", "a:s2/8")
    assert (float(row["difference"]), row["n_seeds"]) == (-0.5, "1")
    with pytest.raises(PolyprobeError, match=r"a has several epochs: s1/0, s2/0, s1/8, s2/8\. Choose one"):
        compared(tmp_path, "a", "a:8")
    with pytest.raises(UnknownChoice, match='model of a "s3/8" is unknown'):
        compared(tmp_path, "a:s3/8", "a:8")


def test_sets_that_one_run_left_out_are_not_compared(tmp_path):
    minimal_set_run(tmp_path, "a", set_scores("vp_coord", {"s1": [1, 1, -1]}, left_out=np.array(["unknown", "", ""])))
    minimal_set_run(tmp_path, "b", set_scores("vp_coord", {"s1": [-1, 1, 1]}))
    (row,) = compared(tmp_path, "a", "b")
    assert (row["n"], row["skipped"], row["first_better"], row["second_better"]) == ("2", "1", "0", "1")


def test_a_construction_that_no_one_scored_has_no_p_value(two_runs, capsys):
    left_out = np.full(40, "no single pieces")
    minimal_set_run(
        two_runs, "c", set_scores("vp_coord", {"s1": HALF}, left_out=left_out), set_scores("prep_anim", {"s1": HALF})
    )
    vp_coord, prep_anim = compared(two_runs, "a", "c")
    assert (vp_coord["n"], vp_coord["p"], vp_coord["p_holm"]) == ("0", "", "")
    assert prep_anim["p_holm"] == prep_anim["p"]
    assert ["vp_coord", "0*†", "40", "0", "-", "-"] in [line.split()[:6] for line in printed(capsys)]


def test_ties_are_worth_in_both_runs_what_they_are_in_the_first(tmp_path):
    minimal_set_run(tmp_path, "a", set_scores("vp_coord", {"s1": [0, 0, 1]}), ties="half")
    minimal_set_run(tmp_path, "b", set_scores("vp_coord", {"s1": [1, 0, -1]}))
    assert float(compared(tmp_path, "a", "b")[0]["first"]) == pytest.approx(2 / 3)
    assert float(compared(tmp_path, "b", "a")[0]["first"]) == pytest.approx(1 / 3)


def test_a_predictor_of_the_focus_alone_is_compared_by_it(two_runs):
    minimal_set_run(two_runs, "c", set_scores("vp_coord", {"s1": HALF}, sums=np.full((1, 80), np.nan)))
    (row,) = compared(two_runs, "a", "c")
    assert (row["rules"], float(row["second"]), row["first_better"]) == ("sum and focus", 0.5, "20")
    (row,) = compared(two_runs, "a", "c", rule="focus")
    assert (row["rules"], float(row["difference"])) == ("focus", 0)


def test_named_constructions_alone_are_corrected_for(two_runs):
    (row,) = compared(two_runs, "a", "b", tests=["vp_coord"])
    assert row["p_holm"] == row["p"]
    with pytest.raises(UnknownChoice, match=r'construction "vp_cord" is unknown\. Did you mean vp_coord'):
        compared(two_runs, "a", "b", tests=["vp_cord"])


def test_other_sentences_are_refused_by_their_set(tmp_path):
    minimal_set_run(tmp_path, "a", set_scores("vp_coord", {"s1": [1, 1]}))
    other = np.array(["set 1 good", "set 1 bad", "Set 2 good", "set 2 bad"])
    minimal_set_run(tmp_path, "b", set_scores("vp_coord", {"s1": [1, 1]}, sentences=other))
    with pytest.raises(PolyprobeError, match=r"vp_coord: a and b have other sets .*Set 2 good"):
        compared(tmp_path, "a", "b")


def test_a_run_of_minimal_sets_and_a_probing_run_cannot_stand_together(two_runs):
    predicted_run(two_runs, "probed", predictions("Case", {"x": [[1, 0]]}))
    assert kind_of_runs(two_runs, ["a", "b"]) is CONSTRUCTIONS
    assert kind_of_runs(two_runs, ["probed", "probed:x"]) is PROBING
    with pytest.raises(PolyprobeError, match="probed scored no minimal sets, as the other runs did"):
        kind_of_runs(two_runs, ["a", "probed"])


def test_what_was_configured_otherwise_is_said_but_for_places(two_runs, capsys):
    for name, order, folder in (("a", 3, "x"), ("b", 5, "y")):
        config = f"predictor: {{order: {order}, paths: {{data: {folder}}}, device: {folder}}}"
        (two_runs / "runs" / "probe" / name / "config.yaml").write_text(config)
    compared(two_runs, "a", "b")
    said = [line for line in printed(capsys) if line.startswith("Settings that differ")]
    assert said == ["Settings that differ: predictor.order: 3, 5"]


def test_a_training_run_that_scored_its_epochs_has_no_scores_of_single_sets(two_runs):
    (file,) = (two_runs / "runs" / "probe" / "b" / "set_scores").glob("vp_coord.npz")
    file.unlink()
    (file.parent / "prep_anim.npz").unlink()
    assert kind_of_runs(two_runs, ["a", "b"]) is CONSTRUCTIONS
    with pytest.raises(PolyprobeError, match=r"b has no scores of single sets, as runs of probe\.py have"):
        compared(two_runs, "a", "b")
