"""Lines in an 8-bit encoding that is named: nothing in such a file says which one it is."""

from pathlib import Path

from src.errors import MalformedLine, check_choice
from src.formats.reading.lines import text_of

ENCODINGS = ("utf-8", "cp1252", "latin-1")


def text_in(path: Path, number: int, content: bytes, encoding: str) -> str:
    """Decodes one line in one of `ENCODINGS` and removes the line feed.

    Raises:
        UnknownChoice: the encoding is none of these.
        MalformedLine: as `text_of`, or at a byte that the encoding does not have (0x81 in cp1252).
    """
    check_choice("encoding", encoding, ENCODINGS)
    if encoding == "utf-8":
        return text_of(path, number, content)
    try:
        return text_of(path, number, content.decode(encoding).encode("utf-8"))
    except UnicodeDecodeError as error:
        found = f"byte {error.start + 1} of the line (0x{content[error.start]:02x}) is not {encoding}"
        raise MalformedLine(path, number, found, f"text in {encoding}") from None
