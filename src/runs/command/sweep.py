"""Sweeps: many jobs of one command, each a separate run; their folder, their jobs, and the outcome of each."""

import hashlib
import json
import os
import re
import shutil
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, get_args, get_type_hints

import filelock

from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.digest import SEAL, DamagedJson, read_sealed, write_sealed
from polyprobe.formats.files.locks import FileLock
from polyprobe.runs.names.identity import is_without_numbers

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
            f"{folder} was removed during the sweep: the state of its jobs is unknown. Repeat the "
            "command; finished runs are not repeated."
        )


class DamagedSweep(PolyprobeError):
    """A file of a sweep differs from what was written."""

    def __init__(self, path: Path, found: str):
        super().__init__(f"{path}: {found}. The sweep's command writes it again.")


@dataclass(frozen=True, slots=True)
class JobRecord:
    """The outcome of one job of a sweep."""

    overrides: tuple[str, ...]
    """With which it was started."""
    status: str
    """One of "running", "finished", "skipped" (its choices exclude each other), "failed", "interrupted" or "waiting"
    (it was interrupted, and its launcher starts it again)."""
    reason: str = ""
    """Why it has not finished; "" otherwise."""
    run: str | None = None
    """Its run directory, relative to the sweep's folder; None where there is none."""
    process: int = 0
    host: str = ""
    """Who works on it."""


class Sweep:
    """The folder of a sweep: sweep.json lists the jobs, jobs/ has the outcome of each, next to them are the tables.

    Attributes:
        folder: of these; its last part is `name`.
        name: of the sweep, which is also the name of its W&B group.
    """

    def __init__(self, folder: Path):
        self.folder = Path(folder)
        self.name = self.folder.name
        self._lock = FileLock(self.folder / ".lock")

    @property
    def jobs(self) -> list[tuple[str, ...]]:
        """The overrides of each job, in the order in which they start."""
        return [tuple(job) for job in self._content()["jobs"]]

    @property
    def keys(self) -> list[str]:
        """The swept keys as they were typed."""
        return self._content()["keys"]

    def begin(self, keys: Sequence[str], jobs: Sequence[Sequence[str]]) -> None:
        """Takes the lock, notes the jobs, and forgets the outcomes of those that an earlier start did not finish.

        Jobs that a process of a killed start still works on are left to it.

        Raises:
            SweepIsBusy: another process is at work on the sweep.
            PolyprobeError: the folder cannot be written.
        """
        content = {"keys": list(keys), "jobs": [list(job) for job in jobs]}
        is_new = not self.folder.exists()
        try:
            (self.folder / "jobs").mkdir(parents=True, exist_ok=True)
            self._lock.acquire(timeout=0)
            write_sealed(self.folder / NOTED, content)
        except filelock.Timeout as error:
            raise SweepIsBusy(
                f"Another process is running this sweep: {self.folder}. Wait for it, or stop it, then start again."
            ) from error
        except OSError as error:
            if is_new:
                shutil.rmtree(self.folder, ignore_errors=True)
            raise PolyprobeError(
                f"{self.folder} cannot be written ({error.strerror}). Set paths.work to another folder."
            ) from error
        (self.folder / CALLED_OFF).unlink(missing_ok=True)
        for path in (self.folder / "jobs").glob("*.json"):
            with suppress(filelock.Timeout), lock_of(path).acquire(timeout=0):
                if not _is_finished(path):
                    path.unlink(missing_ok=True)

    def end(self) -> None:
        """Releases the sweep's lock."""
        self._lock.release()

    def call_off(self) -> None:
        """Keeps jobs that have not begun from beginning; those of a sweep with a removed folder do not begin anyway."""
        with suppress(FileNotFoundError):
            (self.folder / CALLED_OFF).touch()

    @property
    def is_called_off(self) -> bool:
        return (self.folder / CALLED_OFF).exists()

    def record_path(self, overrides: Sequence[str]) -> Path:
        """Returns the file with the outcome of a job."""
        return self.folder / "jobs" / f"{_digits(sorted(overrides))}.json"

    def records(self) -> list[JobRecord | None]:
        """Returns the outcome of each job, in the order of `jobs`; None where it has not begun.

        A job whose record is damaged, or is another job's, counts as failed.
        """
        return [self._record(job) for job in self.jobs]

    def _record(self, job: Sequence[str]) -> JobRecord | None:
        path = self.record_path(job)
        try:
            record = read_job_record(path) if path.is_file() else None
            if record is not None and sorted(record.overrides) != sorted(job):
                raise DamagedSweep(path, "it is the record of another job")
        except DamagedSweep as error:
            return JobRecord(tuple(job), FAILED, str(error))
        return record

    def check_there(self) -> None:
        """Checks that the folder was not removed: writing into it must not create it again.

        Raises:
            SweepRemoved: it was.
        """
        if not (self.folder / NOTED).is_file():
            raise SweepRemoved(self.folder)

    def _content(self) -> Mapping[str, Any]:
        self.check_there()
        content = _read(self.folder / NOTED)
        jobs = content.get("jobs")
        if not isinstance(jobs, list) or not all(map(_is_list_of_text, [content.get("keys"), *jobs])):
            raise DamagedSweep(self.folder / NOTED, "it names no jobs and keys")
        return content


def sweep_name(command: str, keys: Sequence[str], jobs: Sequence[Sequence[str]]) -> str:
    """Returns command, swept keys and a hash over the jobs: `train-task-lang-seed-3f2a9c1e`.

    The same jobs always have the same name, in any order of the arguments. Paths, loggers, launchers and devices that
    are not swept themselves are not part of it.
    """
    words = "-".join(sorted(key.rpartition(".")[2] for key in keys))
    passed_over = {key for job in jobs for key in map(key_of, job) if key not in keys and is_without_numbers(key)}
    kept = sorted([one for one in sorted(job) if key_of(one) not in passed_over] for job in jobs)
    return "-".join(filter(None, [command, re.sub(r"[^\w-]", "", words)[:LONGEST_NAME], _digits(kept)]))


def key_of(override: str) -> str:
    """Returns the key of an override as it is composed: "seed" of `seed=1` and of `+seed=1`."""
    return override.partition("=")[0].lstrip("+~")


def read_job_record(path: Path) -> JobRecord:
    """Reads the outcome of a job."""
    content = {name: value for name, value in _read(path).items() if name != SEAL}
    kinds = get_type_hints(JobRecord)
    if set(content) != set(kinds) or not _is_list_of_text(content["overrides"]):
        raise DamagedSweep(path, "it is not a record of a job")
    for name, kind in kinds.items():
        if name != "overrides" and not isinstance(content[name], get_args(kind) or kind):
            raise DamagedSweep(path, f"its {name} is {json.dumps(content[name])}")
    if "\0" in (content["run"] or ""):
        raise DamagedSweep(path, f"its run is {json.dumps(content['run'])}, no path")
    return JobRecord(**{**content, "overrides": tuple(content["overrides"])})


def lock_of(record: Path) -> FileLock:
    """Returns the lock that a process holds as long as it works on a job; it is released when the process is killed."""
    return FileLock(record.with_name(f".{record.stem}.lock"))


def write_job_record(
    path: Path, overrides: Sequence[str], status: str, reason: str = "", run: Path | None = None
) -> None:
    """Writes the outcome of a job, whole."""
    Sweep(path.parent.parent).check_there()
    place = None if run is None else os.path.relpath(run, path.parent.parent)
    record = JobRecord(tuple(overrides), status, reason, place, os.getpid(), socket.gethostname())
    write_sealed(path, asdict(record))


def write_record_of_free_job(path: Path, overrides: Sequence[str], status: str, reason: str = "") -> None:
    """Writes the outcome of a job, unless a process works on it, which writes that itself."""
    Sweep(path.parent.parent).check_there()
    with suppress(filelock.Timeout), lock_of(path).acquire(timeout=0):
        write_job_record(path, overrides, status, reason)


def _read(path: Path) -> dict[str, Any]:
    try:
        return read_sealed(path)
    except DamagedJson as error:
        raise DamagedSweep(path, str(error)) from error


def _is_finished(record: Path) -> bool:
    try:
        return read_job_record(record).status == FINISHED
    except DamagedSweep:
        return False


def _is_list_of_text(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _digits(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()[:8]
