"""A study by several processes: ranks that are forked in place of those that Lightning starts, and what each did."""

import multiprocessing
import os
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path

import pytest

from polyprobe.formats.files.shared_work import Sharing, shared
from polyprobe.runs.study import Processes, Study, done


class ForkedRanks(Processes):
    """Ranks that are forked: each does its part of the same study, made anew.

    Args:
        make: makes the study.
        n: number of processes.
    """

    def __init__(self, make: Callable[[], Study], n: int):
        self.make, self.n = make, n
        self.started = []

    def start(self):
        if self.started:
            return
        fork = multiprocessing.get_context("fork")
        self.started = [fork.Process(target=self.help, args=(rank,)) for rank in range(1, self.n)]
        for process in self.started:
            process.start()

    def help(self, rank):
        os.environ["LOCAL_RANK"] = str(rank)
        study = self.make()
        study.__dict__.update(processes=HelpingRank(rank, self.n))
        type(study).shares_work = True
        assert done(study) is None

    @contextmanager
    def sharing(self):
        with shared(Sharing(0, self.n)):
            yield
            for process in self.started:
                process.join(100)
        assert [process.exitcode for process in self.started] == [0] * (self.n - 1)


class HelpingRank(Processes):
    def __init__(self, rank, n):
        self._sharing = shared(Sharing(rank, n))

    def __enter__(self):
        self._sharing.__enter__()
        return self


def done_by(n: int, make: Callable[[], Study]) -> Path:
    """Does a study by n processes; returns the folder of its run."""
    study, ranks = make(), ForkedRanks(make, n)
    study.__dict__.update(processes=ranks)
    with ranks.sharing():
        return done(study).path


def noting(monkeypatch: pytest.MonkeyPatch, owner: object, name: str, file: Path, n: int) -> None:
    """Notes in a file which process calls a function; a process waits at its first call for the first ones of all."""
    together, function, has_met = multiprocessing.get_context("fork").Barrier(n), getattr(owner, name), set()

    def noted(*arguments, **options):
        with open(file, "a", encoding="utf-8") as diary:
            diary.write(f"{os.getpid()}\n")
        if os.getpid() not in has_met:
            has_met.add(os.getpid())
            together.wait(100)
        return function(*arguments, **options)

    monkeypatch.setattr(owner, name, noted)


def shares(file: Path) -> dict[str, int]:
    """Returns how often each process called a noted function."""
    lines = file.read_text(encoding="utf-8").split()
    return {line: lines.count(line) for line in lines}
