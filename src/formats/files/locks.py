"""Locks of files between processes; where a file system has none, work goes on without, and that is said once."""

import errno
import fcntl
import logging
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import ClassVar

import filelock

NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)

_log = logging.getLogger(__name__)


class FileLock:
    """The lock of a file, which the system releases when its process ends in any way.

    There is no lock by the mere existence of a file in its place: that of a process killed on another machine would
    stay for ever.

    Attributes:
        told: the file systems, by their device, of which this process has said that they have no locks.
        goes_without: whether it was acquired on such a file system: others may have acquired it, too.
    """

    told: ClassVar[set[int]] = set()

    def __init__(self, path: Path):
        self._path = path
        self._lock = filelock.FileLock(path, fallback_to_soft=False)
        self.goes_without = False

    def acquire(self, timeout: float = -1) -> ExitStack:
        """Acquires the lock; the context that is returned releases it at its end.

        Args:
            timeout: seconds to wait for another process that holds it; -1 for as long as it does.

        Raises:
            filelock.Timeout: another process still holds it.
            OSError: the file cannot be opened.
        """
        try:
            self._lock.acquire(timeout=timeout)
        except OSError as error:
            if error.errno not in NO_LOCKS:
                raise
            self.goes_without = True
            self._tell(error)
        held = ExitStack()
        held.callback(self.release)
        return held

    @property
    def is_locked(self) -> bool:
        return self.goes_without or self._lock.is_locked

    def release(self) -> None:
        self.goes_without = False
        self._lock.release()

    def _tell(self, error: OSError) -> None:
        folder = self._path.parent
        device = folder.stat().st_dev
        if device not in self.told:
            self.told.add(device)
            found = f"{folder}: its file system has no locks ({error.strerror})."
            _log.warning("%s Commands that run at the same time may do work twice; start each run only once.", found)


def wait_until_free(path: Path) -> None:
    """Waits until no other process holds the lock of a file; one that is removed meanwhile is not made again."""
    with suppress(FileNotFoundError), path.open("r+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX)  # until it is closed
        except OSError as error:
            if error.errno not in NO_LOCKS:
                raise
