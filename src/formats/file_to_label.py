"""A file that a model is to label: the examples to read, and how the answers are written into it.

For a reader `src.formats.<kind>.<file>.<function>` the function of the same name in
`src.formats.<kind>.<file>_to_label` takes the same arguments and returns a `FileToLabel`. Gold labels may be missing:
they are ignored and replaced.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class FileToLabel:
    """The sentences or pairs of a file.

    Attributes:
        examples: what a model reads, in the order of the file, as the reader yields it.
        write: takes the answers, one for each example, and the path to write to, whole or not at all.
    """

    examples: Sequence[Any]
    write: Callable[[Sequence[Any], Path], None]
