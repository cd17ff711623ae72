"""A study by several processes: ranks that are forked in place of those that Lightning starts, and what each did."""

import json
import multiprocessing
import os
from collections.abc import Callable, Iterator
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
        self.rank, self.n = rank, n

    @contextmanager
    def at_work(self, study):
        with shared(Sharing(self.rank, self.n)):
            yield


def done_by(n: int, make: Callable[[], Study]) -> Path:
    """Does a study by n processes; returns the folder of its run."""
    study, ranks = make(), ForkedRanks(make, n)
    study.__dict__.update(processes=ranks)
    with ranks.sharing():
        return done(study).path


@contextmanager
def noted(
    monkeypatch: pytest.MonkeyPatch, folder: Path, n: int, *functions: tuple[object, str]
) -> Iterator[list[Path]]:
    """Notes inside the context which of n processes calls each function; it waits at its first call for those of all.

    Args:
        functions: of each the owner and the name.

    Returns:
        A file for each function, in a new folder; see `shares`.
    """
    folder.mkdir()
    diaries = [folder / f"{name}{number}" for number, (_, name) in enumerate(functions)]
    with monkeypatch.context() as patched:
        for (owner, name), file in zip(functions, diaries, strict=True):
            patched.setattr(owner, name, _noting(getattr(owner, name), file, n))
        yield diaries


def _noting(function: Callable, file: Path, n: int) -> Callable:
    together, has_met = multiprocessing.get_context("fork").Barrier(n), set()

    def noting(*arguments, **options):
        with open(file, "a", encoding="utf-8") as diary:
            diary.write(f"{os.getpid()}\n")
        if os.getpid() not in has_met:
            has_met.add(os.getpid())
            together.wait(100)
        return function(*arguments, **options)

    return noting


def shares(file: Path) -> dict[str, int]:
    """Returns how often each process called a noted function."""
    lines = file.read_text(encoding="utf-8").split()
    return {line: lines.count(line) for line in lines}


def files(run: Path) -> dict[str, bytes]:
    """Returns what a run found: rows, predictions, scores, kept probes."""
    kinds = ("results.jsonl", "predictions/*", "predicted_scores/*", "set_scores/*", "probes/*")
    return {str(path.relative_to(run)): content(path) for kind in kinds for path in sorted(run.glob(kind))}


def content(path: Path) -> object:
    """Returns the bytes of a file; of a kept probe its header as a dictionary, whose keys have any order."""
    written = path.read_bytes()
    if path.suffix != ".safetensors":
        return written
    end = 8 + int.from_bytes(written[:8], "little")
    return json.loads(written[8:end]), written[end:]


def cached(work: Path) -> dict[str, bytes]:
    """Returns what the caches hold: vectors, outcomes of probes, scores; without lock files and times of use."""
    suffixes = (".block", ".npz")
    found = sorted(path for path in (work / "cache").rglob("*") if path.suffix in suffixes)
    return {str(path.relative_to(work)): path.read_bytes() for path in found}
