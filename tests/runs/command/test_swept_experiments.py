"""Experiments that say what they sweep over."""

import pytest

from polyprobe.runs.command.overrides import CommandLineError
from polyprobe.runs.command.swept_experiments import with_sweep_of_experiment


@pytest.fixture(autouse=True)
def own_experiments(tmp_path, monkeypatch):
    folder = tmp_path / "experiment"
    folder.mkdir()
    (folder / "rows.yaml").write_text("sweep:\n  encoder: [length, bov]\n  seed: [1, 2]\n")
    (folder / "plain.yaml").write_text("seed: 3\n")
    (folder / "odd.yaml").write_text("sweep: {seed: 1}\n")
    monkeypatch.setenv("POLYPROBE_CONF", str(tmp_path))


def test_what_the_experiment_sweeps_over_is_added_as_if_typed():
    typed = ["-m", "experiment=rows", "suite=xprobe"]
    assert with_sweep_of_experiment("probe", typed) == [*typed, "encoder=length,bov", "seed=1,2"]


def test_what_is_typed_goes_before():
    typed = ["-m", "experiment=rows", "encoder=tfidf", "encoder.max_n=1,2"]
    assert with_sweep_of_experiment("probe", typed) == [*typed, "seed=1,2"]


def test_one_run_of_the_table_needs_all_that_it_sweeps_over():
    typed = ["experiment=rows", "encoder=length", "seed=1"]
    assert with_sweep_of_experiment("probe", typed) == typed
    with pytest.raises(CommandLineError, match="Add -m for all of them, or choose encoder=… seed=…"):
        with_sweep_of_experiment("probe", ["experiment=rows"])


@pytest.mark.parametrize("experiment", ["experiment=plain", "experiment=unknown", "experiment=rows,plain", "seed=1"])
def test_other_experiments_and_sweeps_over_experiments_are_left_as_typed(experiment):
    assert with_sweep_of_experiment("probe", ["-m", experiment]) == ["-m", experiment]


def test_an_experiment_of_another_command_is_refused_before_m_is_asked_for():
    with pytest.raises(CommandLineError, match=r"^experiment=senteval_table2 is for probe\.py, not for train\.py\.$"):
        with_sweep_of_experiment("train", ["experiment=senteval_table2"])


def test_a_sweep_over_no_list_is_refused():
    with pytest.raises(CommandLineError, match="sweep must be keys with lists of values"):
        with_sweep_of_experiment("probe", ["-m", "experiment=odd"])
