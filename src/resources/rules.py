"""How files are made of their parts, by the names of the table `assembled.tsv`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from src.formats.lexica.joined_inflections import joined_inflections
from src.formats.reading.unpacked import unpacked_lines
from src.formats.treebanks.joined_trees import joined_trees

RULES: Mapping[str, Callable[[Sequence[Path]], Iterator[str]]] = {
    "joined_inflections": joined_inflections,
    "joined_trees": joined_trees,
    "unpacked": unpacked_lines,
}
"""Each returns the lines of the file, without line feeds."""
