"""Makes tests one after the other: each is written, or left out for a reason."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from src.errors import PolyprobeError
from src.generation.made_tests.sources import Source


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


def made_in_turn(
    names: Sequence[str], make: Callable[[str], Written], sources: Sequence[Source]
) -> Iterator[Written | LeftOut]:
    """Makes tests one after the other, and leaves out those that there are not items enough for.

    Args:
        names: of the tests.
        make: makes a test and writes it; raises `TooFew` where it cannot be made.
        sources: that tests are made from.

    Raises:
        NoTest: when all are tried and none could be made.
    """
    left_out = []
    for name in names:
        try:
            outcome = make(name)
        except TooFew as error:
            outcome = LeftOut(name, str(error))
            left_out.append(outcome)
        yield outcome
    if len(left_out) == len(names):
        paths, reasons = (str(source.path) for source in sources), (one.reason for one in left_out)
        raise NoTest(f"{', '.join(paths)}: no test could be made. {' '.join(reasons)}")
