"""A file of word vectors in any of the three formats: its format, its width, its vectors."""

import logging
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from polyprobe.errors import MalformedLine, check_choice
from polyprobe.formats.files.file_names import absence
from polyprobe.formats.reading.cells import is_number, resemblance
from polyprobe.formats.vectors import word2vec_binary, word2vec_text
from polyprobe.formats.vectors.vector_rows import (
    CutOff,
    FoundVectors,
    UnreadableVectors,
    byte_blocks,
    check_claim,
    has_byte_order_mark,
)

FORMATS = ("word2vec_text", "word2vec_binary", "glove_text")
_CONTROL_CHARACTERS = bytes([*range(9), *range(14, 32)])
_LOOKED_AT = 4096  # bytes after the header; random float32 have a control character every few bytes
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class WordVectorFile:
    """A file of word vectors."""

    path: Path
    format: str
    """One of `FORMATS`."""
    width: int
    """Numbers per vector."""
    n_rows: int | None
    """As the header says; None where there is none."""

    def read_wanted(self, wanted: Collection[str]) -> FoundVectors:
        """Reads the file once, for the vectors of wanted words; logs repeated words and those that are not UTF-8.

        Raises:
            MalformedLine, UnreadableVectors: see `word2vec_text.read_wanted` and `word2vec_binary.read_wanted`.
        """
        if self.format == "word2vec_binary":
            found = word2vec_binary.read_wanted(self.path, wanted)
        else:
            found = word2vec_text.read_wanted(self.path, self.width, self.n_rows is not None, wanted)
        if found.n_repeated:
            _log.warning("%s: %d rows repeat a wanted word; the first counts.", self.path, found.n_repeated)
        if has_byte_order_mark(self.path):
            _log.warning("%s starts with a byte order mark.", self.path)
        if found.n_crlf:
            _log.warning("%s: %d of %d rows end with CRLF.", self.path, found.n_crlf, found.n_rows)
        if found.n_undecodable:
            _log.warning("%s: the words of %d rows are not UTF-8; they are left out.", self.path, found.n_undecodable)
        return found

    def read_first(self, n_rows: int) -> np.ndarray:
        """Returns the vectors of the first rows, for any words: `[at most n_rows, width]`, float32."""
        if self.format == "word2vec_binary":
            return word2vec_binary.read_first(self.path, n_rows)
        return word2vec_text.read_first(self.path, self.width, self.n_rows is not None, n_rows)


def opened(path: str | Path, format: str | None) -> WordVectorFile:
    """Looks at the start of a file.

    Args:
        path: the file, packed by gzip or not.
        format: one of `FORMATS`; None to recognise it: a first line of two integers is a header, and what follows
            is binary where it holds control characters. Without a header it is GloVe's, as wide as its first row.

    Raises:
        UnknownChoice: no such format.
        UnreadableVectors: there is no such file, or it is cut off.
        MalformedLine: the first line is not what the format requires.
    """
    path = Path(path)
    if format is not None:
        check_choice("encoder.format", format, FORMATS)
    first, following = _start(path)
    header = word2vec_text.parsed_header(first)
    if format is None:
        is_binary = following.translate(None, _CONTROL_CHARACTERS) != following
        format = "glove_text" if header is None else "word2vec_binary" if is_binary else "word2vec_text"
    if format == "glove_text":
        return WordVectorFile(path, format, _width_of_row(path, first), None)
    if header is None or not header[1]:
        raise MalformedLine(path, 1, _found(first), "a header: the number of words and the width")
    check_claim(path, *header, 4 if format == "word2vec_binary" else 2)  # a digit and a blank
    return WordVectorFile(path, format, header[1], header[0])


def _start(path: Path) -> tuple[bytes, bytes]:
    """Returns the first line and some bytes after it."""
    if not path.is_file():
        raise UnreadableVectors(path, absence(path), "a file of word vectors")
    try:
        first, line_feed, following = next(byte_blocks(path), b"").partition(b"\n")
    except CutOff as error:
        raise UnreadableVectors(path, str(error), "a whole file") from error
    if not line_feed:
        raise MalformedLine(path, 1, "the file has no line feed near its start", "a file of word vectors")
    return first, following[:_LOOKED_AT]


def _width_of_row(path: Path, row: bytes) -> int:
    fields = row.rstrip(b" \r").split(b" ")
    if len(fields) < 2 or not all(map(is_number, fields[1:])):
        expected = "a word and its numbers, separated by blanks, or a header: the number of words and the width"
        raise MalformedLine(path, 1, _found(row), expected)
    return len(fields) - 1


def _found(first: bytes) -> str:
    """Says what stands in place of a first line of vectors."""
    text = first.rstrip(b"\r").decode("utf-8", "backslashreplace")
    is_text = text.isprintable()
    return f'the first line is "{text[:50]}"{resemblance(text) if is_text else "; it is no text"}'
