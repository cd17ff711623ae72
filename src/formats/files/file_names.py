"""Names of tests, languages, models as names of files: none leads out of its folder, no two share a file.

In the place of a file may be nothing, a folder, a file, or something that is read without end.
"""

import errno
import hashlib
import os
import re
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from polyprobe.display.shown import is_shown_as_it_is
from polyprobe.errors import PolyprobeError

LONGEST = 120  # bytes in UTF-8: endings, and the neighbour that a file is written to first, have room in 255
_MEANT_OTHERWISE = frozenset("/\\:*?\"<>|=,;()[]{}$'`#%&!")  # to file systems, shells, Hydra, W&B
_AT_THE_START, _AT_THE_END = " .-~+@", " ."
_DIGEST = re.compile(r"~[0-9a-f]{8}")
NOTHING = "there is no such file"
FOLDER = "it is a folder"


def file_name(name: str, longest: int = LONGEST) -> str:
    """Returns a name that a file or folder can have; a harmless name stays as it is.

    Characters with a meaning for a file system, a shell or Hydra become `_`, a long name is cut, and a changed one ends
    with a digest of the whole name. A name that looks as if it had been changed gets a digest, too: two names never
    become one.

    Args:
        longest: bytes of the outcome in UTF-8.

    >>> file_name("SubjNumber")
    'SubjNumber'
    >>> file_name("../../.ssh/authorized_keys")
    '_._.._.ssh_authorized_keys~a1742835'
    """
    harmless = _without_meaning(name)
    is_harmless = harmless == name and len(name.encode()) <= longest and not _DIGEST.fullmatch(name[-9:])
    if is_harmless:
        return name
    digest = f"~{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
    return harmless.encode()[: longest - len(digest)].decode(errors="ignore") + digest


def check_names(kind: str, names: Iterable[str]) -> None:
    """Refuses names that cannot be shown, or written as UTF-8: those of files with line breaks or of other bytes.

    Args:
        kind: what has these names, for the message ("a test").

    Raises:
        PolyprobeError: there is one.
    """
    for name in names:
        if not name or not all(map(is_shown_as_it_is, name)):
            found = f'{kind} is named "{name}", with characters that cannot be shown'
            raise PolyprobeError(f"{found}. Expected text in UTF-8 on one line: rename its file.")


def _without_meaning(name: str) -> str:
    is_letter = [is_shown_as_it_is(one) and (one == " " or not one.isspace()) for one in name]
    kept = [one if shown and one not in _MEANT_OTHERWISE else "_" for one, shown in zip(name, is_letter, strict=True)]
    if kept and kept[0] in _AT_THE_START:
        kept[0] = "_"
    if not kept or kept[-1] in _AT_THE_END:
        kept[-1:] = "_"
    return "".join(kept)


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
