"""Probing by several processes as a user starts it: rows of one process, also where a process is killed."""

import functools
import logging
import os
import time
from signal import SIGKILL

import pytest
import torch
from pytorch_lightning.utilities.rank_zero import rank_zero_only

from polyprobe.encoders.base.build import make_encoder
from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.file_names import file_name
from polyprobe.formats.files.locks import FileLock
from polyprobe.models.base.distributed_processes import Ranks
from polyprobe.models.base.lightning_process import trainer_on
from tests.commands.forked import lead_ranks, run_script, started_until
from tests.commands.processes import processes_of_group
from tests.commands.scripts import on_small_data, only_run
from tests.runs.composed import composed

TWO = ["trainer=ddp", "trainer.devices=2", "trainer.accelerator=cpu"]


def typed(small_data, work):
    return [*on_small_data(small_data, work), "tests=[POS]", "probe.max_epochs=2", "seeds=4", "trainer.threads=1"]


def rows(work):
    return (only_run(work, "probe") / "results.jsonl").read_bytes()


@pytest.mark.parametrize("number", [0, 1])
def test_the_rows_are_those_of_one_process_whichever_process_is_killed(number, small_data, tmp_path):
    """The first one that is killed is started again; where another one is, the first does its part."""
    work, alone = tmp_path / "two", tmp_path / "one"
    encoder = make_encoder(composed("probe", "lang=mini")["encoder"])
    folder = work / "cache/encodings" / file_name(encoder.fingerprint)
    folder.mkdir(parents=True)
    two = [*typed(small_data, work), *TWO]
    with FileLock(folder / "lock").acquire():  # for which all of them wait
        process = started_until("probe", two, work / "said", "starting", prepare=functools.partial(lead_ranks, 1))
        while len(ranks := processes_of_group(process.pid)) < 2:
            assert process.is_alive(), process.said
        os.kill(ranks[number], SIGKILL)
    process.join(60)
    while processes_of_group(process.pid):
        time.sleep(0.01)
    assert process.exitcode == (0 if number else -SIGKILL), process.said
    again, single = run_script("probe", *two), run_script("probe", *typed(small_data, alone))
    assert (again.returncode, single.returncode) == (0, 0), again.stderr
    assert only_run(work, "probe").name == only_run(alone, "probe").name
    assert rows(work) == rows(alone)


@pytest.mark.parametrize("devices", [[0, 1], "0,1", -1])
@pytest.mark.parametrize("accelerator", ["cpu", "auto"])
def test_gpus_by_name_on_a_cpu_are_one_line(accelerator, devices, monkeypatch):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    with pytest.raises(PolyprobeError, match=r"This machine cannot train with .*trainer\.devices=.*: .+"):
        trainer_on({"accelerator": accelerator, "devices": devices, "strategy": "ddp"})


def test_another_than_the_first_is_silent_only_as_long_as_it_helps(monkeypatch):
    monkeypatch.setenv("LOCAL_RANK", "1")
    monkeypatch.setattr(rank_zero_only, "rank", 0, raising=False)  # which Lightning sets for the whole process
    log = logging.getLogger("polyprobe")
    with Ranks("cpu", 2, 1).at_work(None):
        assert not log.isEnabledFor(logging.WARNING)
    assert log.isEnabledFor(logging.WARNING)
