"""What stands in the place of a file: nothing, a folder, a file, or something that is read without end."""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

NOTHING = "there is no such file"
FOLDER = "it is a folder"


def absence(path: Path) -> str:
    """Says, as a clause, why a path that is no file is none."""
    return FOLDER if path.is_dir() else NOTHING


def open_file(path: str | Path) -> BinaryIO:
    """Opens a regular file for reading.

    A link to a device, or a pipe, as an archive from elsewhere may hold, would be read without end or waited for.

    Raises:
        OSError: it cannot be opened, or is no regular file.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | getattr(os, "O_CLOEXEC", 0))
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        raise OSError(errno.EINVAL, "it is a device or a pipe, no file", str(path))
    return open(descriptor, "rb")


def text_of_file(path: Path, most_bytes: int | None = None) -> str:
    """Reads a UTF-8 text file; line ends become LF.

    Args:
        path: of a regular file.
        most_bytes: that are read; None: any number.

    Raises:
        OSError: as `open_file`.
        ValueError: it is larger, or not UTF-8.
    """
    with open_file(path) as file:
        content = file.read(-1 if most_bytes is None else most_bytes + 1)
    if most_bytes is not None and len(content) > most_bytes:
        raise ValueError(f"it has more than the {most_bytes:,} bytes that are read")
    return content.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
