"""What a sweep learns from SLURM's queue; a program of the same name stands for `squeue`."""

import os

import pytest
from submitit.core.utils import FailedJobError

from polyprobe.runs.command.sweep_start import JobsRefused, QueueWatcher, QuietCommand, check_not_refused, watch_queue

JOBS = ("7_0", "7_1", "9")


@pytest.fixture
def answering(tmp_path, monkeypatch):
    """Makes a program of SLURM print what the test writes into the file that this returns."""
    return lambda name: _answer_of(tmp_path / "bin" / name, tmp_path / "answer", monkeypatch)


@pytest.fixture
def squeue(answering):
    return answering("squeue")


def _answer_of(program, answer, monkeypatch):
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


def test_what_a_refused_command_prints_is_in_its_error_alone(capfd):
    with pytest.raises(FailedJobError, match=r"^sbatch: error: no$"):
        QuietCommand(["sh", "-c", "echo 'sbatch: error: no' >&2; exit 1"], verbose=False)()
    assert capfd.readouterr() == ("", "")


def test_jobs_that_the_cluster_refuses_are_one_line_with_the_partitions_that_it_has(answering, monkeypatch):
    answering("sinfo").write_text("cpu|(null)\ngpu|gpu:a100:4\ngpu|gpu:a100:4\n", encoding="utf-8")
    for name in ("SBATCH_EXPORT", "SLURM_KILL_BAD_EXIT"):
        monkeypatch.setenv(name, "")  # to be as it was after the test
    watch_queue()
    said = (
        "sbatch: error: invalid partition specified: nope\nsbatch: error: Batch job submission failed: Invalid name.\n"
    )
    with pytest.raises(JobsRefused) as refused:
        check_not_refused(FailedJobError(said))
    assert str(refused.value) == (
        "SLURM refuses the jobs: invalid partition specified: nope; Batch job submission failed: Invalid name. Nothing "
        "has begun. Check the keys of hydra.launcher. Partitions here: cpu (no GPUs), gpu (gpu:a100:4)."
    )
    check_not_refused(ValueError("of a launcher"))
