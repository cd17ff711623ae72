"""Run directories: the only code that knows file names inside a run."""

import json
import os
import shutil
import socket
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import Path
from typing import Any

import filelock

from src.formats.atomic import write_text
from src.formats.digest import file_digest
from src.formats.errors import MalformedLine, PolyprobeError
from src.formats.sealed_json import SEAL, DamagedJson, read_sealed, write_sealed
from src.formats.shown import say
from src.runs.configuration_file import read_configuration
from src.runs.provenance import changed, digests, name_of, now
from src.runs.results import ResultRow, read_rows, write_rows
from src.runs.starts import new_start, note_on, said_at_the_start, starts_of, with_note


RUNNING, FINISHED = "running", "finished"
# What numbers are shown from when the run is finished, below its folder.
SHOWN_LATER = (
    *("results.jsonl", "config.yaml", "metrics.csv", "missing_words.tsv"),
    *("predictions/*.npz", "set_scores/*.npz"),
)
# Entries of run.json that are read again, with their types.
KINDS = {
    **dict.fromkeys(("name", "status", "end"), str),
    **dict.fromkeys(("data", "files", "counts", "constructions", "missing", "polyprobe", "libraries"), dict),
    **dict.fromkeys(("starts", "left_out"), list),
    "best_epoch": int,
}
WORDS = {str: "text", dict: "object", list: "list", int: "integer"}
LONGEST = 60  # of a value in a message, in characters
BEGIN_AGAIN = "Remove the folder to begin again."
GIVE_AGAIN = "Give the run's command again: it writes this file anew."
MAKE_ANEW = "Remove the run's results.jsonl: the command of the run then writes this file anew."


FOLDERS = ("epochs", "resume", "pictures", "predictions", "set_scores", "errors", "vectors", "sets")
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


class DamagedRun(PolyprobeError):
    """A file of a run is not what was written."""

    def __init__(self, path: Path, found: str, advice: str):
        super().__init__(f"{path}: {found}. {advice}")
        self.path = path


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
    def metrics(self) -> Path:
        """What was measured after each epoch of training, as CSV."""
        return self.path / "metrics.csv"

    @property
    def config(self) -> Path:
        return self.path / "config.yaml"

    def open(self, config_text: str, patience: float = 0) -> None:
        """Makes the folder if it is new, takes its lock, and writes the configuration; a finished run keeps its own.

        Args:
            config_text: the configuration as YAML.
            patience: seconds to wait for another process that holds the lock.

        Raises:
            RunIsBusy: another process still holds the lock.
            DamagedRun: run.json is not as it was written, or see `check_folders`.
            PolyprobeError: the folder cannot be written.
        """
        self.record()
        self.check_folders()
        try:
            self.pictures.mkdir(parents=True, exist_ok=True)
            self._take_lock(patience)
            if not (self.is_finished and self._is_as_written(self.config)):
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

    def check_folders(self) -> None:
        """Checks that the folders of the run lie in it; the run itself may be reached through a link.

        Raises:
            DamagedRun: one is a symbolic link: what is written to it would land elsewhere.
        """
        for path in chain.from_iterable(_linked_folders(self.path / name) for name in FOLDERS):
            advice = "Expected a folder of the run itself. Remove the link, or put the folder in its place."
            raise DamagedRun(path, f"it is a symbolic link to {os.readlink(path)}", advice)

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
            DamagedRun: see `check_folders`.
        """
        self.check_folders()
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
        """Gives what run.json says; an empty dictionary for a new run.

        Raises:
            DamagedRun: it is no JSON object, differs from its digest, or has entries of other types.
        """
        try:
            record = read_sealed(self._record_path)
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except DamagedJson as error:
            raise DamagedRun(self._record_path, str(error), BEGIN_AGAIN) from error
        except OSError as error:
            raise DamagedRun(self._record_path, f"it cannot be read ({error.strerror})", BEGIN_AGAIN) from error
        if found := _wrong_entry(record):
            raise DamagedRun(self._record_path, found, BEGIN_AGAIN)
        return record

    @property
    def is_finished(self) -> bool:
        """Whether all rows are there; a run that lost its results.jsonl is not finished: its command makes it anew."""
        return self.record().get("status") == FINISHED and self.results.is_file()

    def begin(self, data: Mapping[str, str], **circumstances: Any) -> bool:
        """Notes a start in run.json: time, versions, machine, data digests. Says whether an earlier one is resumed.

        Prints in a line in what the versions or the circumstances differ from those of the start before.

        Args:
            data: the digest of every data file.
            circumstances: what only the command knows: `threads`, `devices`, `accelerator`.

        Raises:
            PolyprobeError: the data are not those of the earlier start.
        """
        self.check_there()
        before = self.record()
        self._begin(before, data, [*starts_of(before), new_start(circumstances)])
        return bool(before)

    def begin_anew(self, data: Mapping[str, str], **circumstances: Any) -> bool:
        """As `begin`, of a run in which nothing is left of earlier starts: they are forgotten."""
        self.check_there()
        before = self.record()
        self._begin(before, data, [new_start(circumstances)])
        return bool(before)

    def check_data(self, data: Mapping[str, str]) -> None:
        """Compares the digests of the data with those of the run's first start.

        Raises:
            PolyprobeError: they differ; names the files.
        """
        if names := changed(self.record().get("data", {}), data):
            message = f"{', '.join(names)} changed since {self.path} was begun. Put them back, or remove the folder."
            raise PolyprobeError(message)

    def finish(self, rows: Iterable[ResultRow], notes: Mapping[str, Any]) -> None:
        """Writes the rows, then marks the run as finished: a finished run has all its rows.

        run.json keeps the digests of all files from which numbers are shown. Where the run was resumed under other
        versions or circumstances, every row says so in its note.

        Raises:
            RunRemoved: the folder is not there any more.
        """
        rows = list(rows)  # some are computed when they are asked for
        self.check_there()
        record = self.record()
        note = note_on(starts_of(record))
        write_rows(self.results, self.name, (with_note(row, note) for row in rows))
        kept = sorted(path for pattern in SHOWN_LATER for path in self.path.glob(pattern))
        files = digests(kept, self.path)
        write_sealed(self._record_path, {**record, "status": FINISHED, "end": now(), **notes, "files": files})

    def say_finished(self, data: Mapping[str, str]) -> None:
        """Says that the run is finished, after a look at all that its numbers rest on; clears left overs.

        Args:
            data: the digests of the data as they are now.

        Raises:
            DamagedRun: a file from which numbers are shown is not as it was written.
            PolyprobeError: the data are not those of the run's first start.
        """
        for name in self.record().get("files", {}):
            self.checked(self.path / name)
        self.check_data(data)
        say(f"{self.path} is finished; its results:")
        self.tidy()

    def checked(self, path: Path) -> Path:
        """Compares a file of the run with its digest in run.json, and gives its path.

        Runs that are not finished, and runs that were finished before digests were kept, claim nothing of their files.

        Raises:
            DamagedRun: it differs, is absent, or is none of the run's files.
        """
        files = self.record().get("files")
        if files is None:
            return path
        expected = files.get(name_of(path, self.path))
        if expected is None:
            raise DamagedRun(path, "it is none of the files that run.json names", MAKE_ANEW)
        try:
            found = file_digest(path)
        except OSError as error:
            raise DamagedRun(path, f"it cannot be read ({error.strerror})", MAKE_ANEW) from error
        if found != expected:
            raise DamagedRun(path, f"its SHA-256 is {found[:16]}…, in run.json {str(expected)[:16]}…", MAKE_ANEW)
        return path

    def arrays(self, folder: Path) -> list[Path]:
        """Gives the files of arrays in `predictions` or `set_scores`, in the order of their names, each as it was
        written.

        Raises:
            DamagedRun: see `checked` and `check_folders`; or one that run.json names is absent.
        """
        self.check_folders()
        files = self.record().get("files", {})
        named = {self.path / name for name in files if (self.path / name).parent == folder}
        return [self.checked(path) for path in sorted({*folder.glob("*.npz"), *named})]

    def rows(self) -> list[dict[str, Any]]:
        """Reads the rows of a finished run, whose results.jsonl and config.yaml are as they were written.

        Raises:
            FileNotFoundError: there are none: the run is not finished.
            DamagedRun: a file is damaged, or run.json does not vouch for the rows; or see `check_folders`.
        """
        self.check_folders()
        if self.results.is_file():
            self._check_finished()
            self.checked(self.config)
            self.checked(self.results)
        try:
            return read_rows(self.results)
        except MalformedLine as error:
            raise DamagedRun(self.results, f"line {error.line}: {error.found}", MAKE_ANEW) from error
        except UnicodeDecodeError as error:
            raise DamagedRun(self.results, f"byte {error.start + 1} is not UTF-8", MAKE_ANEW) from error

    def configuration(self) -> dict[str, Any]:
        """Reads config.yaml: plain values.

        Raises:
            FileNotFoundError: there is none.
            PolyprobeError: it is no YAML mapping in UTF-8, or differs from its digest in run.json.
        """
        if self.config.is_file():
            self.checked(self.config)
        return read_configuration(self.config)

    def _check_finished(self) -> None:
        if found := _unfinished(self.record()):
            raise DamagedRun(self._record_path, found, GIVE_AGAIN)

    @property
    def _record_path(self) -> Path:
        return self.path / "run.json"

    def _begin(self, before: Mapping[str, Any], data: Mapping[str, str], starts: Sequence[Mapping[str, Any]]) -> None:
        if before:
            self.check_data(data)
        if line := said_at_the_start(starts):
            say(line)
        versions = {key: value for key, value in starts[-1].items() if key != "time"}
        record = {**versions, "name": self.name, "status": RUNNING, "starts": starts, "data": dict(data)}
        write_sealed(self._record_path, record)

    def _is_as_written(self, path: Path) -> bool:
        try:
            self.checked(path)
        except DamagedRun:
            return False
        return path.is_file()

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


def _wrong_entry(record: Mapping[str, Any]) -> str | None:
    """Says which entry of run.json is not what it should be; None: none."""
    if "status" not in record:
        return "it does not say whether the run is finished, the entry status"
    for name, kind in KINDS.items():
        if not isinstance(record.get(name, kind()), kind):
            return f"{name} is {json.dumps(record[name])[:LONGEST]}, no {WORDS[kind]}"
    unknown = [name for name in record.get("files", {}) if not any(_fits(name, it) for it in SHOWN_LATER)]
    if unknown:
        return f"files names {json.dumps(unknown[0])[:LONGEST]}, no file of a run"
    is_unsealed = "files" in record and SEAL not in record
    return f"it has no digest of what it says, the entry {SEAL}" if is_unsealed else None


def _unfinished(record: Mapping[str, Any]) -> str | None:
    """Says why what run.json says vouches for no rows; None: it does.

    Runs that were finished before digests were kept name no files. Their starts are times alone.
    """
    if not record:
        return "it is not there"
    if record["status"] != FINISHED:
        return f"status is {json.dumps(record['status'])[:LONGEST]}, not {FINISHED}"
    starts = record.get("starts", [])
    is_of_before = bool(starts) and all(isinstance(start, str) for start in starts)
    return None if "files" in record or is_of_before else "it names no files with their digests"


def _linked_folders(folder: Path) -> Iterator[Path]:
    """Gives a folder if it is a symbolic link, whatever it leads to, or the folders below it that are."""
    if folder.is_symlink():
        yield folder
        return
    for above, names, _ in os.walk(folder):
        yield from (path for path in (Path(above, name) for name in names) if path.is_symlink())


def _fits(name: str, pattern: str) -> bool:
    return name.count("/") == pattern.count("/") and fnmatchcase(name, pattern)
