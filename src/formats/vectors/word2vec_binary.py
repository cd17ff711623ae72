"""Word vectors as word2vec writes them in binary form; gzip or not.

    <number of words> <width>\\n
    word bytes | blank | width x float32, little-endian | \\n (word2vec's program writes it, gensim does not)

The file is read once, in blocks; only the rows of wanted words are kept. A word holds no blank: where one does, its row
is cut too early, and letters are read as numbers above 1e20 or, of a blank, of 1e-19, or the next row begins inside.
"""

import re
from collections.abc import Collection, Iterator, Sequence
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
_LOOKED_AT = 128  # bytes of each vector: of a row that is cut too early one of its first 32 numbers is large
_LARGEST = 1e20
_TOPS = range(3, _LOOKED_AT, 4)  # where the highest bytes are
_LETTERS = re.compile(r"[^\x00-\x1f\x7f\ufffd]+")
_OF_LETTERS = np.array([byte & 0x7F > 0x60 or byte == ord(" ") for byte in range(256)])
"""The highest bytes of numbers above 1e20, which lower-case letters have, and a blank, whose numbers are some 1e-19."""


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
        content, start, rows = rest + block, 0, []
        while (blank := content.find(b" ", start)) >= 0 and blank + 1 + size <= len(content):
            rows.append((content[start:blank].lstrip(b"\n"), content[blank + 1 : blank + 1 + size]))
            start = blank + 1 + size
        _check_rows(path, number, rows)
        yield from rows
        number += len(rows)
        rest = content[start:]
        if blank < 0 and len(rest) > _LONGEST_WORD:
            raise UnreadableVectors(path, f"row {number + 1} has no blank within 1 MiB", "a word, a blank, a vector")
    if rest.strip(b"\n"):
        raise UnreadableVectors(path, f"the file ends within row {number + 1}", f"{n_words} whole rows of {width}")
    if number != n_words:
        raise UnreadableVectors(path, f"the header says {n_words} words, but {number} rows follow", "equal numbers")


def _check_rows(path: Path, n_before: int, rows: Sequence[tuple[bytes, bytes]]) -> None:
    """Refuses a row that is cut inside of a word; looked for where the highest byte of a number is that of a letter."""
    highest = np.frombuffer(b"".join([vector[:_LOOKED_AT] for _, vector in rows]), np.uint8)[3::4]
    if not (_OF_LETTERS[highest].any() or any(b"\n" in word for word, _ in rows)):
        return
    for number, (word, vector) in enumerate(rows, start=n_before + 1):
        numbers, found = np.frombuffer(vector, _NUMBER), None
        if b"\n" in word:
            found = "begins inside a word"
        elif (np.isfinite(numbers) & (np.abs(numbers) > _LARGEST)).any():
            found = f"has a number above {_LARGEST:g}, as letters have where numbers are read"
        elif any(
            vector[end] == ord(" ") and _LETTERS.fullmatch(vector[:end].decode("utf-8", "replace"))
            for end in _TOPS[: len(vector) // 4]
        ):
            found = "has letters before its numbers"
        if found:
            name = word.rpartition(b"\n")[2][:50].decode("utf-8", "backslashreplace")
            expected = "words without blanks (_ for a blank), or vectors as text, in which words may have blanks"
            raise UnreadableVectors(path, f'row {number}, "{name}", {found}: a word with a blank', expected)


def _vector(path: Path, number: int, word: bytes, content: bytes) -> np.ndarray:
    vector = np.frombuffer(content, _NUMBER)
    if not np.isfinite(vector).all():
        name = word[:50].decode("utf-8", "backslashreplace")
        raise UnreadableVectors(path, f'row {number}, "{name}", has a value that is not finite', "finite numbers")
    return vector
