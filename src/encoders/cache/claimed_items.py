"""Claims: which items of an encoder another process encodes just now.

    cache/encodings/<fingerprint>/
        3f2a9c1e….claim     the keys of the items, JSON
        3f2a9c1e….lock      held by the process that encodes them, until their blocks are written

A claim is made and looked at under the lock of the folder. That of a process which was killed has a free lock.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import filelock

from polyprobe.formats.files.atomic import write_text
from polyprobe.formats.files.locks import FileLock, wait_until_free

_CLAIM, _LOCK = ".claim", ".lock"


@dataclass(frozen=True, slots=True)
class Claim:
    """Items that another process encodes."""

    path: Path
    keys: frozenset[str]

    def wait(self) -> None:
        """Waits until the process has written their blocks, or is gone."""
        wait_until_free(self.path.with_suffix(_LOCK))


def claim(folder: Path, keys: Sequence[str]) -> ExitStack:
    """Claims items; the context that is returned gives the claim up at its end."""
    digest = sha256("\n".join(keys).encode()).hexdigest()[:32]
    path = folder / f"{digest}{_CLAIM}"
    lock = path.with_suffix(_LOCK)
    held = FileLock(lock).acquire()
    # The callback that is added last is called first: the claim goes before its lock is free.
    held.callback(lock.unlink, missing_ok=True)
    held.callback(path.unlink, missing_ok=True)
    try:
        write_text(path, json.dumps(list(keys)))
    except BaseException:
        held.close()
        raise
    return held


def claims(folder: Path) -> Iterator[Claim]:
    """Yields the claims of processes that live, and removes those of others."""
    for path in sorted(folder.glob(f"*{_CLAIM}")):
        lock = path.with_suffix(_LOCK)
        try:
            with FileLock(lock).acquire(timeout=0):
                path.unlink(missing_ok=True)
                lock.unlink(missing_ok=True)
        except filelock.Timeout:
            yield Claim(path, _keys(path))


def _keys(path: Path) -> frozenset[str]:
    """Reads a claim; without keys where its blocks were written in the meantime."""
    try:
        return frozenset(map(str, json.loads(path.read_text(encoding="utf-8"))))
    except (FileNotFoundError, ValueError, TypeError):
        return frozenset()
