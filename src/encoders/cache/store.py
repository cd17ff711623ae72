"""The encoding cache: distinct items are encoded once per fingerprint, kept in checked files, mapped when read.

    cache/encodings/<fingerprint>/            one encoder
        3f2a9c1e….block                       up to 4,096 items with their vectors in every layer (encoding_blocks.py)
        3f2a9c1e….half                        the same as float16, where that is requested
        3f2a9c1e….claim, 3f2a9c1e….lock       items that a process encodes now (encoding_blocks.py)
        lock                                  held while a process looks which items it will encode
        used                                  its time is that of the last use

A block is named by its items and written whole or not at all, as soon as the encoder has yielded its last vector. So an
interrupted encoding resumes after its last block, and two writers of the same block write the same bytes: where a file
system's locks do not work, work is done twice, but nothing is damaged. The encoder is called once for all items that
are missing; about a block of its vectors is in memory at a time. Where several processes share the work of a command,
each is called for some blocks at a time, in the order and with the borders of one process alone. A user's own encoder
may have faults: what it yields, in parts of any size, is checked against its declarations, rounded, and cut into
blocks.
"""

import json
import logging
import math
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from polyprobe.display.progress import WorkProgress, watched
from polyprobe.display.shown import cut, size_shown
from polyprobe.encoders.base.encoder import Encoder, Layer, check_items
from polyprobe.encoders.cache.encoding_blocks import (
    GB,
    SUFFIXES,
    Block,
    DamagedBlock,
    block_name,
    claim,
    claims,
    item_key,
    make_room,
    mark_used,
    read_block,
    write_block,
)
from polyprobe.errors import BadValue, PolyprobeError
from polyprobe.formats.files.atomic import NoRoom, remove_left_overs
from polyprobe.formats.files.file_names import file_name
from polyprobe.formats.files.locks import FileLock, wait_until_free
from polyprobe.formats.files.shared_work import sharing
from polyprobe.items import Item
from polyprobe.named import faults_told
from polyprobe.section import AboveZero, Section

_log = logging.getLogger(__name__)
BLOCK_ITEMS = 4096


class CacheNotWritten(PolyprobeError):
    """A file of the cache cannot be written."""


@dataclass(frozen=True)
class EncoderFolder:
    """The blocks of one encoder, of one number type."""

    path: Path
    number: str

    def read(self, known: Collection[Path] = ()) -> tuple[list[Block], list[DamagedBlock]]:
        """Reads and checks all blocks but those that are known, in the order of their names."""
        blocks, damaged = [], []
        for path in sorted({*self.path.glob(f"*{SUFFIXES[self.number]}")}.difference(known)):
            try:
                blocks.append(read_block(path))
            except FileNotFoundError:
                continue  # another process found it damaged and removed it
            except DamagedBlock as error:
                damaged.append(error)
        return blocks, damaged

    def read_sound(self, known: Sequence[Block]) -> list[Block]:
        """Reads the blocks that are not known yet, and removes damaged ones; returns all, by their names."""
        new, damaged = self.read({block.path for block in known})
        for block in damaged:
            _log.warning("%s Its items are encoded again.", block)
            block.path.unlink(missing_ok=True)
        return sorted([*known, *new], key=lambda block: block.path)

    def write(self, keys: Sequence[str], vectors: Sequence[np.ndarray]) -> Block:
        """Writes a block, whole or not at all."""
        path = self.path / block_name(keys, self.number)
        with _writing(path, sum(layer.nbytes for layer in vectors)):
            write_block(path, keys, vectors)
        return read_block(path)

    def claimed(self, keys: Sequence[str]) -> ExitStack:
        """Says to other processes which items this one encodes, as long as the stack is not closed."""
        with _writing(self.path):
            return claim(self.path, keys)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Makes the folder if it is new and holds its lock."""
        with _writing(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            held = FileLock(self.path / "lock").acquire()
            remove_left_overs(self.path)
        with held:
            yield


class VectorCache(Section, key="cache"):
    """Where and how the vectors of items are kept."""

    folder: Path
    """Of all encodings ("cache/encodings"); made if absent."""
    number: Literal["float32", "float16"] = "float32"
    """Number type of stored vectors: float32, or float16: half the disk space, vectors rounded."""
    max_gb: AboveZero | None = None
    """Maximum size in GB, such as 50: least recently used encodings are removed; null: no limit."""

    def folder_of(self, encoder: Encoder) -> EncoderFolder:
        """Returns the folder of an encoder: its fingerprint may be any text, of a user's class or of a file."""
        return EncoderFolder(self.folder / file_name(encoder.fingerprint), self.number)


@dataclass(frozen=True)
class EncodedItems:
    """Vectors of distinct items, layer by layer, mapped from the cache's files."""

    layers: tuple[Layer, ...]
    blocks: tuple[Block, ...]
    taken: np.ndarray
    """The rows of the items in the blocks, one after the other: rising, `[items]`, int64."""
    row_of_key: Mapping[str, int]
    """The row of each item in `taken` and in every layer's matrix, by its `item_key`."""

    def __len__(self) -> int:
        return len(self.row_of_key)

    def rows(self, items: Iterable[Item]) -> np.ndarray:
        """Returns the row of each item in every layer's matrix, `[items]`, int64."""
        return np.fromiter((self.row_of_key[item_key(item)] for item in items), np.int64)

    def parts(self) -> Iterator[tuple[slice, Block, np.ndarray]]:
        """Yields rows of every layer's matrix, the block that has their vectors, and their rows there, `[rows]`."""
        starts = np.cumsum([0, *(len(block.keys) for block in self.blocks)])
        bounds = np.searchsorted(self.taken, starts)
        for block, start, first, last in zip(self.blocks, starts, bounds, bounds[1:], strict=False):
            yield slice(first, last), block, self.taken[first:last] - start

    def matrix(self, layer: int) -> np.ndarray:
        """Returns the vectors of layer number `layer`, `[items, width]`, float32, read-only.

        One block of float32 with these items alone is mapped as it lies on the disk; others are copied into memory.
        """
        if len(self.blocks) == 1 and len(self.blocks[0].keys) == len(self):
            whole = self.blocks[0].vectors[layer]
            if whole.dtype == np.float32:
                return whole
        matrix = np.empty((len(self), self.layers[layer].width), np.float32)
        for rows, block, places in self.parts():
            matrix[rows] = block.vectors[layer][places]
        matrix.flags.writeable = False
        return matrix


def check_room(encoders: Sequence[Encoder], items: Iterable[Item], cache: VectorCache) -> None:
    """Refuses vectors that exceed the limit, or the free disk space; call it before the first of them is encoded.

    Raises:
        BadValue: the limit is below what is needed; says how much that is.
        CacheNotWritten: the file system has less space than the vectors that are not there yet need.
    """
    wanted = {item_key(item): item for item in items}
    limit = math.inf if cache.max_gb is None else cache.max_gb * GB
    free = free_bytes(cache.folder) if cache.max_gb is None else math.inf
    needed = sum(bytes_of_items(encoder, wanted, cache.number) for encoder in encoders)
    if needed > limit:
        expected = f"at least {1.01 * needed / GB:.3g}, or null: so much is needed for {len(wanted):,} items"
        raise BadValue("cache.max_gb", cache.max_gb, expected)
    if needed <= free:
        return  # which is seen without a look at what is there
    missing = [_missing(wanted, cache.folder_of(encoder).read()[0]) for encoder in encoders]
    needed = sum(bytes_of_items(one, keys, cache.number) for one, keys in zip(encoders, missing, strict=True))
    if needed > free:
        raise CacheNotWritten(
            f"{cache.folder}: the vectors of {max(map(len, missing)):,} items take {size_shown(needed)}, "
            f"{size_shown(free)} are free. Nothing was encoded. Use cache.number=float16 (half the space), fewer "
            "layers (encoder.layers=[…]), cache.max_gb=… (removes the least recently used encodings), or paths.work=… "
            "on another file system."
        )


def free_bytes(folder: Path) -> int:
    """Returns the free bytes of the file system that has a folder, or will have it."""
    path = Path(folder).absolute()
    return shutil.disk_usage(next(one for one in (path, *path.parents) if one.exists())).free


def encoded(encoder: Encoder, items: Iterable[Item], cache: VectorCache) -> EncodedItems:
    """Returns the vectors of items: from the cache where it has them, else encoded now and kept.

    Two processes that need the same items wait for one another, or share them, so that each item is encoded once.

    Args:
        encoder: what encodes; its fingerprint names the folder.
        items: in any order, repeated or not.
        cache: of its vectors; the two number types are stored separately. Vectors are rounded before they are used, so
            they are the same from a fresh and from a full cache.

    Raises:
        BadValue: the limit of the cache is below what these items need.
        CacheNotWritten: no space, no permission.
        PolyprobeError: the encoder refuses an item, or yields vectors that are not finite or not as declared, or the
            cache has vectors of other layers under its fingerprint.
    """
    wanted = {item_key(item): item for item in items}
    check_room([encoder], wanted.values(), cache)
    folder = cache.folder_of(encoder)
    blocks, _ = folder.read()
    missing = _missing(wanted, blocks)
    if cache.max_gb is not None:
        make_room(cache.folder, folder.path.name, cache.max_gb, bytes_of_items(encoder, missing, cache.number))
    if missing:
        blocks = _encode_missing(encoder, wanted, cache)
    mark_used(folder.path)
    return _selected(encoder.layers, wanted, blocks)


def has_all(encoder: Encoder, items: Iterable[Item], cache: VectorCache) -> bool:
    """Says whether the cache has the vectors of all items; see `encoded`."""
    blocks, _ = cache.folder_of(encoder).read()
    _check_widths(encoder.layers, blocks)
    return not _missing({item_key(item): item for item in items}, blocks)


def bytes_of_items(encoder: Encoder, keys: Collection[str], number: str) -> int:
    """Returns the bytes of the blocks of so many items, without some hundred of each block's frame."""
    if not keys:
        return 0
    width = sum(layer.width for layer in encoder.layers)
    return len(keys) * width * np.dtype(number).itemsize + len(json.dumps(list(keys)))


def _encode_missing(encoder: Encoder, wanted: Mapping[str, Item], cache: VectorCache) -> list[Block]:
    """Encodes the items that no other process has encoded, or encodes now; returns all blocks when it has them."""
    blocks: list[Block] = []
    folder = cache.folder_of(encoder)
    with watched("encoding", "items", None) as progress:
        while True:
            with folder.locked():
                # First the claims: what one is given up for in the meantime is among the blocks then.
                elsewhere = list(claims(folder.path))
                blocks = folder.read_sound(blocks)
                missing = _missing(wanted, blocks)
                own = _next_share(missing.difference(*(keys for keys, _ in elsewhere)))
                held = folder.claimed(own) if own else nullcontext()
            progress.total = progress.total or len(missing)
            progress.reach(progress.total - len(missing), progress.total)
            if not missing:
                return blocks
            if not own:
                if sharing().n_processes == 1:
                    _log.warning("Waiting for another process that encodes into %s.", folder.path)
                wait_until_free(next(lock for keys, lock in elsewhere if not keys.isdisjoint(missing)))
            items = {key: wanted[key] for key in own}
            with held:
                blocks += _encoded_blocks(encoder, items, cache, progress)


def _next_share(missing: Collection[str]) -> list[str]:
    """Returns the items that a process encodes next, sorted: words of one sentence stand side by side.

    That is all; where several share the work some whole blocks, ever fewer, so that all end at about the same time.
    """
    n_processes, ordered = sharing().n_processes, sorted(missing)
    n_blocks = max(1, len(ordered) // (2 * n_processes * BLOCK_ITEMS))
    return ordered if n_processes == 1 else ordered[: n_blocks * BLOCK_ITEMS]


def _encoded_blocks(
    encoder: Encoder, items: Mapping[str, Item], cache: VectorCache, progress: WorkProgress
) -> Iterator[Block]:
    """Encodes items and writes their blocks."""
    if not items:
        return
    parts = checked_parts(encoder, list(items.values()), cache.number)
    for start, vectors in cut_into_blocks(_with_progress(parts, progress), BLOCK_ITEMS):
        keys = list(items)[start : start + BLOCK_ITEMS]
        yield cache.folder_of(encoder).write(keys, vectors)


def _missing(wanted: Mapping[str, Item], blocks: Iterable[Block]) -> set[str]:
    """Returns the keys that no block has."""
    return wanted.keys() - {key for block in blocks for key in block.keys}


def _selected(layers: tuple[Layer, ...], wanted: Mapping[str, Item], blocks: Sequence[Block]) -> EncodedItems:
    """Leaves out blocks without a wanted item; a key that two blocks have (work done twice) has the first one's row."""
    _check_widths(layers, blocks)
    used = [block for block in blocks if not wanted.keys().isdisjoint(block.keys)]
    keys = (key for block in used for key in block.keys)
    place_of: dict[str, int] = {}
    for place, key in enumerate(keys):
        if key in wanted:
            place_of.setdefault(key, place)
    rows = {key: row for row, key in enumerate(place_of)}
    taken = np.fromiter(place_of.values(), np.int64)
    return EncodedItems(layers, tuple(used), taken, {key: rows[key] for key in wanted})


def _check_widths(layers: tuple[Layer, ...], blocks: Iterable[Block]) -> None:
    widths = tuple(layer.width for layer in layers)
    if other := next((block for block in blocks if block.widths != widths), None):
        found, declared = (" and ".join(map(str, one)) for one in (other.widths, widths))
        raise PolyprobeError(
            f"{other.path} has layers of {found} numbers, not of {declared}: encoders of the same fingerprint have the "
            "same layers. Expected another fingerprint for other vectors, or a run whose run.json is as it was written."
        )


@contextmanager
def _writing(path: Path, needed: int | None = None) -> Iterator[None]:
    """Around what is written into the cache: says how much space is free where it is not.

    Args:
        needed: bytes that are written.
    """
    try:
        yield
    except (OSError, NoRoom) as error:
        need = "" if needed is None else f" {needed:,} bytes are needed,"
        raise CacheNotWritten(
            f"{path} cannot be written ({error.strerror}):{need} {free_bytes(path):,} are free. Free disk space, or "
            "set paths.work to another folder; vectors encoded so far are kept."
        ) from error


def _with_progress(parts: Iterable[Sequence[np.ndarray]], progress: WorkProgress) -> Iterator[Sequence[np.ndarray]]:
    for part in parts:
        if n_items := len(part[0]):  # a part may have none, also the first
            progress.advance(n_items)
        yield part


def cut_into_blocks(parts: Iterable[Sequence[np.ndarray]], size: int) -> Iterator[tuple[int, list[np.ndarray]]]:
    """Joins and cuts parts into blocks of `size` items, the last one smaller; holds about a block in memory.

    Yields:
        The number of each block's first item, and one array `[block items, width]` for each layer.
    """
    start, waiting, n_waiting = 0, [], 0
    for part in parts:
        waiting.append(part)
        n_waiting += len(part[0])
        if n_waiting >= size:
            joined = _joined(waiting)
            whole = n_waiting - n_waiting % size
            for first in range(0, whole, size):
                yield start + first, [layer[first : first + size] for layer in joined]
            start, waiting, n_waiting = start + whole, [[layer[whole:] for layer in joined]], n_waiting - whole
    if n_waiting:
        yield start, _joined(waiting)


def _joined(parts: Sequence[Sequence[np.ndarray]]) -> list[np.ndarray]:
    return [np.concatenate(layer) for layer in zip(*parts, strict=True)]


def checked_parts(encoder: Encoder, items: Sequence[Item], number: str) -> Iterator[list[np.ndarray]]:
    """Rounds the vectors of an encoder after a check against its declarations: a user's own encoder may have faults.

    Args:
        number: "float32" or "float16".
    """
    check_items(encoder.name_in_messages, encoder.accepts, items)
    n_given = 0
    for part in encoded_parts(encoder, items):
        _check_arrays(part)
        n_given += len(part[0])
        yield _checked(encoder, part, number)
    if n_given != len(items):
        raise PolyprobeError(
            f"the encoder returned {n_given:,} vectors for {len(items):,} items. Expected one for each."
        )


def encoded_parts(encoder: Encoder, items: Sequence[Item]) -> Iterator[Any]:
    """Encodes items, part by part as the encoder yields them, unchecked; a fault of a user's own encoder is told."""
    own = type(getattr(encoder, "own", encoder))
    if own.__module__.startswith("polyprobe."):
        yield from encoder.encode(items)
        return
    with faults_told(own.__module__, f"{own.__module__}.{own.__qualname__}.encode"):
        yield from encoder.encode(items)


def _check_arrays(part: object) -> None:
    is_several = isinstance(part, tuple | list) and part and all(isinstance(layer, np.ndarray) for layer in part)
    if not (is_several or (isinstance(part, np.ndarray) and part.ndim == 3)):
        found = f"one array {part.shape}" if isinstance(part, np.ndarray) else cut(repr(part), 60)
        raise PolyprobeError(
            f"the encoder yields {found}. Expected a tuple of arrays [items, width], one for each layer."
        )


def _checked(encoder: Encoder, part: Sequence[np.ndarray], number: str) -> list[np.ndarray]:
    shapes = [layer.shape for layer in part]
    declared = [(len(part[0]), layer.width) for layer in encoder.layers]
    if shapes != declared:
        raise PolyprobeError(
            f"the encoder returned arrays of shape {shapes}. Expected {declared}, as its layers declare."
        )
    for layer in part:
        if layer.dtype.kind not in "fiu":
            raise PolyprobeError(f"the encoder returned an array of {layer.dtype}. Expected numbers.")
    return [_rounded(layer, matrix, number) for layer, matrix in zip(encoder.layers, part, strict=True)]


def _rounded(layer: Layer, matrix: np.ndarray, number: str) -> np.ndarray:
    if not np.isfinite(matrix).all():
        of_epoch = "" if layer.epoch is None else f" (epoch {layer.epoch})"
        raise PolyprobeError(f'layer "{layer.name}"{of_epoch} has vectors that are not finite.')
    with np.errstate(over="ignore"):
        rounded = matrix.astype(number, copy=False)
    if not np.isfinite(rounded).all():
        largest = np.abs(matrix).max()
        raise PolyprobeError(f'layer "{layer.name}": {largest:g} is beyond {number}. Use cache.number=float32.')
    return rounded
