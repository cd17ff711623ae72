"""Work that several processes share through files: each piece is done once, by the process that takes its lock first.

Nobody deals the pieces out: a process that is fast does more of them, and what one leaves that is killed is done by
another. The processes need the same folder, on a file system with locks; without locks each does all of the work.
"""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

import filelock

from polyprobe.formats.files.locks import FileLock


@dataclass(frozen=True, slots=True)
class Sharing:
    """Which of how many processes this is."""

    rank: int
    """From 0; the first one writes what is found, the others only help."""
    n_processes: int


ALONE = Sharing(0, 1)
_log = logging.getLogger(__name__)
_sharing = ContextVar("sharing", default=ALONE)


@contextmanager
def shared(sharing: Sharing) -> Iterator[None]:
    """Says of a block, in this thread, that several processes share its work."""
    before = _sharing.set(sharing)
    try:
        yield
    finally:
        _sharing.reset(before)


def sharing() -> Sharing:
    """Says which of how many processes this is; as it stands the only one."""
    return _sharing.get()


def each_once(locks: Sequence[Path]) -> Iterator[int]:
    """Yields the numbers of pieces of work while their locks are held: each piece is to be done before the next.

    First come those that no other process works on, then the others as they become free: whoever had them has done
    them, or is gone. A lock file is not removed afterwards: another process may hold it open, and a third one would
    lock a new file next to it. Who waits for another command is told so, once.

    Args:
        locks: the lock file of each piece; its folder is made if absent.
    """
    elsewhere: list[int] = []
    is_told = sharing() != ALONE  # processes of one command say nothing of each other
    for numbers, patience in ((range(len(locks)), 0), (elsewhere, -1)):
        for number in numbers:
            locks[number].parent.mkdir(parents=True, exist_ok=True)
            if patience and not is_told:
                _log.warning("Waiting for another process that computes the same into %s.", locks[number].parent)
                is_told = True
            try:
                with FileLock(locks[number]).acquire(timeout=patience):
                    yield number
            except filelock.Timeout:
                elsewhere.append(number)
