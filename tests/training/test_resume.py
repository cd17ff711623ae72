"""A run that is killed goes on with the same command and ends with the very same numbers."""

import random
import subprocess

import pytest
import torch

from tests.commands.scripts import command_line, only_run, run_script, small_training

EPOCHS = ["trainer.max_epochs=8", "probe_each_epoch=[Case,Person]", "probe.max_epochs=3"]


def started(arguments: list[str]) -> subprocess.Popen:
    """Starts train.py and waits until it says that it begins."""
    process = subprocess.Popen(
        command_line("train", *arguments), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    for line in process.stdout:
        if line.startswith(("starting", "resuming")) or "is finished" in line:
            break
    return process


def killed_after(process: subprocess.Popen, seconds: float) -> bool:
    """Kills a process after so long a time; says whether it was still running."""
    try:
        process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return True
    return False


def finished(arguments, work):
    done = run_script("train", *arguments)
    assert done.returncode == 0, done.stderr
    return only_run(work, "train")


def assert_same(run, expected):
    assert (run / "results.jsonl").read_bytes() == (expected / "results.jsonl").read_bytes()
    assert (run / "metrics.csv").read_bytes() == (expected / "metrics.csv").read_bytes()
    ours, theirs = (torch.load(one / "last", weights_only=True)["state_dict"] for one in (run, expected))
    assert ours.keys() == theirs.keys()
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)
    assert not list(run.rglob(".*.tmp"))


@pytest.mark.parametrize(("task", "n_kills"), [("srl", 6), ("pos", 4), ("ner", 4), ("dep", 4), ("nli", 4)])
def test_a_run_killed_at_several_instants_ends_with_the_same_numbers(task, n_kills, small_data, tmp_path):
    cut_off, whole = (small_training(small_data, tmp_path / name, *EPOCHS, task=task) for name in ("cut", "whole"))
    moments = random.Random(1)
    kills = sum(killed_after(started(cut_off), moments.uniform(0, 0.6)) for _ in range(n_kills))
    assert kills >= 0.7 * n_kills, "the run is over too soon for this test"
    run, expected = finished(cut_off, tmp_path / "cut"), finished(whole, tmp_path / "whole")
    assert_same(run, expected)
