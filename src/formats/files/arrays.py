"""Files of named arrays (`.npz`), without pickled objects: whole or absent, and checked when read."""

import hashlib
import io
import zipfile
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from polyprobe.formats.files.atomic import written_atomically
from polyprobe.formats.files.file_names import file_name, open_file

MOST_BYTES = 1 << 31  # of all arrays of a file, unpacked
KINDS = "biufU"  # truth values, integers, floating point numbers, text
SEAL = "sha256"  # name of the array that is a digest of the others; files of earlier versions have none
_Record = TypeVar("_Record")
_N_FILES = slice(-12, -10)  # of an archive: how many files it has


class UnreadableArrays(Exception):
    """A file is absent, damaged, or no file of arrays; the text says which."""


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Writes arrays of numbers and strings with a digest of them all, whole or not at all; makes the folder."""
    content = io.BytesIO()
    np.savez_compressed(content, allow_pickle=False, **arrays, **{SEAL: np.array(_seal(arrays))})
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_atomically(path) as neighbour:
        neighbour.write_bytes(content.getvalue())


def read_arrays(path: Path) -> dict[str, np.ndarray]:
    """Reads what `write_arrays` wrote.

    Raises:
        UnreadableArrays: there is no such file, it is damaged, or its arrays are not those that were written.
    """
    try:
        with open_file(path) as file:
            content = file.read()
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            infos = archive.infolist()
        # zipfile checks the sum of each array that is read, but not that all arrays are there.
        if len(infos) != int.from_bytes(content[_N_FILES], "little"):
            raise UnreadableArrays("an array is lost")
        n_bytes = sum(info.file_size for info in infos)
        if n_bytes > MOST_BYTES:
            raise UnreadableArrays(f"it claims arrays of {n_bytes:,} bytes, more than the {MOST_BYTES:,} that are read")
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        for name, array in arrays.items():
            if not isinstance(array, np.ndarray) or array.dtype.kind not in KINDS:
                raise UnreadableArrays(f"{name} holds neither numbers nor text")
    except (OSError, UnreadableArrays, zipfile.BadZipFile) as error:
        raise UnreadableArrays(str(error)) from error
    except Exception as error:  # a file that nobody here wrote can end in any exception
        raise UnreadableArrays(f"it is no file of arrays ({type(error).__name__})") from error
    seal = arrays.pop(SEAL, None)
    if seal is not None and str(seal) != _seal(arrays):
        raise UnreadableArrays(f"its arrays differ from their digest, the array {SEAL}")
    return arrays


def _seal(arrays: Mapping[str, np.ndarray]) -> str:
    digest = hashlib.sha256()
    for name, array in sorted(arrays.items()):
        array = np.ascontiguousarray(array)
        digest.update(f"{name} {array.dtype.str} {np.shape(arrays[name])} ".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def write_fields(path: Path, record: Any) -> None:
    """Writes the fields of a data class, arrays and strings, as `write_arrays` does."""
    write_arrays(path, {field.name: np.asarray(getattr(record, field.name)) for field in fields(record)})


def read_fields(path: Path, kind: type[_Record], layout: Mapping[str, tuple[str, ...]]) -> _Record:
    """Reads what `write_fields` wrote; a string is one again.

    Args:
        layout: of its arrays, see `check_layout`; its other fields are strings.

    Raises:
        UnreadableArrays: there is no such file, it is damaged, a field is absent, or arrays do not go together.
    """
    names, saved = [field.name for field in fields(kind)], read_arrays(path)
    if absent := [name for name in names if name not in saved]:
        raise UnreadableArrays(f"it has no {absent[0]}")
    check_layout(saved, {**dict.fromkeys(names, ("U",)), **layout})
    values = {name: saved[name] for name in names}
    return kind(**{name: str(value) if value.ndim == 0 else value for name, value in values.items()})


def check_layout(arrays: Mapping[str, np.ndarray], layout: Mapping[str, tuple[str, ...]]) -> None:
    """Checks that the arrays of a record fit together.

    Args:
        arrays: by their names.
        layout: for each name the kinds of numbers or text that it may hold ("iu", "U"), and its axes in words; all
            axes of one word are equally long.

    Raises:
        UnreadableArrays: an array is of another kind, or longer or shorter than another.
    """
    sizes: dict[str, int] = {}
    for name, (kinds, *axes) in layout.items():
        array = arrays[name]
        fits = array.dtype.kind in kinds and len(array.shape) == len(axes)
        if not fits or any(sizes.setdefault(axis, n) != n for axis, n in zip(axes, array.shape, strict=True)):
            found = f"{name} has shape {list(array.shape)}, {array.dtype}"
            raise UnreadableArrays(f"{found}, and does not go with the other arrays")


def check_name(path: Path, name: object) -> None:
    """Checks that a file has the name of its content, so that a name inside a file leads to no other file.

    Raises:
        UnreadableArrays: it is not.
    """
    if not isinstance(name, str) or file_name(name) != path.stem:
        raise UnreadableArrays(f'it is about "{name}" and not named after that')
