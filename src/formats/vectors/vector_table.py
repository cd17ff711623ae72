"""A table of items and their vectors, made by any program: an item and its numbers a line, no header.

    taloissa<TAB>0.12 -0.5 1.25                       a form
    Talo paloi .<TAB>0.3 0.1 0.0                      a sentence, its words separated by blanks
    Talo paloi .<TAB>1<TAB>0.7 -0.2 0.4               the token at the index (from 0) of a sentence

Numbers are separated by blanks. A form with a blank and a sentence of the same words are one line.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from polyprobe.display.shown import plural
from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.cells import resemblance
from polyprobe.formats.reading.lines import numbered_lines
from polyprobe.items import Form, Item, TokenInContext


def line_start(item: Item) -> str:
    """Returns the columns of an item, those before the numbers."""
    if isinstance(item, Form):
        return item.form
    sentence = " ".join(item.words)
    return f"{sentence}\t{item.index}" if isinstance(item, TokenInContext) else sentence


def read(path: Path) -> Iterator[tuple[int, str, str]]:
    """Reads line by line: the number of the line, the columns of its item, and its numbers, not yet parsed.

    Raises:
        MalformedLine: an empty file, a line without a tab or with more than two, text that is not clean UTF-8.
    """
    for line, text in numbered_lines(path):
        start, tab, numbers = text.rpartition("\t")
        if not tab or not start or start.count("\t") > 1:
            found = f"the line has {plural(text.count(chr(9)) + 1, 'column')}{'' if tab else resemblance(text)}"
            raise MalformedLine(path, line, found, "an item, for a token its index too, and numbers, separated by tabs")
        yield line, start, numbers


def vector_of(path: Path, line: int, numbers: str, width: int | None) -> np.ndarray:
    """Parses the numbers of a line: `[width]`, float32.

    Raises:
        MalformedLine: one is not a finite number, or their number is not `width` (if that is known).
    """
    try:
        with np.errstate(over="ignore"):
            vector = np.array(numbers.split(" "), dtype=np.float32)
    except ValueError as error:
        raise MalformedLine(path, line, f"the vector cannot be read ({error})", "numbers separated by blanks") from None
    if not np.isfinite(vector).all():
        raise MalformedLine(path, line, "a number is not finite, or too large", "finite float32 values")
    if width is not None and len(vector) != width:
        raise MalformedLine(path, line, f"the vector has {len(vector)} numbers", f"{width}, as line 1 has")
    return vector
