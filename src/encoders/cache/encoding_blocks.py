"""Blocks of the encoding cache: items with their vectors in one file, under a digest.

    SHA-256 of the rest, 32 bytes | length of the header, 8 bytes | header | padding | layer 0 | layer 1 | …

The header is JSON: the items' keys and the layers' widths. A layer is `[items, width]`, little-endian, of the number
type that the name of the file ends in: `.block` float32, `.half` float16. Where room is needed, the blocks of the least
recently used encoders are removed.

A claim says which items a process encodes just now: `3f2a9c1e….claim` has their keys, JSON; `3f2a9c1e….lock` is held
until their blocks are written. A claim is made and looked at under the lock of the folder; that of a process which was
killed has a free lock.
"""

import hashlib
import json
import logging
import mmap
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

import filelock
import numpy as np

from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.atomic import write_text, written_atomically
from polyprobe.formats.files.locks import FileLock
from polyprobe.items import Form, Item, Sentence

_DIGEST_SIZE, _LENGTH_SIZE, _ALIGNMENT = 32, 8, 64
SUFFIXES = {"float32": ".block", "float16": ".half"}
_NUMBERS = {".block": np.dtype("<f4"), ".half": np.dtype("<f2")}


class DamagedBlock(PolyprobeError):
    """A block file differs from what was written."""

    def __init__(self, path: Path, found: str):
        super().__init__(f"{path}: {found}.")
        self.path = path


@dataclass(frozen=True, eq=False)
class Block:
    """A block that is mapped into memory."""

    path: Path
    keys: tuple[str, ...]
    vectors: tuple[np.ndarray, ...]
    """For each layer `[items, width]`, of the file's number type, read-only."""

    @property
    def widths(self) -> tuple[int, ...]:
        return tuple(layer.shape[1] for layer in self.vectors)


def item_key(item: Item) -> str:
    """Returns a line of ASCII that identifies the item: its kind, its words and, last, its index or its text."""
    if isinstance(item, Form):
        return json.dumps(["form", item.form])
    if isinstance(item, Sentence):
        return json.dumps(["sentence", item.words, *([] if item.text is None else [item.text])])
    return json.dumps(["token", item.words, item.index])


def block_name(keys: Sequence[str], number: str) -> str:
    """Returns the file name of the block with these items, in this order, kept as "float32" or "float16"."""
    return hashlib.sha256("\n".join(keys).encode()).hexdigest()[:32] + SUFFIXES[number]


def write_block(path: Path, keys: Sequence[str], vectors: Sequence[np.ndarray]) -> None:
    """Writes a block, whole or not at all; the vectors are rounded to the number type of the file's name.

    The file is written, not mapped: a mapped file on a full disk ends the process without an exception.
    """
    header = json.dumps({"keys": list(keys), "widths": [layer.shape[1] for layer in vectors]}).encode()
    padding = b" " * (-(_DIGEST_SIZE + _LENGTH_SIZE + len(header)) % _ALIGNMENT)
    parts = [(len(header) + len(padding)).to_bytes(_LENGTH_SIZE, "little"), header + padding]
    parts += [np.ascontiguousarray(layer, _NUMBERS[path.suffix]).data.cast("B") for layer in vectors]
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    with written_atomically(path) as neighbour, open(neighbour, "wb") as file:
        file.writelines([digest.digest(), *parts])


def read_block(path: Path) -> Block:
    """Maps a block into memory, after its digest is checked."""
    if path.stat().st_size <= _DIGEST_SIZE + _LENGTH_SIZE:
        raise DamagedBlock(path, "it is truncated")
    content = np.memmap(path, np.uint8, mode="r")
    if hashlib.sha256(content[_DIGEST_SIZE:]).digest() != content[:_DIGEST_SIZE].tobytes():
        raise DamagedBlock(path, "it differs from its SHA-256")
    begin = _DIGEST_SIZE + _LENGTH_SIZE
    end = begin + int.from_bytes(content[_DIGEST_SIZE:begin].tobytes(), "little")
    header = json.loads(content[begin:end].tobytes())
    keys, widths = tuple(header["keys"]), header["widths"]
    number = _NUMBERS[path.suffix]
    sizes = [len(keys) * width * number.itemsize for width in widths]
    parts = np.split(content[end:], np.cumsum(sizes)[:-1])
    return Block(path, keys, tuple(part.view(number).reshape(len(keys), -1) for part in parts))


def release(block: Block) -> None:
    """Lets the system take back the memory of a block's vectors; they are read from the file when next used."""
    content = block.vectors[0]
    while not isinstance(content, mmap.mmap):
        content = content.base if isinstance(content, np.ndarray) else content.obj
    content.madvise(mmap.MADV_DONTNEED)


_log = logging.getLogger(__name__)
_USED = "used"
GB = 10**9


def mark_used(folder: Path) -> None:
    """Notes that an encoder's folder is used now; does nothing where it is missing or read-only."""
    with suppress(OSError):
        (folder / _USED).touch()


def make_room(folder: Path, kept: str, max_gb: float, needed: int) -> None:
    """Removes blocks of the least recently used encoders until the cache and what is to come fit.

    A folder into which another process encodes stays. A process that has mapped a removed block keeps reading it. The
    lock files stay, since another process may wait at one.

    Args:
        kept: name of the encoder's folder that is never removed.
        max_gb: the most that the blocks may take, in 10**9 bytes.
        needed: bytes that will be written.
    """
    sizes = _sizes(folder)
    too_many = sum(sizes.values()) + needed - max_gb * GB
    for one in sorted(sizes, key=_last_use):
        if too_many <= 0:
            return
        if one.name != kept and sizes[one] and _emptied(one):
            _log.info("%s is removed: %s bytes.", one, f"{sizes[one]:,}")
            too_many -= sizes[one]
    if too_many > 0:
        _log.warning("%s takes %.3g GB more than cache.max_gb=%g: it is in use.", folder, too_many / GB, max_gb)


def _emptied(folder: Path) -> bool:
    """Removes the blocks of a folder, unless another process encodes into it, or may do so."""
    lock = FileLock(folder / "lock")
    try:
        held = lock.acquire(timeout=0)
    except OSError:  # among them Timeout
        return False
    with held:
        if lock.goes_without or any(claims(folder)):
            return False
        for path in _blocks(folder):
            path.unlink(missing_ok=True)
    return True


def _sizes(folder: Path) -> dict[Path, int]:
    return {one: _size(one) for one in Path(folder).glob("*/") if one.is_dir()}


def _size(folder: Path) -> int:
    size = 0
    for path in _blocks(folder):
        with suppress(FileNotFoundError):
            size += path.stat().st_size
    return size


def _blocks(folder: Path) -> Iterator[Path]:
    return (path for suffix in SUFFIXES.values() for path in folder.glob(f"*{suffix}"))


def _last_use(folder: Path) -> float:
    """Returns seconds since 1970; a folder that nobody marked was last used when its newest file was written."""
    marked = folder / _USED
    if marked.exists():
        return os.stat(marked).st_mtime
    return max((path.stat().st_mtime for path in folder.iterdir()), default=0.0)


_CLAIM, _LOCK = ".claim", ".lock"


def claim(folder: Path, keys: Sequence[str]) -> ExitStack:
    """Claims items; the context that is returned gives the claim up at its end."""
    digest = hashlib.sha256("\n".join(keys).encode()).hexdigest()[:32]
    path = folder / f"{digest}{_CLAIM}"
    lock = path.with_suffix(_LOCK)
    held = FileLock(lock).acquire()
    # The callback that is added last is called first: the claim goes before its lock is free.
    held.callback(lock.unlink, missing_ok=True)
    held.callback(path.unlink, missing_ok=True)
    try:
        write_text(path, json.dumps(list(keys)))
    except BaseException:
        held.close()
        raise
    return held


def claims(folder: Path) -> Iterator[tuple[frozenset[str], Path]]:
    """Yields the items that each living process encodes, and its lock; removes the claims of others."""
    for path in sorted(folder.glob(f"*{_CLAIM}")):
        lock = path.with_suffix(_LOCK)
        try:
            with FileLock(lock).acquire(timeout=0):
                path.unlink(missing_ok=True)
                lock.unlink(missing_ok=True)
        except filelock.Timeout:
            yield _keys(path), lock


def _keys(path: Path) -> frozenset[str]:
    """Reads a claim; without keys where its blocks were written in the meantime."""
    try:
        return frozenset(map(str, json.loads(path.read_text(encoding="utf-8"))))
    except (FileNotFoundError, ValueError, TypeError):
        return frozenset()
