"""Paths in few words: from the current folder, or their last parts, which distinguish files wherever they are."""

import os
from pathlib import Path


def last_parts(path: str | Path) -> str:
    """Returns a file or folder with the folder around it: "vectors/wiki.fi.bin"."""
    return "/".join(part for part in Path(path).absolute().parts[-2:] if part != "/")


def short_path(path: Path) -> str:
    """Writes a path from the current folder where it lies below it."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative
