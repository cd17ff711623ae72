"""Run directories: the only code that knows file names inside a run."""

import json
import os
import shutil
import socket
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import filelock

from src.formats.atomic import write_text
from src.formats.errors import MalformedLine, PolyprobeError
from src.runs.provenance import changed, now, provenance
from src.runs.results import ResultRow, read_rows, write_rows


OF_A_START = ("config.yaml", "run.json", ".lock", ".holder")


class RunIsBusy(PolyprobeError):
    """Another process works on the same run."""


class RunRemoved(PolyprobeError):
    """The folder of a run was removed while a process worked on it."""

    def __init__(self, path: Path):
        super().__init__(
            f"{path} was removed, or replaced, while the run went on: it cannot be finished. "
            "The same command begins it again."
        )


class RunDirectory:
    """One command's outcome: configuration, provenance, checkpoints, rows, pictures.

    Attributes:
        path: the folder; its last part is `name`.
        name: what the command does in words, its seed, and the identity of its configuration.
    """

    def __init__(self, path: Path):
        self.path = Path(path)
        self.name = self.path.name
        self._lock = filelock.FileLock(self.path / ".lock")
        self._held: tuple[int, int] | None = None  # device and inode of the lock's file, which stays open

    @property
    def epochs(self) -> Path:
        """The folder of checkpoints, one for each epoch: `00.ckpt` before training, `07.ckpt` after 7 epochs."""
        return self.path / "epochs"

    @property
    def resume(self) -> Path:
        """The folder of what only a run that was cut off needs: states of optimisers after the newest two epochs."""
        return self.path / "resume"

    @property
    def pictures(self) -> Path:
        return self.path / "pictures"

    @property
    def predictions(self) -> Path:
        """The folder of what was predicted.

        Of a probing run a file for each test, with every item (`src.runs.predictions`); of a training run the files
        that it was asked to label (`src.training.predict`).
        """
        return self.path / "predictions"

    @property
    def set_scores(self) -> Path:
        """The folder of what models made of minimal sets: a file for each construction (`src.runs.set_scores`)."""
        return self.path / "set_scores"

    @property
    def errors(self) -> Path:
        """The folder of lists of errors and of confusion, two files for each test."""
        return self.path / "errors"

    @property
    def labels(self) -> Path:
        """The F1 of every label, test and layer."""
        return self.path / "labels.csv"

    @property
    def results(self) -> Path:
        return self.path / "results.jsonl"

    @property
    def config(self) -> Path:
        return self.path / "config.yaml"

    def open(self, config_text: str, patience: float = 0) -> None:
        """Makes the folder if it is new, takes its lock, and writes the configuration.

        Args:
            config_text: the configuration as YAML.
            patience: seconds to wait for another process that holds the lock.

        Raises:
            RunIsBusy: another process still holds the lock.
            PolyprobeError: the folder cannot be written.
        """
        try:
            self.pictures.mkdir(parents=True, exist_ok=True)
            self._take_lock(patience)
            write_text(self.config, config_text)
        except OSError as error:
            raise PolyprobeError(
                f"{self.path} cannot be written ({error.strerror}). Set paths.work to another folder."
            ) from error
        self._clear_left_overs()

    @contextmanager
    def opened(self, config_text: str, patience: float = 0) -> Iterator[None]:
        """Opens the directory for a block of work, and closes it.

        A start that fails before anything was made leaves no folder, unless it was there before.

        Args:
            config_text, patience: see `open`.

        Raises:
            RunRemoved: the block failed since the folder is not there any more.
        """
        is_new = not self.path.exists()
        self.open(config_text, patience)
        try:
            yield
        except Exception as error:
            if not self._is_there:
                raise RunRemoved(self.path) from error
            if is_new and not self._has_work:
                shutil.rmtree(self.path, ignore_errors=True)
            raise
        finally:
            self.close()

    def check_there(self) -> None:
        """Checks that an open directory is still the one that was opened: what is written must not make it anew.

        Raises:
            RunRemoved: it was removed, whether there is another in its place or not.
        """
        if not self._is_there:
            raise RunRemoved(self.path)

    def close(self) -> None:
        """Releases the lock."""
        if self._lock.is_locked and self._is_there:
            (self.path / ".holder").unlink(missing_ok=True)
        self._held = None
        self._lock.release()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Holds the lock of a run that is there.

        Raises:
            RunIsBusy: another process holds it.
        """
        self._take_lock()
        try:
            yield
        finally:
            self.close()

    def tidy(self) -> None:
        """Clears what a process that was killed left in a finished run, unless another one is at work there."""
        with suppress(RunIsBusy), self.held():
            self._clear_left_overs()

    def record(self) -> dict[str, Any]:
        """Gives what run.json says; an empty dictionary for a new run."""
        try:
            return json.loads((self.path / "run.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except ValueError as error:
            raise PolyprobeError(
                f"{self.path / 'run.json'} is damaged ({error}). Remove the folder to begin again."
            ) from error

    @property
    def is_finished(self) -> bool:
        """Whether all rows are there; a run that lost its results.jsonl is not finished: its command makes it anew."""
        return self.record().get("status") == "finished" and self.results.is_file()

    def begin(self, data: Mapping[str, str]) -> bool:
        """Notes a start in run.json: versions, times, data digests. Says whether an earlier start is being resumed.

        Raises:
            PolyprobeError: the data are not those of the earlier start.
        """
        self.check_there()
        before = self.record()
        if before:
            self.check_data(data)
        starts = [*before.get("starts", []), now()]
        record = {**provenance(), "name": self.name, "status": "running", "starts": starts, "data": dict(data)}
        self._write_record(record)
        return bool(before)

    def check_data(self, data: Mapping[str, str]) -> None:
        """Compares the digests of the data with those of the run's first start.

        Raises:
            PolyprobeError: they differ; names the files.
        """
        if names := changed(self.record()["data"], data):
            message = f"{', '.join(names)} changed since {self.path} was begun. Put them back, or remove the folder."
            raise PolyprobeError(message)

    def finish(self, rows: Iterable[ResultRow], notes: Mapping[str, Any]) -> None:
        """Writes the rows, then marks the run as finished: a finished run has all its rows.

        Raises:
            RunRemoved: the folder is not there any more.
        """
        rows = list(rows)  # some are computed when they are asked for
        self.check_there()
        write_rows(self.results, self.name, rows)
        self._write_record({**self.record(), "status": "finished", "end": now(), **notes})

    def rows(self) -> list[dict[str, Any]]:
        """Reads the rows of a finished run.

        Raises:
            PolyprobeError: the file is damaged.
        """
        try:
            return read_rows(self.results)
        except MalformedLine as error:
            raise PolyprobeError(f"{error} Remove the file: the command of the run writes it anew.") from error

    def _write_record(self, record: Mapping[str, Any]) -> None:
        write_text(self.path / "run.json", json.dumps(record, indent=1, ensure_ascii=False) + "\n")

    def _clear_left_overs(self) -> None:
        for left_over in self.path.rglob(".*.tmp"):  # of a process that was killed while it wrote
            left_over.unlink(missing_ok=True)

    @property
    def _is_there(self) -> bool:
        """Whether the folder is the one whose lock is held; True where none is."""
        if self._held is None:
            return True
        try:
            status = os.stat(self.path / ".lock")
        except OSError:
            return False
        return (status.st_dev, status.st_ino) == self._held

    @property
    def _has_work(self) -> bool:
        return any(path.is_file() and path.name not in OF_A_START for path in self.path.rglob("*"))

    def _take_lock(self, patience: float = 0) -> None:
        holder = self.path / ".holder"
        try:
            self._lock.acquire(timeout=patience)
        except filelock.Timeout as error:
            who = "another process"
            with suppress(OSError):
                who = holder.read_text(encoding="utf-8").strip() or who
            raise RunIsBusy(f"{self.path} is in use by {who}. Wait for it, or end it, then start again.") from error
        status = os.stat(self.path / ".lock")
        self._held = status.st_dev, status.st_ino
        write_text(holder, f"process {os.getpid()} on {socket.gethostname()}, since {now()}\n")
