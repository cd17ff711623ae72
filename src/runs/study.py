"""Studies: what a command does once, in a run directory of its own; a finished run is shown again.

```
Study   settings -> versions -> name    known without torch, and before anything long
        prepare                         reads and checks: if it fails nothing is written
Work    lock, begin, start              the folder is there, run.json has a further start
        work -> rows, notes             results.jsonl is there, run.json says finished
```

Several processes may share the work. The first one does all of the above; the others prepare, too, but then only
`share`: what they find lies in the caches, where the first one takes it from.
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Protocol

from polyprobe.display.shown import quietly, say
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.record.configuration_file import written
from polyprobe.runs.results import ResultRow
from polyprobe.runs.workspace import Workspace

# In the first of these that there is, a launcher says which of several processes this is; Lightning reads them so.
RANKS = ("RANK", "LOCAL_RANK", "SLURM_PROCID", "JSM_NAMESPACE_RANK")

Outcome = tuple[Iterable[ResultRow], Mapping[str, Any]]
"""The rows of a run, and what run.json says of it: left out, sources."""


class Processes:
    """Those that share the work of a study: as it stands this one alone, or those that the work itself starts."""

    def start(self) -> None:
        """Starts the others, once: before the first thing that takes long."""

    @contextmanager
    def at_work(self, study: "Study") -> Iterator[None]:
        """Makes them ready for the work of a study; at the end of the block the others are gone."""
        yield


class Machine(Protocol):
    """On what a command computes."""

    @property
    def several_processes(self) -> bool:
        """Whether several share the work."""

    def processes(self) -> Processes:
        """Returns those that share the work."""


class Work(ABC):
    """What a study does, with all that it needs read and checked."""

    @abstractmethod
    def versions(self) -> Mapping[str, str]:
        """Digests what is read, by its names."""

    def circumstances(self) -> Mapping[str, Any]:
        """Returns what run.json says of a start beside versions: `threads`, `devices`, `accelerator`."""
        return {}

    def start(self) -> Sequence[str] | None:
        """Returns the lines that say how much there is to do; None where a start is not worth a word."""
        return None

    @abstractmethod
    def work(self, run: RunDirectory) -> Outcome:
        """Does the work; writes the files of the run but results.jsonl and run.json."""

    def share(self, run: RunDirectory) -> None:  # noqa: B027 - what takes long may be in `prepare`
        """Does, in another process than the first, what several can share of the work."""

    def close(self, rows: Sequence[ResultRow]) -> None:  # noqa: B027 - most have nobody to tell
        """Tells W&B, if anybody, that the run is finished."""


class Study(ABC):
    """What is asked: it knows the name of its run, and what the numbers follow from."""

    command: ClassVar[str]
    """The kind of its runs, train, probe, generate or analyze."""
    patience: ClassVar[float] = 0
    """Seconds to wait for another process that works on the run; 0: a busy run is refused before anything is read."""
    begins_anew: ClassVar[bool] = False
    """Whether nothing of a start that was cut off is of use."""

    config: Mapping[str, Any]
    """What config.yaml keeps, as plain values."""
    workspace: Workspace
    machine: Machine | None = None
    """What says how many processes share the work; None: this one does it alone."""

    @property
    def shares_work(self) -> bool:
        """Whether processes to which a launcher has given a number above 0 only help the first one."""
        return self.machine is not None and self.machine.several_processes

    @cached_property
    def processes(self) -> Processes:
        """Those that share the work; made where there is work to do."""
        return Processes() if self.machine is None else self.machine.processes()

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of the run, which says what can change a number."""

    @cached_property
    def run(self) -> RunDirectory:
        """The directory of the run, whether it exists or not."""
        return RunDirectory(self.workspace.runs(self.command) / self.name)

    @property
    def outcome(self) -> Collection[Path]:
        """Files without which a finished run is made again."""
        return ()

    @property
    def unused_when_finished(self) -> Sequence[str]:
        """What is typed that only the work itself would use, as it is typed."""
        return ()

    @abstractmethod
    def versions(self) -> Mapping[str, str]:
        """Digests what the numbers of a finished run follow from, as it is now."""

    @abstractmethod
    def prepare(self) -> Work:
        """Reads and checks what the work needs; writes nothing.

        Raises:
            PolyprobeError: something is not what it should be.
        """


def done(study: Study) -> RunDirectory | None:
    """Does the work of a study, or reports that an earlier command finished it.

    Returns:
        The directory of the finished run; None in processes that only help.

    Raises:
        RunIsBusy: another process still works on it.
        DamagedRun: a file of the run differs from what was written.
        PolyprobeError: the data are not those of the run's first start, or the folder cannot be written.
    """
    rank = next((os.environ[name] for name in RANKS if name in os.environ), "0")
    if study.shares_work and rank != "0":
        if not _is_done(study):
            with quietly(), study.processes.at_work(study):
                study.prepare().share(study.run)
        return None
    run = study.run
    if not _is_done(study):
        if not study.patience:
            run.lock.check_free()
        with study.processes.at_work(study):
            work = study.prepare()
            with run.opened(written(study.config), study.patience):
                if not _is_done(study):  # else another process was faster
                    _complete(study, work)
                    return run
    if unused := study.unused_when_finished:
        again = "To train again, remove its folder or choose another paths.work"
        say(f"{', '.join(unused)}: without effect, since the run is finished. {again}.")
    run.say_finished(study.versions())
    return run


def _is_done(study: Study) -> bool:
    return study.run.is_finished and all(file.is_file() for file in study.outcome)


def _complete(study: Study, work: Work) -> None:
    begin = study.run.begin_anew if study.begins_anew else study.run.begin
    is_resumed = begin(work.versions(), **work.circumstances())
    if (lines := work.start()) is not None:
        again = "beginning anew" if study.begins_anew else "resuming"
        say_start(study.run, lines, again if is_resumed else "starting")
    study.processes.start()
    rows, notes = work.work(study.run)
    rows = list(rows)  # some are computed when they are requested
    study.run.finish(rows, notes)
    work.close(rows)


def say_start(run: RunDirectory, lines: Iterable[str], how: str = "starting") -> None:
    """Prints the directory of a run, and below it how much there is to do."""
    say(f"{how} {run.path}")
    for line in lines:
        say(f"  {line}")


def in_a_line(counts: Mapping[str, int]) -> str:
    """Writes counts as "tests: 7, items: 12,000"."""
    return ", ".join(f"{name}: {count:,}" for name, count in counts.items())
