"""Sweeps: many jobs of one command, each a run of its own; their folder, their jobs, and what became of each."""

import hashlib
import json
import os
import re
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import filelock

from src.formats.atomic import write_text
from src.formats.errors import PolyprobeError
from src.runs.identity import TRAINER_WITHOUT_NUMBERS, WITHOUT_NUMBERS

RUNNING, FINISHED, SKIPPED, FAILED, INTERRUPTED = "running", "finished", "skipped", "failed", "interrupted"
WAITING = "waiting"
CALLED_OFF = ".called_off"
NOTED = "sweep.json"
DONE = (FINISHED, SKIPPED)
LONGEST_NAME = 60  # of the swept keys in a sweep's name, in characters


class SweepIsBusy(PolyprobeError):
    """Another process is at work on the same sweep."""


class SweepRemoved(PolyprobeError):
    """The folder of a sweep was removed while its jobs ran."""

    def __init__(self, folder: Path):
        super().__init__(
            f"{folder} was removed while the sweep went on: nobody can tell what became of its jobs. "
            "The same command begins it again; jobs whose runs are finished are not repeated."
        )


@dataclass(frozen=True, slots=True)
class JobRecord:
    """What became of one job of a sweep.

    Attributes:
        overrides: what it was started with.
        status: "running", "finished", "skipped" (it cannot be done, whoever tries), "failed", "interrupted" or
            "waiting" (it was interrupted, and its launcher starts it again).
        reason: why it has not come to its end; "" otherwise.
        run: its run directory, relative to the sweep's folder; None where there is none.
        process, host: who works on it.
    """

    overrides: tuple[str, ...]
    status: str
    reason: str = ""
    run: str | None = None
    process: int = 0
    host: str = ""


class Sweep:
    """The folder of a sweep: sweep.json says which jobs there are, jobs/ what became of each, beside them the tables.

    Attributes:
        folder: where they are; its last part is `name`.
        name: of the sweep, which is also the name of its W&B group.
    """

    def __init__(self, folder: Path):
        self.folder = Path(folder)
        self.name = self.folder.name
        self._lock = filelock.FileLock(self.folder / ".lock")

    @property
    def jobs(self) -> list[tuple[str, ...]]:
        """What each job is started with, in the order in which they start."""
        return [tuple(job) for job in self._content()["jobs"]]

    @property
    def keys(self) -> list[str]:
        """The swept keys as they were typed."""
        return self._content()["keys"]

    def begin(self, keys: Sequence[str], jobs: Sequence[Sequence[str]]) -> None:
        """Takes the lock, notes the jobs, and forgets what became of those that an earlier start did not finish.

        Jobs that a process of a killed start still works on are left to it.

        Raises:
            SweepIsBusy: another process is at work on the sweep.
            PolyprobeError: the folder cannot be written.
        """
        content = {"keys": list(keys), "jobs": [list(job) for job in jobs]}
        try:
            (self.folder / "jobs").mkdir(parents=True, exist_ok=True)
            self._lock.acquire(timeout=0)
            write_text(self.folder / NOTED, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
        except filelock.Timeout as error:
            raise SweepIsBusy(
                f"Another process is at work on this sweep: {self.folder}. Wait for it, or end it, then start again."
            ) from error
        except OSError as error:
            raise PolyprobeError(
                f"{self.folder} cannot be written ({error.strerror}). Set paths.work to another folder."
            ) from error
        (self.folder / CALLED_OFF).unlink(missing_ok=True)
        for path in (self.folder / "jobs").glob("*.json"):
            with suppress(filelock.Timeout), lock_of(path).acquire(timeout=0):
                if read_record(path).status != FINISHED:
                    path.unlink(missing_ok=True)

    def end(self) -> None:
        """Releases the sweep's lock."""
        self._lock.release()

    def call_off(self) -> None:
        """Tells jobs that have not begun not to begin; those of a sweep whose folder was removed do not by themselves."""
        with suppress(FileNotFoundError):
            (self.folder / CALLED_OFF).touch()

    @property
    def is_called_off(self) -> bool:
        return (self.folder / CALLED_OFF).exists()

    def record_path(self, overrides: Sequence[str]) -> Path:
        """Gives the file that tells what became of a job."""
        return self.folder / "jobs" / f"{_digits(sorted(overrides))}.json"

    def records(self) -> list[JobRecord | None]:
        """Gives what became of each job, in the order of `jobs`; None where it has not begun."""
        paths = map(self.record_path, self.jobs)
        return [read_record(path) if path.is_file() else None for path in paths]

    def check_there(self) -> None:
        """Checks that the folder was not removed: what is written there must not make it anew.

        Raises:
            SweepRemoved: it was.
        """
        if not (self.folder / NOTED).is_file():
            raise SweepRemoved(self.folder)

    def _content(self) -> Mapping[str, Any]:
        self.check_there()
        return json.loads((self.folder / NOTED).read_text(encoding="utf-8"))


def sweep_name(command: str, keys: Sequence[str], jobs: Sequence[Sequence[str]]) -> str:
    """Gives command, swept keys and a hash over the jobs: `train-task-lang-seed-3f2a9c1e`.

    The same jobs have the same name whenever and in whatever order they are typed. Places, loggers, launchers and
    devices that are not swept themselves play no part.
    """
    words = "-".join(sorted(key.rpartition(".")[2] for key in keys))
    kept = sorted([one for one in sorted(job) if _changes_numbers(one, keys)] for job in jobs)
    return "-".join(filter(None, [command, re.sub(r"[^\w-]", "", words)[:LONGEST_NAME], _digits(kept)]))


def key_of(override: str) -> str:
    """Gives the key of an override as it is composed: "seed" of `seed=1` and of `+seed=1`."""
    return override.partition("=")[0].lstrip("+~")


def read_record(path: Path) -> JobRecord:
    """Reads what became of a job."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return JobRecord(**{**content, "overrides": tuple(content["overrides"])})


def lock_of(record: Path) -> filelock.FileLock:
    """Gives the lock that a process holds as long as it works on a job; it falls open when the process is killed."""
    return filelock.FileLock(record.with_name(f".{record.stem}.lock"))


def write_record(path: Path, overrides: Sequence[str], status: str, reason: str = "", run: Path | None = None) -> None:
    """Writes what became of a job, whole.

    Raises:
        SweepRemoved: the sweep's folder is not there any more.
    """
    Sweep(path.parent.parent).check_there()
    place = None if run is None else os.path.relpath(run, path.parent.parent)
    record = JobRecord(tuple(overrides), status, reason, place, os.getpid(), socket.gethostname())
    write_text(path, json.dumps(asdict(record), indent=1, ensure_ascii=False) + "\n")


def write_record_of_free(path: Path, overrides: Sequence[str], status: str, reason: str = "") -> None:
    """Writes what became of a job, unless a process is at work on it, which tells that itself.

    Raises:
        SweepRemoved: the sweep's folder is not there any more.
    """
    Sweep(path.parent.parent).check_there()
    with suppress(filelock.Timeout), lock_of(path).acquire(timeout=0):
        write_record(path, overrides, status, reason)


def _changes_numbers(override: str, swept: Sequence[str]) -> bool:
    key = key_of(override)
    section, _, leaf = key.partition(".")
    where_it_works = section in WITHOUT_NUMBERS or (section == "trainer" and leaf in TRAINER_WITHOUT_NUMBERS)
    return key in swept or not where_it_works


def _digits(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()[:8]
