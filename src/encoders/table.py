"""Vectors that another program made, from a table."""

import logging
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from polyprobe.display.shown import last_parts
from polyprobe.encoders.base.encoder import Encoder, Layer, check_items, fingerprint, path_of
from polyprobe.errors import MalformedLine, PolyprobeError
from polyprobe.formats.files.digest import file_digest
from polyprobe.formats.files.file_names import absence
from polyprobe.formats.vectors.vector_table import line_start, read, vector_of
from polyprobe.items import Form, Item, Sentence, TokenInContext

_VERSION = 1
_LINE = "an item (of a token its sentence, a tab and its index), a tab and its numbers"
_log = logging.getLogger(__name__)


class Table(Encoder):
    """Looks whole items up in a table (src/formats/vectors/vector_table.py); it is read once in each call of `encode`.

    Every item must be in the table exactly as in the suite: nothing is lower-cased, nothing is composed of words, and
    nothing is normalised: NFC and NFD spellings are two items. There are no unknown words: an item that the table lacks
    is refused, since an invented vector would be scored as if the other program had made it.

    Raises:
        PolyprobeError: the file is missing.
        MalformedLine: line 1 is not an item with its vector; `encode` reads the rest.
    """

    accepts = frozenset({Form, TokenInContext, Sentence})

    def __init__(self, path: str | Path):
        self.path = path_of("encoder.path", path)
        self.model_name = last_parts(path)
        if not self.path.is_file():
            raise PolyprobeError(f"{path}: {absence(self.path)}. Expected a file with {_LINE} in each line.")
        line, _, numbers = next(read(self.path))
        self.layers = (Layer("table", len(vector_of(self.path, line, numbers, None))),)
        self.fingerprint = fingerprint("table", _VERSION, file=file_digest(path))

    def encode(self, items: Sequence[Item]) -> Iterator[tuple[np.ndarray, ...]]:
        """See `Encoder`.

        Raises:
            PolyprobeError: the table lacks items; says how many and names three.
            MalformedLine: a line cannot be read, or a requested item has two lines.
        """
        check_items("table", self.accepts, items)
        if not items:
            return
        starts = [line_start(item) for item in items]
        vectors, row_of = self._wanted(set(starts))
        absent = [item for item, start in zip(items, starts, strict=True) if start not in row_of]
        if absent:
            named = ", ".join(map(repr, absent[:3])) + (" …" if len(absent) > 3 else "")
            found = f"{self.path} lacks {len(absent):,} of {len(items):,} items: {named}"
            raise PolyprobeError(f"{found}. Expected a line for each: {_LINE}.")
        yield (vectors[[row_of[start] for start in starts]],)

    def _wanted(self, starts: set[str]) -> tuple[np.ndarray, dict[str, int]]:
        """Returns the vectors of the requested lines, `[lines, width]`, and the row of each."""
        vectors, row_of, line_of = [], {}, {}
        for line, start, numbers in read(self.path):
            if start not in starts:
                continue
            if start in row_of:
                raise MalformedLine(self.path, line, f"the item is also in line {line_of[start]}", "each item once")
            row_of[start], line_of[start] = len(vectors), line
            vectors.append(vector_of(self.path, line, numbers, self.layers[0].width))
        return np.array(vectors, np.float32), row_of
