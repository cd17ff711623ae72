"""Digests of files."""

import hashlib
from collections.abc import Iterable
from pathlib import Path


def file_digest(path: str | Path) -> str:
    """Returns the SHA-256 of a file, in hexadecimal digits: the whole file is read, at 1 to 2 GB a second."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def content_version(paths: Iterable[Path], *choices: object) -> str:
    """Returns 16 hexadecimal digits that follow the content of the files, in their order, and the choices."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    for choice in choices:
        digest.update(f"\n{choice}".encode())
    return digest.hexdigest()[:16]
