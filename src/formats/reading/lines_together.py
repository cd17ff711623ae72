"""Files that belong together line by line: translations, premises with hypotheses and labels."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

from src.errors import MalformedLine
from src.formats.reading.lines import numbered_bytes

NumberedLine = tuple[int, bytes]


def lines_together(paths: Sequence[Path]) -> Iterator[tuple[NumberedLine, ...]]:
    """Reads files side by side: line i of each, undecoded, as `numbered_bytes` yields it.

    Raises:
        MalformedLine: at a file that is empty, packed or of UTF-16, and at the first line that has no counterpart in
            every other file.
    """
    for lines in zip_longest(*map(numbered_bytes, paths)):
        if None in lines:
            raise _without_counterpart(paths)
        yield lines


def _without_counterpart(paths: Sequence[Path]) -> MalformedLine:
    """Returns the error at the first line of the longest file that the shortest one has not."""
    counts = {path: sum(1 for _ in numbered_bytes(path)) for path in paths}
    shortest, *_, longest = sorted(counts, key=counts.__getitem__)
    found = f"the line has no counterpart: the file has {counts[longest]:,} lines, {shortest} has {counts[shortest]:,}"
    return MalformedLine(longest, counts[shortest] + 1, found, "equal numbers of lines: lines i belong together")
