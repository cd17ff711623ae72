"""A process of a distributed run that is killed: nothing is left, and the run goes on."""

import functools
import os
import time
from signal import SIGKILL

import pytest

from tests.commands.forked import lead_ranks, started_until
from tests.commands.processes import processes_of_group
from tests.commands.scripts import only_run, small_training
from tests.training.five_tasks import composed, train
from tests.training.same_runs import epochs

THREE = ["trainer=ddp", "trainer.devices=3", "trainer.accelerator=cpu"]


def test_a_killed_rank_ends_all_and_one_process_goes_on(small_data, tmp_path):
    settings = ["model.dropout=0.0", "trainer.max_epochs=30"]
    cut, whole = (small_training(small_data, tmp_path / name, *settings, task="pos") for name in ("cut", "whole"))
    process = started_until(
        "train", [*cut, *THREE], tmp_path / "said", "epoch  2", prepare=functools.partial(lead_ranks, 2)
    )
    _, _, last = processes_of_group(process.pid)
    os.kill(last, SIGKILL)
    process.join(30)
    assert process.exitcode != 0, process.said
    while processes_of_group(process.pid):
        time.sleep(0.01)
    n_done = len(epochs(only_run(tmp_path / "cut", "train")))
    assert 2 < n_done < 31
    resumed, undisturbed = (train(composed(*arguments)).path for arguments in (cut, whole))
    for row, expected in zip(epochs(resumed), epochs(undisturbed), strict=True):
        assert row == pytest.approx(expected, rel=1e-4)
