"""What the readers of word vectors share: their results, and the bytes of a file in blocks, unpacked if packed."""

import gzip
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from polyprobe.errors import PolyprobeError
from polyprobe.formats.reading.lines import BYTE_ORDER_MARK

BLOCK_SIZE = 1 << 19  # bytes; a block and its copies stay in the cache of a processor
WIDEST = 100_000  # numbers of a vector
_GZIP_MAGIC = b"\x1f\x8b"
_MOST_UNPACKED = 1032  # bytes that deflate makes of one


class UnreadableVectors(PolyprobeError):
    """A file of vectors is not what its format requires.

    Args:
        expected: what was expected, as a clause without a full stop.
    """

    def __init__(self, path: str | Path, found: str, expected: str):
        super().__init__(f"{path}: {found}. Expected {expected}.")


class CutOff(Exception):
    """A packed file ends in the middle or is damaged; the reader adds where it was."""


@dataclass(frozen=True, slots=True, eq=False)
class FoundVectors:
    """The wanted rows of a file."""

    words: tuple[str, ...]
    """The wanted words that the file has, in the file's order."""
    vectors: np.ndarray
    """`[words, width]`, float32, finite."""
    n_rows: int
    """Rows of the whole file."""
    n_repeated: int
    """Later rows of words that were found already; the first counts."""
    n_undecodable: int
    """Rows whose word is not UTF-8 and so cannot be requested."""
    n_crlf: int = 0
    """Rows of a text that end with a carriage return and a line feed."""


def has_byte_order_mark(path: Path) -> bool:
    """Says whether the content of a file, unpacked, starts with a byte order mark."""
    return next(_raw_blocks(path), b"").startswith(BYTE_ORDER_MARK)


def byte_blocks(path: Path) -> Iterator[bytes]:
    """Yields the content of a file in blocks of at most `BLOCK_SIZE`, unpacked where it is a gzip file.

    A byte order mark at the start is dropped.
    """
    blocks = _raw_blocks(path)
    if first := next(blocks, b"").removeprefix(BYTE_ORDER_MARK):
        yield first
    yield from blocks


def _raw_blocks(path: Path) -> Iterator[bytes]:
    with open(path, "rb", buffering=0) as raw:
        is_packed = raw.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
        raw.seek(0)
        file = gzip.GzipFile(fileobj=raw) if is_packed else raw
        try:
            while block := file.read(BLOCK_SIZE):
                yield block
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise CutOff(f"the gzip content is truncated or damaged ({error})") from error


def check_claim(path: Path, n_rows: int, width: int, smallest_number: int) -> None:
    """Checks the claims of a header against the size of the file, before memory is taken for them.

    Args:
        path: the file, packed or not.
        n_rows, width: as its header says.
        smallest_number: bytes that a number takes at least.
    """
    if width > WIDEST:
        raise UnreadableVectors(path, f"its header claims vectors of {width:,} numbers", f"at most {WIDEST:,}")
    claimed, size = n_rows * width * smallest_number, path.stat().st_size
    with open(path, "rb") as file:
        room = size * _MOST_UNPACKED if file.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC else size
    if claimed > room + BLOCK_SIZE:  # if less is missing, the incomplete row is named
        found = f"its header claims {n_rows:,} rows of {width:,} numbers, but it has {size:,} bytes"
        raise UnreadableVectors(path, found, f"at least {claimed:,} bytes")


def as_bytes(words: Iterable[str]) -> set[bytes]:
    """Returns words as the bytes of a file. A lone surrogate becomes bytes that no file in UTF-8 has."""
    return {word.encode("utf-8", "surrogatepass") for word in words}


def n_undecodable(words: Iterable[bytes]) -> int:
    """Counts words that are not UTF-8."""
    words = list(words)
    try:
        b" ".join(words).decode()
    except UnicodeDecodeError:
        return sum(word.decode("utf-8", "replace").encode() != word for word in words)
    return 0
