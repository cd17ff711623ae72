"""Blocks of lines, each closed by an empty line: the sentences of the CoNLL formats before their rows are read."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from src.errors import MalformedLine
from src.formats.reading.lines import numbered_bytes, text_of
from src.formats.reading.malformed import OnMalformed


@dataclass(frozen=True, slots=True)
class Block:
    """The lines of one sentence.

    Attributes:
        number: its number in the file, from 1; skipped blocks count.
        line: the line of the file on which it starts.
        lines: without line feeds, at least one, none empty.
        is_closed: whether an empty line follows (only the last block of a file may lack it).
    """

    number: int
    line: int
    lines: tuple[str, ...]
    is_closed: bool


def blocks(path: Path, on_malformed: OnMalformed) -> Iterator[Block]:
    """Reads a file block by block. A block with a line that is not clean UTF-8 text is malformed as a whole."""
    for number, (line, contents) in enumerate(_undecoded_blocks(path), start=1):
        try:
            block = _block(path, number, line, contents)
        except MalformedLine as place:
            on_malformed(place)
        else:
            yield block


def _undecoded_blocks(path: Path) -> Iterator[tuple[int, list[bytes]]]:
    """Cuts after every empty line, also after one of a carriage return: the block is refused later, but ends here."""
    contents, first = [], 1
    for number, content in numbered_bytes(path):
        contents.append(content)
        if content in (b"\n", b"\r\n"):
            yield first, contents
            contents, first = [], number + 1
    if contents:
        yield first, contents


def _block(path: Path, number: int, line: int, contents: list[bytes]) -> Block:
    lines = [text_of(path, number_of_line, content) for number_of_line, content in enumerate(contents, start=line)]
    is_closed = lines[-1] == ""
    if lines == [""]:
        raise MalformedLine(path, line, "the line is empty", "a sentence: empty lines stand only after sentences")
    return Block(number, line, tuple(lines[:-1] if is_closed else lines), is_closed)
