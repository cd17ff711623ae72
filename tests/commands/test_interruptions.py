"""A run that is asked to end, or that another process holds."""

import signal
import time

import pytest
import torch

from tests.commands.forked import ForkedScript, ended_by, run_script, started_until
from tests.commands.scripts import on_small_data, only_run, small_training

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


@pytest.mark.parametrize("apart", [0.0, 0.1, 0.5])
def test_two_equal_commands_at_the_same_time_both_end_well(apart, small_data, tmp_path):
    """Both show the run, or one says that the other is at work on it."""
    probing = ["encoder=random", "tests=[Case]", "probe.max_epochs=2", "trainer.threads=1"]
    rows = []
    for work, n in ((tmp_path / "one", 1), (tmp_path / "two", 2)):
        arguments = [*on_small_data(small_data, work), *probing]
        processes = [ForkedScript("probe", arguments, tmp_path / f"said-{n}-{number}") for number in range(n)]
        for process in processes:
            process.start()
            time.sleep(apart)
        for process in processes:
            process.join(60)
        said = [process.said for process in processes]
        assert sorted({process.exitcode for process in processes}) in ([0], [0, 1]), said
        busy = [one for one, process in zip(said, processes, strict=True) if process.exitcode == 1]
        assert all("in use by process" in one and "Traceback" not in one for one in busy), busy
        rows.append((only_run(work, "probe") / "results.jsonl").read_bytes())
        assert not list(work.rglob("runs/**/.*.tmp"))
    assert rows[0] == rows[1]


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")
def test_a_missing_gpu_is_one_clear_line(small_data, work):
    done = run_script("train", *small_training(small_data, work), "trainer=gpu", "trainer.threads=1")
    assert done.returncode == 1
    assert "trainer.accelerator=gpu" in done.stderr
    assert "Traceback" not in done.stderr
