"""Digests of files."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from src.formats.files.presence import open_file

BESIDE = ".sha256"  # ends the name of the file that holds the digest of the file next to it


def file_digest(path: str | Path) -> str:
    """Returns the SHA-256 of a file, in hexadecimal digits: the whole file is read, at 1 to 2 GB a second.

    Raises:
        OSError: it cannot be read, or is a device or a pipe.
    """
    with open_file(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def path_beside(path: Path) -> Path:
    """Returns the file that holds the digest of a file, whether it exists or not."""
    return path.with_name(path.name + BESIDE)


def digest_beside(path: Path) -> str | None:
    """Returns the digest in the file next to a file, as it stands there; None where there is no such file."""
    beside = path_beside(path)
    return beside.read_text(encoding="utf-8", errors="replace").split(" ")[0] if beside.is_file() else None


def content_version(paths: Iterable[Path], *choices: object) -> str:
    """Returns 16 hexadecimal digits that follow the content of the files, in their order, and the choices."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    for choice in choices:
        digest.update(f"\n{choice}".encode())
    return digest.hexdigest()[:16]
