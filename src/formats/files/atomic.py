"""Files that are whole or absent: written to a neighbour name, flushed to the disk, renamed."""

import errno
import os
import shutil
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from polyprobe.errors import PolyprobeError

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
READ_ONLY = (errno.EACCES, errno.EPERM, errno.EROFS)
DEAD_AFTER_SECONDS = 3600


class NoRoom(PolyprobeError):
    """A file does not fit on its disk; nothing of it is left.

    Attributes:
        strerror: the reason, as that of an OSError.
    """

    def __init__(self, path: Path, reason: str, n_written: int):
        self.strerror = reason
        free = shutil.disk_usage(path.parent).free
        found = f"{path} cannot be written: {reason}, after {n_written:,} bytes; {free:,} bytes are free there."
        super().__init__(f"{found} Free disk space, then repeat the command: it resumes from what is complete.")


@contextmanager
def written_atomically(path: Path) -> Iterator[Path]:
    """Returns a neighbour path to write to; renames it to `path` when the block ends well, removes it otherwise.

    The neighbour's name is unique, so that two writers never share one file: the later rename wins, whole.

    Raises:
        NoRoom: the disk is full, or a limit on the size of files is met.
    """
    path = Path(path)
    neighbour = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        yield neighbour
        _flush_to_disk(neighbour)
        os.replace(neighbour, path)
    except OSError as error:
        if error.errno in NO_ROOM:
            raise NoRoom(path, error.strerror, size_of(neighbour)) from error
        if error.filename == str(neighbour):  # whose name would tell the user nothing
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
    finally:
        neighbour.unlink(missing_ok=True)
    _flush_to_disk(path.parent)


def remove_left_overs(folder: Path, pattern: str = ".*.tmp", after: float = DEAD_AFTER_SECONDS) -> None:
    """Removes what writers left that were killed; what is of the last hour may belong to one that lives.

    Args:
        pattern: of the files and folders below the folder.
        after: seconds; 0 where no writer can live.
    """
    for path in [*folder.glob(pattern)]:
        with suppress(FileNotFoundError):  # its writer, or another process that tidies up, was faster
            if after and time.time() - path.lstat().st_mtime <= after:
                continue
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink()


def size_of(path: Path) -> int:
    """Returns the bytes of a file, 0 where there is none."""
    return path.stat().st_size if path.exists() else 0


def _flush_to_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_text(path: Path, text: str) -> None:
    """Writes a UTF-8 text file, whole or not at all."""
    with written_atomically(path) as neighbour:
        neighbour.write_text(text, encoding="utf-8", newline="")
