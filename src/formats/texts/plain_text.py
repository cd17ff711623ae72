"""Plain text of any origin, in passages: lines, or blocks of lines with empty lines between them.

    A dog barks.               line_passages: "A dog barks." and "It is"
    It is                      block_passages: "A dog barks. It is late."
    late.

The last line may lack its line feed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from polyprobe.formats.reading.lines import numbered_bytes, text_of
from polyprobe.formats.reading.malformed import Omission, OnMalformed


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of text."""

    text: str
    """Not empty, without line feeds."""
    line: int
    """On which it starts, from 1."""


def line_passages(path: Path, on_malformed: OnMalformed) -> Iterator[Passage]:
    """Reads line by line; lines without a letter or sign are passed over.

    Raises:
        MalformedLine: the file is empty.
    """
    for number, text in lines_of_text(path, on_malformed):
        if text is not None and text.strip():
            yield Passage(text, number)


def block_passages(path: Path, on_malformed: OnMalformed) -> Iterator[Passage]:
    """Reads blocks of lines, joined by blanks; a block with a bad line is left out. As `line_passages`."""
    lines: list[str] = []
    first, is_bad = 1, False
    for number, text in lines_of_text(path, on_malformed):
        if text is None:
            is_bad = True
        elif text.strip():
            first = first if lines else number
            lines.append(text.strip())
        else:
            if lines and not is_bad:
                yield Passage(" ".join(lines), first)
            lines, is_bad = [], False
    if lines and not is_bad:
        yield Passage(" ".join(lines), first)


def lines_of_text(path: Path, on_malformed: OnMalformed) -> Iterator[tuple[int, str | None]]:
    """Yields the number of every line, from 1, and its text; None where it is bad, which `on_malformed` is told."""
    for number, content in numbered_bytes(path):
        text = None
        with Omission(on_malformed):
            text = text_of(path, number, content)
        yield number, text
