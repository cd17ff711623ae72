"""What comes of making a test: it is written, or left out for a reason."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from src.errors import PolyprobeError


class TooFew(PolyprobeError):
    """A test cannot be made: there are too few items for it."""


class NoTest(PolyprobeError):
    """No test at all could be made."""


@dataclass(frozen=True, slots=True)
class Written:
    """A test that was written: its name and its statistics."""

    name: str
    statistics: dict[str, Any]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A test that there are not items enough for, and why."""

    name: str
    reason: str


def no_test(made_from: Sequence[str], left_out: Sequence[LeftOut]) -> NoTest:
    """Builds the error for files of which no test could be made.

    Args:
        made_from: the paths of the files.
        left_out: all tests that were tried.
    """
    return NoTest(f"{', '.join(made_from)}: no test could be made. {' '.join(one.reason for one in left_out)}")
