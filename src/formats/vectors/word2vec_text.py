"""Word vectors as text: word2vec's with a header (fastText's .vec, MUSE), GloVe's without; gzip or not.

    2 3                      header: number of words, width (not in GloVe's files)
    talo 0.1 -0.2 0.3        a word and its numbers, one blank between; C programs write a blank at the end, too
    New York 0.2 0.1 0.5     a word may hold blanks, so the numbers are counted from the right

A line ends at a line feed, perhaps with a carriage return before it: U+0085, U+2028 and U+00A0 are characters of words.
The file is read once, in blocks; only the rows of wanted words are turned into numbers. How the others are checked: see
`read_wanted`.
"""

import logging
from collections.abc import Collection, Iterator
from io import BytesIO
from pathlib import Path

import numpy as np

from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.cells import is_number
from polyprobe.formats.vectors.vector_rows import CutOff, FoundVectors, as_bytes, byte_blocks, n_undecodable

_log = logging.getLogger(__name__)

_AT_END = b" \r\n"
_CRLF = b"\r\n"
_LONGEST_LINE = 64 << 20
_LONGEST_NUMBER = 18  # digits
_LARGEST_FLOAT = float(np.finfo(np.float32).max)
_POWERS = 10.0 ** np.arange(23)  # those that a double holds exactly
_LARGEST_INTEGER = 2**53
_PLAIN = b"0123456789-. "


def parsed_header(line: bytes) -> tuple[int, int] | None:
    """Returns the number of words and the width; None where the line is not a header."""
    fields = line.split()
    if len(fields) != 2 or not all(field.isdigit() and len(field) <= _LONGEST_NUMBER for field in fields):
        return None
    return int(fields[0]), int(fields[1])


def read_wanted(path: Path, width: int, has_header: bool, wanted: Collection[str]) -> FoundVectors:
    """Reads the vectors of wanted words; of a repeated word the first.

    Wanted rows must have `width` finite numbers. Of all other rows the blanks are counted, exactly in every block (of
    about 512 KiB) whose number of blanks is not that of good rows: so a single short row is found, and a long one where
    its surplus fields are decimal numbers (else they belong to the word). Their numbers are not read.

    Raises:
        MalformedLine: a row is short, too long or holds something other than finite numbers; a carriage return is not
            before a line feed; the number of rows is not the header's; the packed file
            is cut off.
    """
    wanted_bytes = as_bytes(wanted)
    first_fields = {word.partition(b" ")[0] for word in wanted_bytes}
    found: dict[bytes, np.ndarray] = {}
    n_rows = n_repeated = undecodable = n_crlf = 0
    for line, lines in _checked_blocks(path, width, has_header):
        words = [row[: row.find(b" ")] for row in lines]
        hits = [number for number, word in enumerate(words) if word in first_fields]
        rows = [(line + hit, *_word_and_numbers(lines[hit], width)) for hit in hits]
        rows = [row for row in rows if row[1] in wanted_bytes]
        for (_, word, _), vector in zip(rows, _vectors(path, rows, width), strict=True):
            n_repeated += word in found
            found.setdefault(word, vector)
        n_rows += len(lines)
        undecodable += n_undecodable(words)
        n_crlf += sum(row.endswith(_CRLF) for row in lines)
    vectors = np.array(list(found.values()), np.float32).reshape(len(found), width)
    known = tuple(word.decode("utf-8", "surrogatepass") for word in found)
    return FoundVectors(known, vectors, n_rows, n_repeated, undecodable, n_crlf)


def read_first(path: Path, width: int, has_header: bool, n_rows: int) -> np.ndarray:
    """Reads the vectors of the first rows, for any words: `[at most n_rows, width]`, float32."""
    parts, left = [np.empty((0, width), np.float32)], n_rows
    for line, lines in _checked_blocks(path, width, has_header):
        rows = [(line + number, *_word_and_numbers(row, width)) for number, row in enumerate(lines[:left])]
        parts.append(_vectors(path, rows, width))
        left -= len(rows)
        if not left:
            break
    return np.concatenate(parts)


def _checked_blocks(path: Path, width: int, has_header: bool) -> Iterator[tuple[int, list[bytes]]]:
    """Yields blocks of rows, each with the number of its first line; checks how many rows and blanks there are."""
    n_rows, header = 0, None
    for line, lines, n_blanks in _line_blocks(path):
        if line == 1 and has_header:
            first, *lines = lines
            header, line, n_blanks = parsed_header(first), 2, n_blanks - first.count(b" ")
        _check_columns(path, line, lines, n_blanks, width)
        n_rows += len(lines)
        yield line, lines
    if header is not None and header[0] != n_rows:
        raise MalformedLine(path, 1, f"the header says {header[0]} words, but {n_rows} rows follow", "equal numbers")


def _line_blocks(path: Path) -> Iterator[tuple[int, list[bytes], int]]:
    """Yields blocks of lines: the number of the first one, the lines, and how many blanks they have in all."""
    rest, line = b"", 1
    try:
        for block in byte_blocks(path):
            content = rest + block
            lines = BytesIO(content).readlines()  # several times faster than a split
            rest = b"" if lines[-1].endswith(b"\n") else lines.pop()
            if lines:
                if b"\r" in content:
                    for number, row in enumerate(lines, start=line):
                        if b"\r" in row.removesuffix(_CRLF):
                            expected = "one only right before a line feed"
                            raise MalformedLine(path, number, "the line has a carriage return", expected)
                yield line, lines, _n_blanks(content) - rest.count(b" ")
                line += len(lines)
            if len(rest) > _LONGEST_LINE:
                raise MalformedLine(path, line, "the line does not end within 64 MiB", "a text file of vectors")
    except CutOff as error:
        raise MalformedLine(path, line, str(error), "a whole file") from error
    if rest:
        _log.warning("%s: the last line has no line feed (the file may be truncated).", path)
        yield line, [rest + b"\n"], _n_blanks(rest)


def _n_blanks(content: bytes) -> int:
    return np.count_nonzero(np.frombuffer(content, np.uint8) == ord(" "))


def _check_columns(path: Path, line: int, lines: list[bytes], n_blanks: int, width: int) -> None:
    """Compares the blanks of all rows together, and looks at each row only where there are fewer or more."""
    if n_blanks == len(lines) * width or n_blanks == len(lines) * width + sum(row.endswith(b" \n") for row in lines):
        return
    for number, row in enumerate(lines, start=line):
        if row.rstrip(_AT_END).count(b" ") != width:
            _check_odd_row(path, number, row, width)


def _check_odd_row(path: Path, line: int, row: bytes, width: int) -> None:
    """Refuses a short row, and a long one unless its surplus fields can belong to the word."""
    fields = row.rstrip(_AT_END).split(b" ")
    surplus = fields[1:-width]
    are_decimal = [is_number(field) and (b"." in field or b"e" in field.lower()) for field in surplus]
    if len(fields) <= width or (surplus and all(are_decimal)):
        raise MalformedLine(path, line, f"{_quoted(fields[0])} has {len(fields) - 1} numbers", f"{width} in every row")


def _word_and_numbers(row: bytes, width: int) -> tuple[bytes, bytes]:
    row = row.rstrip(_AT_END)
    if row.count(b" ") == width:  # splitting costs ten times as much
        word, _, numbers = row.partition(b" ")
        return word, numbers
    word, *numbers = row.rsplit(b" ", width)
    return word, b" ".join(numbers)


def _vectors(path: Path, rows: list[tuple[int, bytes, bytes]], width: int) -> np.ndarray:
    """Turns the numbers of rows (line, word, numbers) into `[rows, width]`, float32."""
    try:
        vectors = parsed(b" ".join(numbers for *_, numbers in rows))
    except ValueError:
        vectors = np.array([])
    if len(vectors) != len(rows) * width or not np.isfinite(vectors).all():
        for row in rows:
            _check_numbers(path, *row, width)
    return vectors.reshape(len(rows), width)


def _check_numbers(path: Path, line: int, word: bytes, numbers: bytes, width: int) -> None:
    fields = numbers.split(b" ")
    if len(fields) != width:
        raise MalformedLine(path, line, f"{_quoted(word)} has {len(fields)} numbers", f"{width} in every row")
    for number, field in enumerate(fields, start=1):
        is_plain = is_number(field) and b"_" not in field  # 1_0 is ten to Python alone
        if not is_plain or not abs(float(field)) <= _LARGEST_FLOAT:
            found = f"number {number} of {_quoted(word)} is {_quoted(field)}"
            raise MalformedLine(path, line, found, "a finite number in single precision")


def _quoted(content: bytes) -> str:
    return f'"{content[:50].decode("utf-8", "backslashreplace")}"'


def parsed(text: bytes) -> np.ndarray:
    """Turns numbers with one blank between them into float32, each rounded from the nearest double, as by `float`.

    A plain decimal is read as an integer without its point, then divided by a power of ten: while both are exact as
    doubles, the quotient is the nearest double. Doubled blanks show in the number of results.
    """
    plain = _plain_decimals(text)
    return np.fromstring(text, np.float32, sep=" ") if plain is None else plain.astype(np.float32)


def _plain_decimals(text: bytes) -> np.ndarray | None:
    """Returns doubles; None where a number is not digits around one point, or has too many of them."""
    if not text or text.translate(None, _PLAIN) or b".-" in text:
        return None
    symbols = np.frombuffer(text, np.uint8)
    points, ends = np.flatnonzero(symbols == ord(".")), np.append(np.flatnonzero(symbols == ord(" ")), len(text))
    if len(points) != len(ends) or (points[1:] < ends[:-1]).any():
        return None
    n_decimals = ends - points - 1
    if n_decimals.min() < 0 or n_decimals.max() >= len(_POWERS):
        return None
    try:
        integers = np.fromstring(text.translate(None, b"."), np.int64, sep=" ")
    except ValueError:
        return None
    if len(integers) != len(ends) or integers.max() > _LARGEST_INTEGER or integers.min() < -_LARGEST_INTEGER:
        return None
    return integers / _POWERS[n_decimals]
