"""A run that is killed goes on with the same command and ends with the very same numbers."""

import random

import pytest

from tests.commands.forked import run_script
from tests.commands.scripts import only_run, small_training
from tests.training.killed_runs import killed_after, started
from tests.training.same_runs import assert_same

EPOCHS = ["trainer.max_epochs=8", "probe_each_epoch=[Case,Person]", "probe.max_epochs=3"]


def finished(arguments, work):
    done = run_script("train", *arguments)
    assert done.returncode == 0, done.stderr
    return only_run(work, "train")


@pytest.mark.parametrize(("task", "n_kills"), [("srl", 6), ("pos", 4), ("ner", 4), ("dep", 4), ("nli", 4)])
def test_a_run_killed_at_several_instants_ends_with_the_same_numbers(task, n_kills, small_data, tmp_path):
    cut_off, whole = (small_training(small_data, tmp_path / name, *EPOCHS, task=task) for name in ("cut", "whole"))
    moments = random.Random(1)
    starts = (started(cut_off, tmp_path / f"said {number}") for number in range(n_kills))
    kills = sum(killed_after(process, moments.uniform(0, 0.6)) for process in starts)
    assert kills >= 0.7 * n_kills, "the run is over too soon for this test"
    run, expected = finished(cut_off, tmp_path / "cut"), finished(whole, tmp_path / "whole")
    assert_same(run, expected)
