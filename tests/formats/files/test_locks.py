"""Locks where the file system has none: a `flock` that fails as NFS, some FUSE and cluster file systems let it fail."""

import errno
import fcntl
import logging
import os

import filelock
import pytest

from polyprobe.encoders.cache.encoding_blocks import make_room
from polyprobe.formats.files.locks import FileLock
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.results import ResultRow

ROW = ResultRow(stage="test", lang="mini", suite="srl", metric="role_f1", value=0.5, n=10, split="test")


def failing(number: int):
    def flock(*_):
        raise OSError(number, os.strerror(number))

    return flock


@pytest.fixture(params=["ENOLCK", "ENOTSUP", "ENOSYS"])
def without_locks(request, monkeypatch):
    monkeypatch.setattr(fcntl, "flock", failing(getattr(errno, request.param)))
    monkeypatch.setattr(FileLock, "told", set())


def test_a_run_is_done_without_locks_and_that_is_said_once(without_locks, tmp_path, caplog):
    with caplog.at_level(logging.WARNING):
        for name in ("one", "other"):
            run = RunDirectory(tmp_path / name)
            with run.opened("seed: 1\n"):
                run.begin({})
                run.finish([ROW], {})
            assert run.is_finished
            assert not [path for path in run.path.iterdir() if path.name == ".holder"]
    assert caplog.text.count("has no locks") == 1


def test_a_second_process_on_a_run_without_locks_is_told_who_may_be_at_work_there(without_locks, tmp_path, capsys):
    run, other = RunDirectory(tmp_path / "run"), RunDirectory(tmp_path / "run")
    run.open("seed: 1\n")
    half_written = run.path / ".results.jsonl.0f.tmp"
    half_written.touch()
    other.open("seed: 1\n")
    assert f"process {os.getpid()} on" in capsys.readouterr().out
    assert half_written.exists()


def test_no_lock_is_made_by_the_existence_of_a_file(without_locks, tmp_path):
    first, second = FileLock(tmp_path / "lock"), FileLock(tmp_path / "lock")
    with first.acquire(timeout=0), second.acquire(timeout=0):
        assert first.goes_without
        assert second.goes_without
        assert {path.name for path in tmp_path.iterdir()} <= {"lock"}


def test_what_may_be_in_use_is_not_removed_to_make_room(without_locks, tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "1.block").write_bytes(bytes(1000))
    make_room(tmp_path, "b", 1e-6, 0)
    assert (tmp_path / "a" / "1.block").exists()


def test_a_lock_that_is_held_elsewhere_is_still_waited_for(tmp_path):
    with FileLock(tmp_path / "lock").acquire(timeout=0), pytest.raises(filelock.Timeout):
        FileLock(tmp_path / "lock").acquire(timeout=0)
    FileLock(tmp_path / "lock").acquire(timeout=0).close()


def test_a_start_that_cannot_lock_for_another_reason_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(fcntl, "flock", failing(errno.EIO))
    with pytest.raises(Exception, match="cannot be written"):
        RunDirectory(tmp_path / "new").open("")
