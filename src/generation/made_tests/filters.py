"""What the filters of a test took."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from src.generation.made_tests.row_statistics import share


@dataclass(frozen=True, slots=True)
class Step:
    """What a filter did: `taken` of the items before it went, `left` stayed; `unit` says what was counted."""

    name: str
    unit: str
    taken: int
    left: int


def described(steps: Sequence[Step]) -> list[dict[str, Any]]:
    """Says of each filter what it took, as items and as a share (0 to 1) of what came to it."""
    return [
        {
            "filter": step.name,
            "unit": step.unit,
            "taken": step.taken,
            "share": share(step.taken, step.taken + step.left),
            "left": step.left,
        }
        for step in steps
    ]
