"""Files of named arrays (`.npz`), without pickled objects: whole or absent, and checked when read."""

import hashlib
import io
import lzma
import math
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from polyprobe.formats.files.atomic import written_atomically
from polyprobe.formats.files.file_names import file_name, open_file

MOST_BYTES = 1 << 32  # of all arrays of a file, unpacked
MOST_CHARACTERS = 100_000  # of one text: an array of texts has the room of its longest for each
_MOST_OF_HEADER = 1 << 17  # bytes: twice what the longest header has that is read
KINDS = "biufU"  # truth values, integers, floating point numbers, text
SEAL = "sha256"  # name of the array that is a digest of the others; files of earlier versions have none
_Record = TypeVar("_Record")
_N_FILES = slice(-12, -10)  # of an archive: how many files it has
_DAMAGE = (
    OSError,
    EOFError,
    ValueError,
    KeyError,
    OverflowError,
    RuntimeError,  # a flag says that it is encrypted, or compressed by an unknown method
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
)
_NO_HEADER = (ValueError, SyntaxError, TypeError, RecursionError, MemoryError, tokenize.TokenError)


class UnreadableArrays(Exception):
    """A file is absent, damaged, or no file of arrays; the text says which."""


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Writes arrays of numbers and strings with a digest of them all, whole or not at all; makes the folder."""
    content = io.BytesIO()
    np.savez_compressed(content, allow_pickle=False, **arrays, **{SEAL: np.array(_seal(arrays))})
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_atomically(path) as neighbour:
        neighbour.write_bytes(content.getvalue())


@dataclass(frozen=True, slots=True)
class Claim:
    """What the header of an array says of it, before any of it is unpacked."""

    dtype: np.dtype
    shape: tuple[int, ...]
    begin: int
    """Of its values in the unpacked file, in bytes."""


def read_arrays(path: Path, check: Callable[[Mapping[str, Claim]], None] | None = None) -> dict[str, np.ndarray]:
    """Reads what `write_arrays` wrote.

    Args:
        check: of the headers, by the names of the arrays; raises `UnreadableArrays` before anything is unpacked.

    Raises:
        UnreadableArrays: there is no such file, it is damaged, or its arrays are not those that were written.
    """
    arrays = _arrays(path, check)
    seal = arrays.pop(SEAL, None)
    if seal is not None and str(seal) != _seal(arrays):
        raise UnreadableArrays(f"its arrays differ from their digest, the array {SEAL}")
    return arrays


def _arrays(path: Path, check: Callable[[Mapping[str, Claim]], None] | None) -> dict[str, np.ndarray]:
    try:
        with open_file(path) as file:
            content = file.read()
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            # zipfile checks the sum of each array that is read to its end, but not that all arrays are there.
            _check_claimed_size(archive)
            members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
            if len(members) != int.from_bytes(content[_N_FILES], "little"):
                raise UnreadableArrays("an array is lost")
            claims = {name: _claim(name, archive, info) for name, info in members.items()}
            if check is not None:
                check({name: claim for name, claim in claims.items() if name != SEAL})
            return {name: _array(name, claims[name], archive.read(info)) for name, info in members.items()}
    except _DAMAGE as error:
        raise UnreadableArrays(str(error)) from error


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
        UnreadableArrays: there is no such file, it is damaged, a field is absent, or arrays do not go together; all of
            this is known before anything is unpacked.
    """
    names = [field.name for field in fields(kind)]
    whole = {**dict.fromkeys(names, ("U",)), **layout}

    def check(claims: Mapping[str, Claim]) -> None:
        if absent := [name for name in names if name not in claims]:
            raise UnreadableArrays(f"it has no {absent[0]}")
        if further := [name for name in claims if name not in names]:
            raise UnreadableArrays(f"it has an array {further[0][:50]}, which no such file has")
        check_layout(claims, whole)

    saved = read_arrays(path, check)
    values = {field.name: saved[field.name] for field in fields(kind)}
    return kind(**{name: str(value) if value.ndim == 0 else value for name, value in values.items()})


def _check_claimed_size(archive: zipfile.ZipFile) -> None:
    n_bytes = sum(info.file_size for info in archive.infolist())
    if n_bytes > MOST_BYTES:
        raise UnreadableArrays(f"it claims arrays of {n_bytes:,} bytes, more than the {MOST_BYTES:,} that are read")


def _claim(name: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Claim:
    """Reads the header of an array, and checks it against the bytes that are said to be behind it."""
    with archive.open(info) as packed:
        file = io.BytesIO(packed.read(_MOST_OF_HEADER))
    try:
        version = np.lib.format.read_magic(file)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, kind = read(file)
    except _NO_HEADER:  # numpy advises to trust the file
        raise UnreadableArrays(f"{name} has no readable header") from None
    if kind.kind not in KINDS:
        raise UnreadableArrays(f"{name} holds neither numbers nor text")
    n_bytes = info.file_size - file.tell()
    if any(n < 0 for n in shape) or math.prod(shape) * kind.itemsize != n_bytes:
        raise UnreadableArrays(f"{name} claims {shape} values of {kind.itemsize} bytes and has {n_bytes:,} bytes")
    if kind.kind == "U" and kind.itemsize > 4 * MOST_CHARACTERS:
        raise UnreadableArrays(f"{name} has room for texts of {kind.itemsize // 4:,} characters, over the limit")
    return Claim(kind, shape, file.tell())


def _array(name: str, claim: Claim, content: bytes) -> np.ndarray:
    if len(content) - claim.begin != math.prod(claim.shape) * claim.dtype.itemsize:
        raise UnreadableArrays(f"{name} has {len(content) - claim.begin:,} bytes, not those of its header")
    array = np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)
    if claim.dtype.kind == "U":
        _check_text(name, array)
    return array


def _check_text(name: str, array: np.ndarray) -> None:
    codes = np.frombuffer(array.astype(array.dtype.newbyteorder("=")).tobytes(), np.uint32)
    if ((codes >= 0xD800) & (codes < 0xE000) | (codes > 0x10FFFF)).any():
        raise UnreadableArrays(f"{name} is no Unicode text")


def check_layout(record: Any, layout: Mapping[str, tuple[str, ...]]) -> None:
    """Checks that the arrays of a record fit together.

    Args:
        record: the claims of arrays by their names, or a record with an attribute for each name.
        layout: for each name the kinds of numbers or text that it may hold ("iu", "U"), and its axes in words; all
            axes of one word are equally long.

    Raises:
        UnreadableArrays: an array is of another kind, or longer or shorter than another.
    """
    sizes: dict[str, int] = {}
    for name, (kinds, *axes) in layout.items():
        array = record[name] if isinstance(record, Mapping) else np.asarray(getattr(record, name))
        fits = array.dtype.kind in kinds and len(array.shape) == len(axes)
        if not fits or any(sizes.setdefault(axis, n) != n for axis, n in zip(axes, array.shape, strict=True)):
            found = f"{name} has shape {list(array.shape)}, {array.dtype}"
            raise UnreadableArrays(f"{found}, and does not go with the other arrays")


def check_places(name: str, places: np.ndarray, lowest: int, n: int) -> None:
    """Checks that integers are indices below `n`, and at least `lowest` (below 0 for none).

    Raises:
        UnreadableArrays: one is not.
    """
    if places.size and not (places.min() >= lowest and places.max() < n):
        raise UnreadableArrays(f"{name} has a number outside {lowest} to {n - 1}")


def check_name(path: Path, name: object) -> None:
    """Checks that a file has the name of its content, so that a name inside a file leads to no other file.

    Raises:
        UnreadableArrays: it is not.
    """
    if not isinstance(name, str) or file_name(name) != path.stem:
        raise UnreadableArrays(f'it is about "{name}" and not named after that')
