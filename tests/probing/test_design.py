"""A probe of its own for a test."""

from pathlib import Path

import pytest
import yaml

from polyprobe.errors import BadValue, PolyprobeError
from polyprobe.probing.bank.outcome_cache import KeptOutcomes
from polyprobe.probing.design import own_probes, shared_probe
from polyprobe.probing.probing_run import counts_of_design
from polyprobe.probing.stages import probe_outcomes
from polyprobe.runs.names.conf_folders import choice_settings
from tests.probing.small_study import encoded_tests, ngrams, study, train

SENTEVAL = yaml.safe_load((Path(__file__).parents[2] / "conf/probe/senteval.yaml").read_text("utf-8"))


def test_word_content_has_no_hidden_layer_and_the_other_tests_have_the_whole_grid():
    own = own_probes(SENTEVAL, ["SentLen", "WC"])
    assert own.keys() == {"WC"}
    assert [spec.hidden_size for spec in own["WC"].probe.specs] == [None] * 4
    assert [spec.weight_decay for spec in own["WC"].probe.specs] == [1e-5, 1e-4, 1e-3, 1e-2]
    assert own["WC"].difference == "hidden_size=null dropout=0.0"
    assert shared_probe(SENTEVAL).n_probes == 36


def test_a_test_that_is_not_asked_or_is_set_to_null_has_no_probe_of_its_own():
    assert own_probes(SENTEVAL, ["Tense"]) == {}
    assert own_probes({**SENTEVAL, "of_tests": {"WC": None}}, ["WC"]) == {}
    assert own_probes({"of_tests": None}, ["WC"]) == {}


def test_options_that_are_no_group_or_unknown_are_refused_with_their_key():
    with pytest.raises(BadValue, match=r"probe\.of_tests\.WC must be a group"):
        own_probes({**SENTEVAL, "of_tests": {"WC": "linear"}}, ["WC"])
    with pytest.raises(PolyprobeError, match=r"probe\.of_tests\.WC: .*hiden_size"):
        own_probes({**SENTEVAL, "of_tests": {"WC": {"hiden_size": None}}}, ["WC"])


def test_the_released_probe_of_rusenteval_weighs_the_labels_of_two_tests():
    released = choice_settings("probe", "rusenteval_released")
    own = own_probes(released, ["SentLen", "Gapping", "TreeDepth"])
    assert {name: {spec.loss_weights for spec in one.probe.specs} for name, one in own.items()} == {
        "Gapping": {"inverse_frequency"},
        "TreeDepth": {"inverse_frequency"},
    }
    assert {(spec.loss_weights, spec.kept_weights) for spec in shared_probe(released).specs} == {("none", "last")}
    assert {spec.kept_weights for spec in own["Gapping"].probe.specs} == {"last"}


def test_a_study_trains_the_probe_of_a_test_counts_it_and_says_so(tmp_path):
    grid = {**SENTEVAL, "max_epochs": 4, "of_tests": {"POS": SENTEVAL["of_tests"]["WC"]}}
    one = study(probe=shared_probe(grid))
    name = one.tests[0].name
    other = study(
        probe=shared_probe(grid), own_probes=own_probes({**grid, "of_tests": {name: {"hidden_size": None}}}, [name])
    )
    assert counts_of_design(one, ngrams(), False)["probes"] == 2 * 36
    assert counts_of_design(other, ngrams(), False)["probes"] == 2 * 4
    assert other.own_probes[name].difference == "hidden_size=null"
    kept = KeptOutcomes(tmp_path / "outcomes", grid)
    found = probe_outcomes(other, encoded_tests(other, tmp_path), train, kept)
    assert all(outcome.cell.startswith("weight_decay=") for outcome in found["probing"].outcomes[name, 0])
