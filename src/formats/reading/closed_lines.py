"""Lines of published files whose last one may end without a line feed."""

from collections.abc import Iterator
from pathlib import Path

from src.formats.reading.lines import numbered_bytes


def closed_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Reads as `numbered_bytes`, and ends the last line where the file does not."""
    for number, content in numbered_bytes(path):
        yield number, content if content.endswith(b"\n") else content + b"\n"
