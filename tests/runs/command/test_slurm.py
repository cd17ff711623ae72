"""What a sweep learns from SLURM's queue; a program of the same name stands for `squeue`."""

import os

import pytest

from polyprobe.runs.command.sweep_start import QueueWatcher

JOBS = ("7_0", "7_1", "9")


@pytest.fixture
def squeue(tmp_path, monkeypatch):
    """Makes `squeue` print what the test writes into the file that this gives."""
    program, answer = tmp_path / "bin/squeue", tmp_path / "answer"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ncat {answer}\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    return answer


def watcher_of(jobs):
    watcher = QueueWatcher()
    for job in jobs:
        watcher.register_job(job)
    return watcher


def test_a_job_that_is_listed_no_more_has_ended_and_one_that_is_to_start_again_has_not(squeue):
    squeue.write_text("7_1|PENDING\n9|COMPLETING\n8|RUNNING\n", encoding="utf-8")
    watcher = watcher_of(JOBS)
    watcher.update()
    assert {job: watcher.is_done(job, "cache") for job in JOBS} == {"7_0": True, "7_1": False, "9": False}


def test_while_the_queue_does_not_answer_no_job_has_ended(squeue):
    watcher = watcher_of(JOBS)
    watcher.update()
    assert not any(watcher.is_done(job, "cache") for job in JOBS)
    squeue.write_text("", encoding="utf-8")
    watcher.update()
    assert all(watcher.is_done(job, "cache") for job in JOBS)


def test_a_sweep_without_jobs_in_the_queue_does_not_wait(squeue):
    squeue.write_text("", encoding="utf-8")
    assert not watcher_of(()).wait()
    assert watcher_of(JOBS).wait()
