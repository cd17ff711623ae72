"""A file that a model is to label: the examples to read, and how the answers are written into it.

Beside a reader stands a function of its name with `_to_label`, which takes the same arguments and returns a
`FileToLabel`. Gold labels may be missing: they are ignored and replaced.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class FileToLabel:
    """The sentences or pairs of a file."""

    examples: Sequence[Any]
    """What a model reads, in the order of the file, as the reader yields it."""
    write: Callable[[Sequence[Any], Path], None]
    """Takes the answers, one for each example, and the path to write to, whole or not at all."""
