"""Lines of UTF-8 text, read strictly and written whole; the base of every line-based format.

A byte order mark at the start of a file and a carriage return right before a line feed are not part of its text: files
are read alike with and without them. `src.formats.reading.line_ends` counts them.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from src.errors import MalformedLine, PolyprobeError
from src.formats.files.atomic import written_atomically
from src.formats.reading.line_ends import BYTE_ORDER_MARK

_OTHER_KINDS = {  # by first bytes, none of which starts a text in UTF-8 without control characters
    b"\x1f\x8b": ("packed by gzip", "unpack it (gunzip)"),
    b"\xfd7zXZ\0": ("packed by xz", "unpack it (unxz)"),
    b"PK\x03\x04": ("a zip archive", "unpack it (unzip)"),
    b"\xff\xfe": ("text in UTF-16", "convert it (iconv -f UTF-16 -t UTF-8)"),
    b"\xfe\xff": ("text in UTF-16", "convert it (iconv -f UTF-16 -t UTF-8)"),
}
_LONGEST_START = max(map(len, _OTHER_KINDS))


class UnwritableText(PolyprobeError):
    """A text cannot be written so that it is read back the same."""


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Reads line by line, without their ends; only a line feed ends a line (U+2028 and U+0085 are characters).

    Yields:
        The number of the line, from 1, and its text.

    Raises:
        MalformedLine: as `text_of`, and at line 1 of a file that is empty, packed or of UTF-16.
    """
    for number, content in numbered_bytes(path):
        yield number, text_of(path, number, content)


def numbered_bytes(path: Path) -> Iterator[tuple[int, bytes]]:
    """Reads line by line, undecoded, each ending with a line feed alone, without a byte order mark.

    The last line has no line feed if the file does not end with one. A file that is empty, packed or of UTF-16 is
    always a `MalformedLine`.
    """
    number = 0
    with open(path, "rb") as file:
        _check_kind(path, file.read(_LONGEST_START))
        file.seek(0)
        if file.read(len(BYTE_ORDER_MARK)) != BYTE_ORDER_MARK:
            file.seek(0)
        for number, content in enumerate(file, start=1):
            yield number, content[:-2] + b"\n" if content.endswith(b"\r\n") else content
    if number == 0:
        raise MalformedLine(path, 1, "the file is empty", "at least one line")


def text_of(path: Path, number: int, content: bytes) -> str:
    """Decodes one line and removes the line feed, which the last line of a file may lack (`line_ends` says so).

    Raises:
        MalformedLine: at a byte order mark (a second one, where one starts the file), a carriage return, a NUL, or
            bytes that are not UTF-8.
    """
    if number == 1 and content.startswith(BYTE_ORDER_MARK):
        raise MalformedLine(path, number, "the text starts with a byte order mark", "one before the text at most")
    if b"\r" in content:
        raise MalformedLine(path, number, "the line has a carriage return", "one only right before a line feed")
    if b"\0" in content:
        raise MalformedLine(path, number, "the line has a NUL character", "text in UTF-8")
    try:
        return content.decode("utf-8").removesuffix("\n")
    except UnicodeDecodeError as error:
        found = f"byte {error.start + 1} of the line (0x{content[error.start]:02x}) is not UTF-8"
        raise MalformedLine(path, number, found, "text in UTF-8") from None


def write_lines(lines: Iterable[str], path: Path) -> None:
    """Writes a UTF-8 file, line by line, whole or not at all; each line gets its line feed.

    Raises:
        UnwritableText: where the text would not be read back the same: a line feed, a carriage return or a NUL inside
            a line, a surrogate, or a byte order mark at the start.
    """
    with written_atomically(path) as neighbour, open(neighbour, "wb") as file:
        for number, line in enumerate(lines, start=1):
            file.write(_encoded(path, number, line))


def cells_to_line(cells: Iterable[str]) -> str:
    """Joins cells by tabs.

    Raises:
        UnwritableText: where a cell is empty or has a tab.
    """
    cells = tuple(cells)
    line = "\t".join(cells)
    if "" in cells or line.count("\t") != len(cells) - 1:
        raise UnwritableText(f"A cell of {cells!r} is empty or has a tab. Cells hold text without tabs.")
    return line


def _check_kind(path: Path, start: bytes) -> None:
    """Checks that a file does not start as one of another kind does."""
    for first_bytes, (found, advice) in _OTHER_KINDS.items():
        if start.startswith(first_bytes):
            raise MalformedLine(path, 1, f"the file is {found}", f"text in UTF-8: {advice}")


def _encoded(path: Path, number: int, line: str) -> bytes:
    if "\n" in line:
        raise UnwritableText(f"{path}, line {number}: {line!r} has a line feed. It would be read as two lines.")
    try:
        content = line.encode("utf-8") + b"\n"
        text_of(path, number, content)
    except (MalformedLine, UnicodeEncodeError) as error:
        raise UnwritableText(f"{path}, line {number}: {line!r} could not be read back ({error}).") from error
    return content
