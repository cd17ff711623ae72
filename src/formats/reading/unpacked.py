"""Text that is published packed by gzip."""

import gzip
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from src.errors import PolyprobeError


def unpacked_lines(parts: Sequence[Path]) -> Iterator[str]:
    """Yields the lines of packed files one after the other, without their line feeds.

    Raises:
        PolyprobeError: a file is not packed by gzip, is cut off, or its text is not UTF-8.
    """
    for part in parts:
        try:
            with gzip.open(part, "rb") as file:
                for line in file:
                    yield line.decode("utf-8").removesuffix("\n")
        except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
            raise PolyprobeError(f"{part} cannot be unpacked: {error}. Expected text in UTF-8, by gzip.") from error
