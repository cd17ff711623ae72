"""A folder in which one process at a time works: its lock, and who holds it."""

import os
import socket
from contextlib import suppress
from pathlib import Path

import filelock

from polyprobe.display.shown import say
from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.atomic import write_text
from polyprobe.formats.files.locks import FileLock
from polyprobe.runs.record.provenance import now

LOCK, HOLDER = ".lock", ".holder"


class RunIsBusy(PolyprobeError):
    """Another process works on the same run."""


class HeldFolder:
    """The lock of a folder."""

    def __init__(self, path: Path):
        self.path = path
        self._lock = FileLock(path / LOCK)

    def take(self, patience: float = 0) -> None:
        """Takes the lock, and notes who holds it.

        Args:
            patience: seconds to wait for another process that holds it.

        Raises:
            RunIsBusy: another process still holds it.
        """
        self._acquire(patience)
        try:
            if self._lock.goes_without and (who := self._holder()):
                say(f"{self.path}: {who}, is or was at work there, and nothing tells which.")
            write_text(self.path / HOLDER, f"process {os.getpid()} on {socket.gethostname()}, since {now()}\n")
        except (OSError, PolyprobeError):  # the latter where the disk is full
            self._lock.release()
            raise

    def check_free(self) -> None:
        """Checks that no other process holds the lock; a folder that is not there is free."""
        if not (self.path / LOCK).is_file():
            return
        with suppress(OSError):  # whoever takes the lock is told why that cannot be
            self._acquire(0)
            self._lock.release()

    def release(self) -> None:
        """Releases the lock."""
        if self._lock.is_locked:
            (self.path / HOLDER).unlink(missing_ok=True)
        self._lock.release()

    def _acquire(self, patience: float) -> None:
        try:
            self._lock.acquire(timeout=patience)
        except filelock.Timeout as error:
            who = self._holder() or "another process"
            raise RunIsBusy(f"{self.path} is in use by {who}. Wait for it, or stop it, then start again.") from error

    def _holder(self) -> str:
        with suppress(OSError):
            return (self.path / HOLDER).read_text(encoding="utf-8", errors="replace").strip()
        return ""

    @property
    def is_held_alone(self) -> bool:
        """Whether nobody else can hold the lock: it is held, and the file system has locks."""
        return self._lock.is_locked and not self._lock.goes_without
