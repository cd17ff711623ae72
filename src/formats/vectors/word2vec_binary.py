"""Word vectors as word2vec writes them in binary form; gzip or not.

    <number of words> <width>\\n
    word bytes | blank | width x float32, little-endian | \\n (word2vec's program writes it, gensim does not)

The file is read once, in blocks; only the rows of wanted words are kept. A word holds no blank.
"""

from collections.abc import Collection, Iterator
from itertools import chain, islice
from pathlib import Path

import numpy as np

from polyprobe.formats.vectors.vector_rows import (
    CutOff,
    FoundVectors,
    UnreadableVectors,
    as_bytes,
    byte_blocks,
    check_claim,
    n_undecodable,
)
from polyprobe.formats.vectors.word2vec_text import parsed_header

_NUMBER = np.dtype("<f4")
_LONGEST_WORD = 1 << 20


def read_wanted(path: Path, wanted: Collection[str]) -> FoundVectors:
    """Reads the vectors of wanted words; of a repeated word the first.

    Raises:
        UnreadableVectors: the file ends within a row, has more or fewer rows than its header says, or a wanted vector
            is not finite.
    """
    wanted_bytes = as_bytes(wanted)
    found: dict[bytes, np.ndarray] = {}
    n_rows = n_repeated = undecodable = 0
    width, rows = _opened(path)
    for n_rows, (word, content) in enumerate(rows, start=1):
        undecodable += not word.isascii() and n_undecodable([word])
        if word in wanted_bytes:
            n_repeated += word in found
            found.setdefault(word, _vector(path, n_rows, word, content))
    vectors = np.array(list(found.values()), np.float32).reshape(len(found), width)
    return FoundVectors(
        tuple(word.decode("utf-8", "surrogatepass") for word in found), vectors, n_rows, n_repeated, undecodable
    )


def read_first(path: Path, n_rows: int) -> np.ndarray:
    """Reads the vectors of the first rows, for any words: `[at most n_rows, width]`, float32."""
    width, rows = _opened(path)
    vectors = [_vector(path, number, *row) for number, row in enumerate(islice(rows, n_rows), start=1)]
    return np.array(vectors, np.float32).reshape(len(vectors), width)


def _opened(path: Path) -> tuple[int, Iterator[tuple[bytes, bytes]]]:
    """Returns the width, and the rows as word and bytes of the vector."""
    blocks = _readable_blocks(path)
    first, _, rest = next(blocks, b"").partition(b"\n")
    header = parsed_header(first)
    if header is None or not header[1]:
        raise UnreadableVectors(path, "the first line is not a header", "the number of words and the width")
    check_claim(path, *header, _NUMBER.itemsize)
    return header[1], _rows(path, *header, chain([rest], blocks))


def _readable_blocks(path: Path) -> Iterator[bytes]:
    try:
        yield from byte_blocks(path)
    except CutOff as error:
        raise UnreadableVectors(path, str(error), "a whole file") from error


def _rows(path: Path, n_words: int, width: int, blocks: Iterator[bytes]) -> Iterator[tuple[bytes, bytes]]:
    size, number, rest = width * _NUMBER.itemsize, 0, b""
    for block in blocks:
        content, start = rest + block, 0
        while (blank := content.find(b" ", start)) >= 0 and blank + 1 + size <= len(content):
            number += 1
            yield content[start:blank].lstrip(b"\n"), content[blank + 1 : blank + 1 + size]
            start = blank + 1 + size
        rest = content[start:]
        if blank < 0 and len(rest) > _LONGEST_WORD:
            raise UnreadableVectors(path, f"row {number + 1} has no blank within 1 MiB", "a word, a blank, a vector")
    if rest.strip(b"\n"):
        raise UnreadableVectors(path, f"the file ends within row {number + 1}", f"{n_words} whole rows of {width}")
    if number != n_words:
        raise UnreadableVectors(path, f"the header says {n_words} words, but {number} rows follow", "equal numbers")


def _vector(path: Path, number: int, word: bytes, content: bytes) -> np.ndarray:
    vector = np.frombuffer(content, _NUMBER)
    if not np.isfinite(vector).all():
        name = word[:50].decode("utf-8", "backslashreplace")
        raise UnreadableVectors(path, f'row {number}, "{name}", has a value that is not finite', "finite numbers")
    return vector
