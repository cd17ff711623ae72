"""Facebook's fastText models (.bin), read row by row: the file is never loaded and never mapped.

    magic, version | 12 x int32, float64: options | counts of the vocabulary | words | input matrix | output matrix

Versions 11 and 12, and the oldest files, which have neither magic nor version. Numbers are little-endian.
"""

import os
import re
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from polyprobe.formats.files.file_names import absence
from polyprobe.formats.vectors.vector_rows import BLOCK_SIZE, UnreadableVectors

if TYPE_CHECKING:
    from scipy.sparse import csc_array

_MAGIC = 793712314
_VERSIONS = (11, 12)
_SUPERVISED = 3
_WORD = 0
_ENTRY_TAIL = 10  # NUL, int64 count, int8 type
_NUMBER_SIZE = 4
_LONGEST_WORD = 1 << 20
_ROWS_AT_ONCE = 8192
_WORDS_AT_ONCE = 16384
_ESCAPED_BYTE = re.compile(rb"\\x([89a-f][0-9a-f])")
_FIRST, _PRIME = np.uint32(2166136261), np.uint32(16777619)
_END_OF_SENTENCE = "</s>"


@dataclass(frozen=True, slots=True)
class FasttextModel:
    """The head of a model file."""

    path: Path
    width: int
    """Numbers per vector."""
    n_words: int
    """Of the vocabulary, labels left out; the first rows of the input matrix."""
    n_buckets: int
    """Rows for n-grams, after those of words."""
    min_n: int
    max_n: int
    """`min_n` and `max_n`: shortest and longest n-gram, in characters; `max_n` 0 for none."""
    words_start: int
    """The byte at which the words begin."""
    n_entries: int
    """Words and labels."""
    has_flags: bool
    """Whether there are a prune index and quantisation flags (all but the oldest files)."""


def is_fasttext_bin(path: Path) -> bool:
    """Says whether a file begins as models of fastText do; the oldest ones have no magic number and do not."""
    if not path.is_file():
        return False
    with open(path, "rb") as file:
        return file.read(4) == struct.pack("<i", _MAGIC)


def read_head(path: str | Path) -> FasttextModel:
    """Reads the options and the counts of a model.

    Raises:
        UnreadableVectors: the file is missing, is not a fastText model, is quantised or pruned, or is cut off.
    """
    path = Path(path)
    if not path.is_file():
        raise UnreadableVectors(path, absence(path), "a fastText model (.bin)")
    with open(path, "rb") as file:
        content = file.read(92)
    magic, version = _unpacked(path, content, "<2i", 0)
    has_flags = magic == _MAGIC
    if has_flags and version not in _VERSIONS:
        raise UnreadableVectors(path, f"its version is {version}", "version 11 or 12")
    start = 8 if has_flags else 0
    options = _unpacked(path, content, "<12i", start)
    layout = "<3iqq" if has_flags else "<3iq"
    counts = _unpacked(path, content, layout, start + 56)
    _check_head(path, options, counts, has_flags)
    width, *_, kind, n_buckets, min_n, max_n, _ = options
    if version == 11 and has_flags and kind == _SUPERVISED:
        max_n = 0  # version 11 trained its classifiers without n-grams, whatever its options say
    words_start = start + 56 + struct.calcsize(layout)
    needed, size = words_start + counts[0] * _ENTRY_TAIL, path.stat().st_size  # the matrices are checked when read
    if needed > size + BLOCK_SIZE:
        found = f"its head claims {counts[0]:,} words, but it has {size:,} bytes"
        raise UnreadableVectors(path, found, f"at least {needed:,} bytes")
    return FasttextModel(path, width, counts[1], n_buckets, min_n, max_n, words_start, counts[0], has_flags)


def _unpacked(path: Path, content: bytes, layout: str, start: int) -> tuple:
    if len(content) < start + struct.calcsize(layout):
        raise UnreadableVectors(path, f"the file ends after {len(content)} bytes", "a whole fastText model")
    return struct.unpack_from(layout, content, start)


def _check_head(path: Path, options: tuple, counts: tuple, has_flags: bool) -> None:
    width, *_, loss, kind, n_buckets, min_n, max_n, _ = options
    is_possible = 0 < width < 100_000 and 1 <= loss <= 4 and 1 <= kind <= 3 and 0 <= min_n < 1000 and 0 <= max_n < 1000
    is_possible &= n_buckets >= 0 and 0 <= counts[1] <= counts[0] == counts[1] + counts[2]
    if not is_possible:
        found = "its options are impossible" if has_flags else "it does not start with the magic number of fastText"
        raise UnreadableVectors(path, found, "a fastText model (.bin)")
    if has_flags and counts[4] >= 0:
        raise UnreadableVectors(path, "the model is pruned (quantised: .ftz)", "a model as it was trained (.bin)")


def read_first(model: FasttextModel, n_words: int) -> np.ndarray:
    """Returns the vectors of the first words of the vocabulary, the most frequent: `[at most n_words, width]`, float32.

    Raises:
        UnreadableVectors: see `read_vectors`.
    """
    with open(model.path, "rb") as file:
        words = (word for word, is_word, _ in _entries(model, file) if is_word)
        first = [word.decode("utf-8", "backslashreplace") for word in islice(words, min(n_words, model.n_words))]
    return read_vectors(model, first)


def read_vectors(model: FasttextModel, words: Sequence[str]) -> np.ndarray:
    """Returns the vector of every word, in the vocabulary or not: `[words, width]`, float32.

    A word of the vocabulary is the mean of its own row and the rows of its n-grams, each counted as often as it occurs;
    another word is the mean of the rows of its n-grams, zeros if it has none. `</s>` has no n-grams, as in the
    published program (gensim adds some). A word of the vocabulary whose bytes are not UTF-8 is requested with
    backslashes (`caf\\xe9`) and has the n-grams of that spelling, as in gensim.

    Each distinct row is read once for some thousands of words, in the order of the file.

    Raises:
        UnreadableVectors: the model is quantised, its sizes contradict each other, the file is cut off, or a number
            that is needed is not finite.
    """
    with open(model.path, "rb", buffering=0) as file:
        row_of, words_end = _scanned_vocabulary(model, file, words)
        rows_start = _checked_matrices(model, file, words_end)
        vectors = np.zeros((len(words), model.width), np.float32)
        for start in range(0, len(words), _WORDS_AT_ONCE):
            part = words[start : start + _WORDS_AT_ONCE]
            vectors[start : start + len(part)] = _means(model, file, rows_start, *_rows_of_words(model, part, row_of))
    return vectors


def _scanned_vocabulary(model: FasttextModel, file: BinaryIO, words: Sequence[str]) -> tuple[dict[str, int], int]:
    """Returns the rows of those words that the vocabulary has, and the byte at which the vocabulary ends."""
    wanted, row_of, n_words, words_end = _spellings(words), {}, 0, model.words_start
    for content, is_word, end in _entries(model, file):
        words_end = end
        if is_word:
            if (word := wanted.get(content)) is not None:
                row_of.setdefault(word, n_words)
            n_words += 1
    if n_words != model.n_words:
        raise UnreadableVectors(model.path, f"the vocabulary has {n_words} words", f"{model.n_words}, as its head says")
    return row_of, words_end


def _entries(model: FasttextModel, file: BinaryIO) -> Iterator[tuple[bytes, bool, int]]:
    """Yields the words and labels of the vocabulary: bytes, whether it is a word, the byte of the file behind it."""
    file.seek(model.words_start)
    begin, left, rest = model.words_start, model.n_entries, b""
    while left:
        block = file.read(BLOCK_SIZE)
        content, start = rest + block, 0
        while left and (end := content.find(b"\0", start)) >= 0 and end + _ENTRY_TAIL <= len(content):
            word, start, left = content[start:end], end + _ENTRY_TAIL, left - 1
            yield word, content[start - 1] == _WORD, begin + start
        begin, rest = begin + start, content[start:]
        if left and (not block or len(rest) > _LONGEST_WORD):
            found = f"the vocabulary ends after {model.n_entries - left} of {model.n_entries} entries"
            raise UnreadableVectors(model.path, found, "a whole fastText model")


def _spellings(words: Iterable[str]) -> dict[bytes, str]:
    """Returns the possible bytes of each word in the vocabulary."""
    spellings = {}
    for word in words:
        content = word.encode("utf-8", "surrogatepass")
        raw = _ESCAPED_BYTE.sub(lambda escaped: bytes([int(escaped[1], 16)]), content)
        if raw != content and raw.decode("utf-8", "backslashreplace") == word:
            spellings[raw] = word
        spellings[content] = word
    return spellings


def _checked_matrices(model: FasttextModel, file: BinaryIO, start: int) -> int:
    """Returns the byte at which the rows of the input matrix start, after the sizes of both matrices are checked."""
    rows_start, n_rows, width = _matrix(model, file, start)
    expected = model.n_words + model.n_buckets
    if width != model.width or (n_rows != expected and (model.max_n or n_rows != model.n_words)):
        raise UnreadableVectors(model.path, f"its matrix is {n_rows} x {width}", f"{expected} x {model.width}")
    output_start, n_rows, width = _matrix(model, file, rows_start + n_rows * width * _NUMBER_SIZE)
    end, size = output_start + n_rows * width * _NUMBER_SIZE, os.fstat(file.fileno()).st_size
    if size != end:
        raise UnreadableVectors(model.path, f"it has {size} bytes", f"{end}, as its matrices say")
    return rows_start


def _matrix(model: FasttextModel, file: BinaryIO, start: int) -> tuple[int, int, int]:
    """Returns the byte at which the rows of a matrix start, how many there are, and how wide they are."""
    layout = "<?2q" if model.has_flags else "<2q"
    file.seek(start)
    content = file.read(struct.calcsize(layout))
    if len(content) < struct.calcsize(layout):
        raise UnreadableVectors(model.path, "the file is truncated before a matrix", "a whole fastText model")
    *is_quantised, n_rows, width = struct.unpack(layout, content)
    if any(is_quantised):
        raise UnreadableVectors(model.path, "the model is quantised (.ftz)", "a model as it was trained (.bin)")
    if n_rows < 0 or width < 0:
        raise UnreadableVectors(model.path, f"a matrix is {n_rows} x {width}", "sizes of at least 0")
    return start + len(content), n_rows, width


def _rows_of_words(
    model: FasttextModel, words: Sequence[str], row_of: Mapping[str, int]
) -> tuple[np.ndarray, "csc_array"]:
    """Returns the distinct rows that the words need, ascending, and how often each word needs each: `[words, rows]`."""
    from scipy.sparse import csc_array  # a finished run is shown again without it

    known = [number for number, word in enumerate(words) if word in row_of]
    owners, rows = np.array(known, np.int64), np.array([row_of[words[number]] for number in known], np.int64)
    if model.n_buckets and model.max_n:
        ngram_owners, hashes = ngram_hashes(words, model.min_n, model.max_n)
        owners = np.concatenate([owners, ngram_owners])
        rows = np.concatenate([rows, model.n_words + hashes.astype(np.int64) % model.n_buckets])
    distinct, columns = np.unique(rows, return_inverse=True)
    return distinct, csc_array((np.ones(len(owners)), (owners, columns)), (len(words), len(distinct)))


def _means(model: FasttextModel, file: BinaryIO, start: int, rows: np.ndarray, counts: "csc_array") -> np.ndarray:
    """Averages rows for each word in double precision, some thousands of rows at a time: `[words, width]`."""
    sums = np.zeros((counts.shape[0], model.width))
    for first in range(0, len(rows), _ROWS_AT_ONCE):
        part = slice(first, first + _ROWS_AT_ONCE)
        sums += counts[:, part] @ _read_rows(model, file, start, rows[part])
    return sums / np.maximum(counts.sum(axis=1), 1)[:, None]


def _read_rows(model: FasttextModel, file: BinaryIO, start: int, rows: np.ndarray) -> np.ndarray:
    """Reads rows one by one: a memory map would drag their neighbours into memory."""
    vectors = np.empty((len(rows), model.width), f"<f{_NUMBER_SIZE}")
    descriptor, size = file.fileno(), model.width * _NUMBER_SIZE
    for vector, row in zip(vectors, rows.tolist(), strict=True):
        os.preadv(descriptor, [vector], start + row * size)
    if not np.isfinite(vectors).all():
        row = rows[np.argmin(np.isfinite(vectors).all(axis=1))]
        raise UnreadableVectors(model.path, f"row {row + 1} of its matrix is not finite", "finite numbers")
    return vectors


def ngram_hashes(words: Sequence[str], min_n: int, max_n: int) -> tuple[np.ndarray, np.ndarray]:
    """Hashes all character n-grams of the words, each between `<` and `>`.

    The hash is FNV-1a, 32 bits, over the bytes of UTF-8, each sign-extended first, as in the published program: for
    letters outside ASCII it differs from plain FNV-1a. The marks alone are not n-grams; a whole word with its
    marks is one if its length allows it. `</s>`, the end of a sentence, has none. A word may hold lone surrogates.

    Args:
        min_n, max_n: shortest and longest n-gram, in characters.

    Returns:
        For each n-gram the position of its word in `words` (int64), and its hash (uint32): by word, by first character,
        by length.
    """
    symbols, starts, owners = _characters(words)
    lengths = np.diff(starts, append=len(symbols))
    ends_word = np.diff(owners, append=-1) != 0
    starts_word = np.diff(owners, prepend=-1) != 0
    running = np.full(len(starts), _FIRST)
    hashes, is_ngram = [], []
    for n in range(1, max_n + 1):
        last = np.arange(len(starts)) + n - 1
        is_inside = last < len(starts)
        last = np.minimum(last, max(len(starts) - 1, 0))
        is_inside &= owners[last] == owners
        running = _with_character(running, symbols, starts[last], lengths[last])
        if n >= min_n:
            is_mark = (starts_word | ends_word) if n == 1 else False
            hashes.append(running)
            is_ngram.append(is_inside & ~np.broadcast_to(is_mark, is_inside.shape))
    if not hashes:
        return np.empty(0, np.int64), np.empty(0, np.uint32)
    chosen = np.stack(is_ngram, 1)
    return np.repeat(owners, chosen.sum(1)), np.stack(hashes, 1)[chosen]


def _characters(words: Sequence[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns the sign-extended bytes of all marked words, where characters start, and each character's word."""
    contents = [f"<{word}>".encode("utf-8", "surrogatepass") if word != _END_OF_SENTENCE else b"" for word in words]
    content = np.frombuffer(b"".join(contents), np.int8)
    word_of_byte = np.repeat(np.arange(len(words)), [len(content) for content in contents])
    starts = np.flatnonzero((content.view(np.uint8) & 0xC0) != 0x80)
    return content.astype(np.int32).view(np.uint32), starts, word_of_byte[starts]


def _with_character(running: np.ndarray, symbols: np.ndarray, starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Extends each hash by the bytes of one character, one to four."""
    for byte in range(lengths.max(initial=0)):
        stepped = (running ^ symbols[np.minimum(starts + byte, len(symbols) - 1)]) * _PRIME
        running = np.where(byte < lengths, stepped, running)
    return running
