"""Pieces of work that another process has."""

import logging

import pytest

from polyprobe.formats.files import shared_work
from polyprobe.formats.files.locks import FileLock
from polyprobe.formats.files.shared_work import ALONE, Sharing, each_once, shared


@pytest.mark.parametrize(("processes", "n_told"), [(ALONE, 1), (Sharing(0, 2), 0)])
def test_who_waits_for_another_command_is_told_so_once(processes, n_told, tmp_path, monkeypatch, caplog):
    locks = [tmp_path / f"{number}.lock" for number in range(3)]
    others = {path: FileLock(path).acquire() for path in locks[1:]}

    class Waited(FileLock):
        """The other process is done when it is waited for."""

        def __init__(self, path):
            super().__init__(path)
            self._other = others.get(path)

        def acquire(self, timeout=-1):
            if timeout < 0:
                self._other.close()
            return super().acquire(timeout)

    monkeypatch.setattr(shared_work, "FileLock", Waited)
    with caplog.at_level(logging.WARNING), shared(processes):
        assert list(each_once(locks)) == [0, 1, 2]
    assert caplog.text.count(f"Waiting for another process that computes the same into {tmp_path}.") == n_told
