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


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_run_clearly_and_frees_it(small_data, work, sent, code):
    arguments = small_training(small_data, work, *LONG)
    process = trained_until(arguments, "epoch  2")
    process.send_signal(sent)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == code, said
    assert "The same command goes on" in said
    assert "Traceback" not in said
    again = trained_until(arguments, "resuming")
    again.kill()
    again.communicate()
    assert not list(only_run(work, "train").rglob(".*.tmp"))


def test_a_second_process_on_the_same_run_is_told_who_works_on_it(small_data, work):
    arguments = small_training(small_data, work, *LONG)
    first = trained_until(arguments, "epoch  1")
    second = run_script("train", *arguments)
    first.kill()
    first.communicate()
    assert second.returncode == 1
    assert f"in use by process {first.pid}" in second.stderr


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")
def test_a_missing_gpu_is_one_clear_line(small_data, work):
    done = run_script("train", *small_training(small_data, work), "trainer=gpu", "trainer.threads=1")
    assert done.returncode == 1
    assert "trainer.accelerator=gpu" in done.stderr
    assert "Traceback" not in done.stderr
