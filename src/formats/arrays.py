"""Files of named arrays (`.npz`), without pickled objects: whole or absent, and checked when read."""

import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from src.formats.atomic import written_atomically

_Record = TypeVar("_Record")
_N_FILES = slice(-12, -10)  # of an archive: how many files it has
_DAMAGE = (
    OSError,
    EOFError,
    ValueError,
    KeyError,
    OverflowError,
    RuntimeError,  # a flag says that it is encrypted, or compressed in a way that nobody knows
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
)


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
        content = path.read_bytes()
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            # An array's sum is checked where it is read to its end; that none is overlooked, nowhere.
            files = {name.removesuffix(".npy"): archive.read(name) for name in archive.namelist()}
        if len(files) != int.from_bytes(content[_N_FILES], "little"):
            raise UnreadableArrays("an array is lost")
        return {name: np.lib.format.read_array(io.BytesIO(file), allow_pickle=False) for name, file in files.items()}
    except _DAMAGE as error:
        raise UnreadableArrays(str(error)) from error


def write_fields(path: Path, record: Any) -> None:
    """Writes the fields of a data class, arrays and strings, as `write_arrays` does."""
    write_arrays(path, {field.name: np.asarray(getattr(record, field.name)) for field in fields(record)})


def read_fields(path: Path, kind: type[_Record]) -> _Record:
    """Reads what `write_fields` wrote; a string is one again.

    Args:
        path: of the file.
        kind: the data class.

    Raises:
        UnreadableArrays: there is no such file, it is damaged, or a field is absent.
    """
    saved = read_arrays(path)
    absent = [field.name for field in fields(kind) if field.name not in saved]
    if absent:
        raise UnreadableArrays(f"it has no {absent[0]}")
    return kind(**{field.name: _plain(saved[field.name]) for field in fields(kind)})


def _plain(array: np.ndarray) -> np.ndarray | str:
    return str(array) if array.ndim == 0 else array
