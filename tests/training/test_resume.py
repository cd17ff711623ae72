"""A run that is killed goes on with the same command and ends with the very same numbers."""

import random
import re
from pathlib import Path

import pytest

from tests.commands.forked import ForkedScript, run_script
from tests.commands.scripts import only_run, small_training
from tests.training.same_runs import assert_same

BEGUN = re.compile("^(starting|resuming)|is finished", re.MULTILINE)
PROBED = ["probe_each_epoch=[Case]", "probe.max_epochs=2"]


def started(arguments: list[str], said: Path) -> ForkedScript:
    """Starts train.py and waits until it says that it begins."""
    process = ForkedScript("train", arguments, said)
    process.start()
    while process.is_alive() and not (said.is_file() and BEGUN.search(process.said)):
        process.join(0.01)
    return process


def killed_after(process: ForkedScript, seconds: float) -> bool:
    """Kills a process after so long a time; says whether it was still running."""
    process.join(seconds)
    was_running = process.is_alive()
    process.kill()
    process.join()
    return was_running


def finished(arguments, work):
    done = run_script("train", *arguments)
    assert done.returncode == 0, done.stderr
    return only_run(work, "train")


ANEW = ["task.datamodule.padding_noise=0.3", "task.datamodule.batch_sentences=6"]
BY_SCORES_WITHOUT_PUNCTUATION = [
    "task.metrics=[las_without_punctuation,las,uas]",
    "monitor=dev/las_without_punctuation",
]
RUNS = {
    "srl": ("srl", 4, 6, []),
    "ner": ("ner", 1, 3, []),
    "nli": ("nli", 1, 3, []),
    "pos": ("pos", 1, 3, ANEW),
    "by another score": ("dep", 1, 3, [*ANEW, *BY_SCORES_WITHOUT_PUNCTUATION]),
}


@pytest.mark.parametrize(("task", "n_kills", "n_epochs", "options"), RUNS.values(), ids=RUNS)
def test_a_run_killed_at_several_instants_ends_with_the_same_numbers(
    task, n_kills, n_epochs, options, small_data, tmp_path
):
    cut_off, whole = (
        small_training(small_data, tmp_path / name, f"trainer.max_epochs={n_epochs}", *PROBED, *options, task=task)
        for name in ("cut", "whole")
    )
    moments = random.Random(1)
    starts = (started(cut_off, tmp_path / f"said {number}") for number in range(n_kills))
    kills = sum(killed_after(process, moments.uniform(0, 0.5)) for process in starts)
    assert kills >= 0.7 * n_kills, "the run is over too soon for this test"
    run, expected = finished(cut_off, tmp_path / "cut"), finished(whole, tmp_path / "whole")
    assert_same(run, expected)
