"""Sweeps: many jobs of one command, each a run of its own; their folder, and the outcome of each job."""

import hashlib
import json
import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.atomic import write_text

FINISHED, SKIPPED, FAILED, INTERRUPTED = "finished", "skipped", "failed", "interrupted"
NOTED, OF_SLURM = "sweep.json", "slurm.json"
LONGEST_NAME = 60  # of the swept keys in a sweep's name, in characters
SQUEUE_SECONDS = 60  # in which SLURM answers
NOT_ENDED = "its process was stopped before its end; repeat the command to resume"


@dataclass(frozen=True, slots=True)
class JobRecord:
    """The outcome of one job of a sweep."""

    status: str
    """One of "finished", "skipped" (its choices exclude each other), "failed", "interrupted" (also while a process of
    this machine works on it), or the state in which SLURM's queue has it: "pending", "running", …"""
    reason: str = ""
    """Why it has not finished; "" otherwise."""
    run: str | None = None
    """Its run directory, relative to the sweep's folder; None where there is none."""


class Sweep:
    """The folder of a sweep: sweep.json lists the jobs, jobs/ has the outcome of each, next to them are the tables.

    The last part of `folder` is its name, which is also that of its W&B group.
    """

    launcher: Mapping[str, Any]
    """The keys of `hydra.launcher`, and of its sweeper `max_batch_size`; of a sweep that this process has begun."""

    def __init__(self, folder: Path):
        self.folder = Path(folder)

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def jobs(self) -> list[tuple[str, ...]]:
        """The overrides of each job, in the order in which they start."""
        return [tuple(job) for job in self._listed("jobs")]

    @property
    def keys(self) -> list[str]:
        """The swept keys as they were typed."""
        return self._listed("keys")

    def begin(self, keys: Sequence[str], jobs: Sequence[Sequence[str]]) -> None:
        """Makes the folder and notes the jobs; outcomes of an earlier start stay until a job begins again.

        Raises:
            PolyprobeError: the folder cannot be written.
        """
        try:
            (self.folder / "jobs").mkdir(parents=True, exist_ok=True)
            write_text(self.folder / NOTED, json.dumps({"keys": list(keys), "jobs": [list(job) for job in jobs]}))
        except OSError as error:
            raise PolyprobeError(
                f"{self.folder} cannot be written ({error.strerror}). Set paths.work to another folder."
            ) from error

    def record_path(self, overrides: Sequence[str]) -> Path:
        """Returns the file with the outcome of a job."""
        return self.folder / "jobs" / f"{_digits(sorted(overrides))}.json"

    def record(self, overrides: Sequence[str]) -> JobRecord | None:
        """Returns the outcome of a job as it was noted; None where it has not begun, or the file is damaged."""
        found = [_read(self.record_path(overrides)).get(key) for key in ("status", "reason", "run")]
        is_whole = all(isinstance(one, str) for one in found[:2]) and isinstance(found[2], str | None)
        return JobRecord(*found) if is_whole else None

    def records(self) -> list[JobRecord | None]:
        """Returns the outcome of each job, in the order of `jobs`; None where it has not begun.

        A job of SLURM that has not ended is as the queue says: pending, running, or interrupted where it is not there.
        """
        submitted = self.submitted()
        states = slurm_states() if submitted else None
        return [self._outcome(job, submitted.get(self.record_path(job).stem), states) for job in self.jobs]

    def _outcome(self, job: Sequence[str], number: str | None, states: Mapping[str, str] | None) -> JobRecord | None:
        record = self.record(job)
        if number is None or (record is not None and record.status != INTERRUPTED):
            return record
        if states is None:
            return record or JobRecord("submitted", "SLURM's queue does not answer")
        if number in states:
            return JobRecord(states[number])
        return JobRecord(INTERRUPTED, f"SLURM ended job {number}: cancelled, out of time, or its node failed")

    def submitted(self) -> dict[str, str]:
        """Returns SLURM's number of each job that was submitted, by the stem of its record's name."""
        return {key: str(number) for key, number in _read(self.folder / OF_SLURM).items()}

    def note_submitted(self, numbers: Mapping[Sequence[str], str]) -> None:
        """Notes SLURM's numbers of jobs, of which no earlier outcome counts any more."""
        new = {self.record_path(job).stem: number for job, number in numbers.items()}
        for job in numbers:
            self.record_path(job).unlink(missing_ok=True)
        write_text(self.folder / OF_SLURM, json.dumps({**self.submitted(), **new}))

    def _listed(self, what: str) -> list[Any]:
        if not isinstance(found := _read(self.folder / NOTED).get(what), list):
            raise PolyprobeError(f"{self.folder / NOTED} is missing or damaged. The sweep's command writes it again.")
        return found


def write_job_record(
    path: Path, overrides: Sequence[str], status: str, reason: str = "", run: Path | None = None
) -> None:
    """Writes the outcome of a job, whole."""
    place = None if run is None else os.path.relpath(run, path.parent.parent)
    write_text(path, json.dumps({"overrides": list(overrides), **asdict(JobRecord(status, reason, place))}))


def sweep_name(command: str, keys: Sequence[str], jobs: Sequence[Sequence[str]]) -> str:
    """Returns command, swept keys and a hash over the jobs: `train-task-lang-seed-3f2a9c1e`.

    The same jobs always have the same name, in any order of the arguments; Hydra's own settings are no part of it.
    """
    words = "-".join(sorted(key.rpartition(".")[2] for key in keys))
    digits = _digits(sorted(map(sorted, jobs)))
    return "-".join(filter(None, [command, re.sub(r"[^\w-]", "", words)[:LONGEST_NAME], digits]))


def key_of(override: str) -> str:
    """Returns the key of an override as it is composed: "seed" of `seed=1` and of `+seed=1`."""
    return override.partition("=")[0].lstrip("+~")


def slurm_states() -> dict[str, str] | None:
    """Returns the state of each of the user's jobs in SLURM's queue, "pending", by its number; None without answer."""
    asked = ["squeue", f"--user={os.getuid()}", "--array", "--noheader", "--format=%i|%T"]
    try:
        done = subprocess.run(asked, check=True, capture_output=True, text=True, timeout=SQUEUE_SECONDS)
    except (OSError, subprocess.SubprocessError):
        return None
    lines = [line.strip().split("|", 1) for line in done.stdout.splitlines() if "|" in line]
    return {number: state.lower() for number, state in lines}


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _digits(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()[:8]
