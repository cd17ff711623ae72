"""Files of named arrays (`.npz`), without pickled objects: whole or absent, and checked when read."""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from src.formats.atomic import written_atomically


class UnreadableArrays(Exception):
    """A file is absent, damaged, or no file of arrays; the text says which."""


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Writes arrays of numbers and strings, whole or not at all; makes the folder."""
    content = io.BytesIO()
    np.savez_compressed(content, allow_pickle=False, **arrays)
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_atomically(path) as neighbour:
        neighbour.write_bytes(content.getvalue())


def read_arrays(path: Path) -> dict[str, np.ndarray]:
    """Reads what `write_arrays` wrote.

    Raises:
        UnreadableArrays: there is no such file, or it is damaged.
    """
    try:
        with np.load(path, allow_pickle=False) as saved:
            return {name: saved[name] for name in saved.files}
    except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise UnreadableArrays(str(error)) from error
