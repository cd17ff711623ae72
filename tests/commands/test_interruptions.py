"""A run that is asked to end, or that another process holds."""

import signal

import pytest
import torch

from tests.commands.forked import ForkedScript, ended_by, run_script, started_until
from tests.commands.scripts import only_run, small_training

LONG = ["trainer.max_epochs=1000"]


def check_ends_clearly(process: ForkedScript, sent: signal.Signals, code: int) -> None:
    assert ended_by(process, sent) == code, process.said
    assert process.said.count("repeat the command") == 1
    assert "Traceback" not in process.said


def test_a_run_is_held_by_one_process_that_ends_clearly_and_frees_it(small_data, work, tmp_path):
    arguments = small_training(small_data, work, *LONG)
    first = started_until("train", arguments, tmp_path / "first", "epoch  2")
    second = run_script("train", *arguments)
    assert second.returncode == 1
    assert f"in use by process {first.pid}" in second.stderr
    check_ends_clearly(first, signal.SIGINT, 130)
    again = started_until("train", arguments, tmp_path / "again", "resuming", "epoch")
    check_ends_clearly(again, signal.SIGTERM, 143)
    assert not list(only_run(work, "train").rglob(".*.tmp"))


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")
def test_a_missing_gpu_is_one_clear_line(small_data, work):
    done = run_script("train", *small_training(small_data, work), "trainer=gpu", "trainer.threads=1")
    assert done.returncode == 1
    assert "trainer.accelerator=gpu" in done.stderr
    assert "Traceback" not in done.stderr
