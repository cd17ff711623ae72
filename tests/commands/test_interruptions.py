"""A run that is asked to end, or that another process holds."""

import signal
import subprocess

import pytest
import torch

from tests.commands.forked import run_script
from tests.commands.scripts import command_line, only_run, small_training

LONG = ["trainer.max_epochs=1000"]


def trained_until(arguments: list[str], word: str) -> subprocess.Popen:
    """Starts train.py and waits until it prints a line with this word."""
    process = subprocess.Popen(
        command_line("train", *arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    for line in process.stdout:
        if word in line:
            return process
    raise AssertionError(process.stderr.read())


def check_ends_clearly(process: subprocess.Popen, sent: signal.Signals, code: int) -> None:
    process.send_signal(sent)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == code, said
    assert "The same command goes on" in said
    assert "Traceback" not in said


def test_a_run_is_held_by_one_process_that_ends_clearly_and_frees_it(small_data, work):
    arguments = small_training(small_data, work, *LONG)
    first = trained_until(arguments, "epoch  2")
    second = run_script("train", *arguments)
    assert second.returncode == 1
    assert f"in use by process {first.pid}" in second.stderr
    check_ends_clearly(first, signal.SIGINT, 130)
    again = trained_until(arguments, "resuming")
    next(line for line in again.stdout if "epoch" in line)
    check_ends_clearly(again, signal.SIGTERM, 143)
    assert not list(only_run(work, "train").rglob(".*.tmp"))


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")
def test_a_missing_gpu_is_one_clear_line(small_data, work):
    done = run_script("train", *small_training(small_data, work), "trainer=gpu", "trainer.threads=1")
    assert done.returncode == 1
    assert "trainer.accelerator=gpu" in done.stderr
    assert "Traceback" not in done.stderr
