"""Probing by several processes as a user starts it: rows of one process, and what is said of a process that is lost."""

import functools
import logging
import os
import queue
import threading
import time
from dataclasses import dataclass
from signal import SIGKILL

import pytest
import torch
from pytorch_lightning.strategies.launchers import subprocess_script
from pytorch_lightning.utilities.rank_zero import rank_zero_only

from polyprobe.encoders.base.build import make_encoder
from polyprobe.errors import BadValue
from polyprobe.formats.files.file_names import file_name
from polyprobe.formats.files.locks import FileLock, held_alone, is_held
from polyprobe.models.base import distributed_processes
from polyprobe.models.base.distributed_processes import RANK_ZERO, Ranks
from polyprobe.models.base.lightning_process import trainer_on
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.workspace import Workspace
from tests.commands.forked import lead_ranks, run_script, started_until
from tests.commands.processes import processes_of_group
from tests.commands.scripts import on_small_data, only_run
from tests.runs.composed import composed

TWO = ["trainer=ddp", "trainer.devices=2", "trainer.accelerator=cpu"]


def typed(small_data, work):
    return [*on_small_data(small_data, work), "tests=[POS]", "probe.max_epochs=2", "seeds=4", "trainer.threads=1"]


def rows(work):
    return (only_run(work, "probe") / "results.jsonl").read_bytes()


def lost(number, small_data, work):
    """Kills a process before it can encode; returns which it was, its group, and what was said."""
    encoder = make_encoder(composed("probe", "lang=mini")["encoder"])
    folder = work / "cache/encodings" / file_name(encoder.fingerprint)
    folder.mkdir(parents=True)
    arguments = [*typed(small_data, work), *TWO]
    with FileLock(folder / "lock").acquire():  # for which all of them wait
        process = started_until("probe", arguments, work / "said", "starting", prepare=functools.partial(lead_ranks, 1))
        while len(ranks := processes_of_group(process.pid)) < 2:
            assert process.is_alive(), process.said
        os.kill(ranks[number], SIGKILL)
        process.join(60)
        while processes_of_group(process.pid):
            time.sleep(0.01)
    said = process.said
    assert f"Rank {number} of the run (process {ranks[number]}) was killed" in said
    assert said.count("repeat the command") == 1
    assert "Traceback" not in said
    return process.exitcode


def test_a_first_process_that_is_killed_is_named_and_ends_all(small_data, tmp_path):
    assert lost(0, small_data, tmp_path) == -SIGKILL


def test_another_that_is_killed_is_named_and_ends_all_and_the_same_command_goes_on(small_data, tmp_path):
    work, alone = tmp_path / "two", tmp_path / "one"
    assert lost(1, small_data, work) == 1
    again, single = run_script("probe", *typed(small_data, work), *TWO), run_script("probe", *typed(small_data, alone))
    assert (again.returncode, single.returncode) == (0, 0), again.stderr
    assert only_run(work, "probe").name == only_run(alone, "probe").name
    assert rows(work) == rows(alone)


@pytest.mark.parametrize(
    ("devices", "words"),
    [(8, "must be at most 2: this machine has 2 GPUs, got 8"), ([0, 3], "must be of GPUs from 0 to 1: this machine")],
)
def test_more_gpus_than_there_are_is_one_line(devices, words, monkeypatch):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    with pytest.raises(BadValue, match=words):
        trainer_on({"accelerator": "auto", "devices": devices, "strategy": "ddp"})


@pytest.mark.parametrize("devices", [[0, 1], "0,1", -1])
@pytest.mark.parametrize("accelerator", ["cpu", "auto"])
def test_gpus_by_name_on_a_cpu_are_one_line(accelerator, devices, monkeypatch):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    with pytest.raises(BadValue, match=r"trainer\.devices must be a number of processes from 1 up"):
        trainer_on({"accelerator": accelerator, "devices": devices, "strategy": "ddp"})


@pytest.fixture
def second(monkeypatch, tmp_path):
    """Makes this process the second of two that a cluster has started; returns a study without a run."""
    monkeypatch.setenv("LOCAL_RANK", "1")
    monkeypatch.setenv(RANK_ZERO, "")  # so that it is as before after the test
    monkeypatch.delenv(RANK_ZERO)
    monkeypatch.setattr(subprocess_script, "_launch_process_observer", subprocess_script._launch_process_observer)
    monkeypatch.setattr(distributed_processes, "_is_done", threading.Event())
    monkeypatch.setattr(distributed_processes, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(distributed_processes, "ABSENCE_SECONDS", 0.1)
    monkeypatch.setattr(rank_zero_only, "rank", 0, raising=False)  # which Lightning sets for the whole process
    return Unfinished(Workspace(tmp_path, tmp_path, None))


@dataclass
class Unfinished:
    workspace: Workspace
    name: str = "run"

    @property
    def run(self):
        return RunDirectory(self.workspace.runs("probe") / self.name)


def test_another_than_the_first_is_silent_only_as_long_as_it_helps(second):
    log = logging.getLogger("polyprobe")
    with Ranks("cpu", 2, 1).at_work(second):
        assert not log.isEnabledFor(logging.WARNING)
    assert log.isEnabledFor(logging.WARNING)


def test_a_process_of_a_cluster_ends_when_the_first_one_is_gone(second, monkeypatch):
    told, is_told, looks = [], threading.Event(), queue.Queue()
    monkeypatch.setattr(distributed_processes, "_end_process", lambda said: (told.append(said), is_told.set()))
    monkeypatch.setattr(distributed_processes, "is_held", lambda path: looks.put(found := is_held(path)) or found)
    with Ranks("cpu", 2, 1).at_work(second):
        assert [looks.get() for _ in range(20)] == [False] * 20  # rank 0 has not begun, which is waited for
        first = held_alone(second.workspace.processes / "run.lock")
        assert any(looks.get() for _ in range(10**6))
        assert not told
        first.close()
        assert is_told.wait(60)
    assert told[0].startswith("Rank 0 of the run has been gone for 0.1 s; rank 1 ends. To resume")


def test_the_first_process_of_a_cluster_lets_the_others_know_that_it_is_there(second, monkeypatch):
    monkeypatch.setenv("LOCAL_RANK", "0")
    monkeypatch.setenv("RANK", "0")
    lock = second.workspace.processes / "run.lock"
    with Ranks("cpu", 2, 1).at_work(second):
        assert is_held(lock)
    assert not is_held(lock)
