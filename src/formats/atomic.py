"""Files that are whole or absent: written to a neighbour name, flushed to the disk, renamed."""

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def written_atomically(path: Path) -> Iterator[Path]:
    """Gives a neighbour path to write to; renames it to `path` when the block ends well, removes it otherwise.

    The neighbour's name is unique, so that two writers never share one file: the later rename wins, whole.
    """
    path = Path(path)
    neighbour = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        yield neighbour
        _flush_to_disk(neighbour)
        os.replace(neighbour, path)
    finally:
        neighbour.unlink(missing_ok=True)
    _flush_to_disk(path.parent)


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
