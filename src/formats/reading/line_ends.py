"""How the lines of a file end, and whether a byte order mark starts it: counted, and put back into what is written.

Lines end with a line feed, or with a carriage return and a line feed. Readers treat both alike
(`src.formats.reading.lines`); here the ends that they drop are counted.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from src.formats.files.atomic import written_atomically

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_BLOCK_SIZE = 1 << 20  # bytes


@dataclass(frozen=True, slots=True)
class LineEnds:
    """The ends of lines and the byte order mark of a file, which readers drop.

    Attributes:
        lines: how many end, in either way.
        crlf: how many of them end with a carriage return and a line feed.
        byte_order_mark: whether the file starts with one.
        is_closed: whether the last line ends, too.
    """

    lines: int
    crlf: int
    byte_order_mark: bool
    is_closed: bool = True

    @property
    def is_plain(self) -> bool:
        """Whether every line ends with a line feed alone, and there is no byte order mark."""
        return self.is_closed and not (self.crlf or self.byte_order_mark)

    def __str__(self) -> str:
        mark = ["it starts with a byte order mark"] if self.byte_order_mark else []
        crlf = [f"{self.crlf:,} of {self.lines:,} lines end with CRLF"] if self.crlf else []
        mixed = ["the others with LF alone (mixed line ends)"] if 0 < self.crlf < self.lines else []
        open_end = [] if self.is_closed else ["the last line has no line feed (the file may be cut off)"]
        return ", ".join([*mark, *crlf, *mixed, *open_end]) or "every line ends with LF alone"


def line_ends(path: Path) -> LineEnds:
    """Counts the ends of lines; the whole file is read, at some GB a second."""
    lines, crlf, last = 0, 0, b""
    with open(path, "rb") as file:
        has_mark = file.read(len(BYTE_ORDER_MARK)) == BYTE_ORDER_MARK
        file.seek(0)
        while block := file.read(_BLOCK_SIZE):
            lines += block.count(b"\n")
            if last == b"\r" and block.startswith(b"\n"):
                crlf += 1
            if b"\r" in block:
                crlf += block.count(b"\r\n")
            last = block[-1:]
    return LineEnds(lines, crlf, has_mark, last in (b"", b"\n"))


def written_back(
    write: Callable[[Any, Path], None], source: Path, numbers: Iterable[int]
) -> Callable[[Any, Path], None]:
    """Wraps a writer: each line ends as that line of the source ends, and the file starts as the source starts.

    Args:
        write: takes what is written and the path to write to.
        source: the file that the lines come from.
        numbers: for each line that is written, that of the source, from 1. The last line stays open where it is open in
            the source; an empty line that the source lacks at its end is not written; any other ends as its last one.
    """
    return partial(_write_back, write, source, tuple(numbers))


def _write_back(
    write: Callable[[Any, Path], None], source: Path, numbers: tuple[int, ...], written: Any, path: Path
) -> None:
    ends = list(_ends(source))
    with written_atomically(path) as neighbour:
        write(written, neighbour)
        lines = neighbour.read_bytes().removesuffix(b"\n").split(b"\n") if numbers else []
        with open(neighbour, "wb") as file:
            file.write(BYTE_ORDER_MARK if line_ends(source).byte_order_mark else b"")
            for number, line in zip(numbers, lines, strict=True):
                text = line.removesuffix(b"\r")
                file.write(text + (ends[min(number, len(ends)) - 1] if text or number <= len(ends) else b""))


def _ends(path: Path) -> Iterator[bytes]:
    with open(path, "rb") as file:
        for line in file:
            yield b"\r\n" if line.endswith(b"\r\n") else b"\n" if line.endswith(b"\n") else b""
