"""A file that a model is to label: what it reads of it, and how its answers are written into it.

For a reader `src.formats.<file>.<function>` the function of the same name in `src.formats.to_label.<file>` takes the
same arguments and gives a `FileToLabel`. Gold labels may be missing: they are not looked at, and are replaced.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class FileToLabel:
    """The sentences or pairs of a file.

    Attributes:
        examples: what a model reads, in the order of the file, as the reader gives it.
        write: takes the answers, one for each example, and the path to write to, whole or not at all.
    """

    examples: Sequence[Any]
    write: Callable[[Sequence[Any], Path], None]
