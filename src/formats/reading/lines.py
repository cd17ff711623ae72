"""Lines of UTF-8 text, read strictly and written whole; the base of every line-based format.

Lines end with a line feed, or with a carriage return and a line feed. These ends and a byte order mark at the start of
a file are not part of its text: files are read alike with and without them.
"""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

from polyprobe.errors import MalformedLine, PolyprobeError, check_choice
from polyprobe.formats.files.atomic import written_atomically

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_OTHER_KINDS = {  # by first bytes, none of which starts a text in UTF-8 without control characters
    b"\x1f\x8b": ("packed by gzip", "unpack it (gunzip)"),
    b"\xfd7zXZ\0": ("packed by xz", "unpack it (unxz)"),
    b"PK\x03\x04": ("a zip archive", "unpack it (unzip)"),
    b"\xd0\xcf\x11\xe0": ("a workbook or document of an old Office program", "save it as CSV, or as text"),
    b"\xff\xfe\0\0": ("text in UTF-32", "UTF-32"),
    b"\xff\xfe": ("text in UTF-16", "UTF-16"),
    b"\xfe\xff": ("text in UTF-16", "UTF-16"),
}
_OFFICE = {  # zip archives by the endings of their names
    **dict.fromkeys((".xlsx", ".xlsm", ".xlsb"), ("an Excel workbook", "save it as CSV (UTF-8)")),
    ".ods": ("a spreadsheet of LibreOffice", "save it as CSV (UTF-8)"),
    **dict.fromkeys((".docx", ".odt"), ("a document of a word processor", "save it as plain text (UTF-8)")),
}
_OF_OFFICE = b"[Content_Types].xml", b"xl/", b"docProps/"  # first files of such archives, by any name
_LONGEST_START = 64
NumberedLine = tuple[int, bytes]
ENCODINGS = ("utf-8", "cp1252", "latin-1")


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
        check_kind(path, file.read(_LONGEST_START))
        file.seek(0)
        if file.read(len(BYTE_ORDER_MARK)) != BYTE_ORDER_MARK:
            file.seek(0)
        for number, content in enumerate(file, start=1):
            yield number, content[:-2] + b"\n" if content.endswith(b"\r\n") else content
    if number == 0:
        raise MalformedLine(path, 1, "the file is empty", "at least one line")


def text_of(path: Path, number: int, content: bytes) -> str:
    """Decodes one line and removes the line feed, which the last line of a file may lack.

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
        expected = f"text in UTF-8. Of Windows or Latin-1 text it is made by `{converting(path, 'WINDOWS-1252')}`"
        raise MalformedLine(path, number, found, expected) from None


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


def check_kind(path: Path, start: bytes) -> None:
    """Checks that a file does not start as one of another kind does.

    Raises:
        MalformedLine: it is packed, a workbook, or text in UTF-16, with a mark at its start or without.
    """
    found, advice = next((kind for first, kind in _OTHER_KINDS.items() if start.startswith(first)), ("", ""))
    if start.startswith(b"PK"):
        is_office = start[30:].startswith(_OF_OFFICE)
        found, advice = _OFFICE.get(path.suffix.lower(), _OFFICE[".xlsx"] if is_office else (found, advice))
    for encoding, low, high in (("UTF-16LE", start[::2], start[1::2]), ("UTF-16BE", start[1::2], start[::2])):
        if not found and high.count(0) > len(high) / 2 and 0 not in low:
            found, advice = "text in UTF-16", encoding
    if found:
        advice = f"`{converting(path, advice)}`" if advice.startswith("UTF-") else advice
        raise MalformedLine(path, 1, f"the file is {found}", f"text in UTF-8: {advice}")


def converting(path: Path, encoding: str) -> str:
    """Returns the command that writes a file anew in UTF-8."""
    copy = Path(path).with_suffix(f".utf8{Path(path).suffix}")
    return f"iconv -f {encoding} -t utf-8 {shlex.quote(str(path))} > {shlex.quote(str(copy))}"


def _encoded(path: Path, number: int, line: str) -> bytes:
    if "\n" in line:
        raise UnwritableText(f"{path}, line {number}: {line!r} has a line feed. It would be read as two lines.")
    try:
        content = line.encode("utf-8") + b"\n"
        text_of(path, number, content)
    except (MalformedLine, UnicodeEncodeError) as error:
        raise UnwritableText(f"{path}, line {number}: {line!r} could not be read back ({error}).") from error
    return content


def lines_together(paths: Sequence[Path]) -> Iterator[tuple[NumberedLine, ...]]:
    """Reads files side by side: line i of each, undecoded, as `numbered_bytes` yields it."""
    for lines in zip_longest(*map(numbered_bytes, paths)):
        if None in lines:
            raise _without_counterpart(paths)
        yield lines


def _without_counterpart(paths: Sequence[Path]) -> MalformedLine:
    """Returns the error at the first line of the longest file that the shortest one has not."""
    counts = {path: sum(1 for _ in numbered_bytes(path)) for path in paths}
    shortest, *_, longest = sorted(counts, key=counts.__getitem__)
    found = f"the line has no counterpart: the file has {counts[longest]:,} lines, {shortest} has {counts[shortest]:,}"
    return MalformedLine(longest, counts[shortest] + 1, found, "the same number of lines in all files")


def text_in(path: Path, number: int, content: bytes, encoding: str) -> str:
    """Decodes one line in one of `ENCODINGS` and removes the line feed."""
    check_choice("encoding", encoding, ENCODINGS)
    if encoding == "utf-8":
        return text_of(path, number, content)
    try:
        return text_of(path, number, content.decode(encoding).encode("utf-8"))
    except UnicodeDecodeError as error:
        found = f"byte {error.start + 1} of the line (0x{content[error.start]:02x}) is not {encoding}"
        raise MalformedLine(path, number, found, f"text in {encoding}") from None
