"""Treatments of malformed lines: `refuse` stops, `Skipped` counts, logs and lists them, `KnownPlaces` does both."""

import logging
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import NoReturn

from src.errors import MalformedLine

OnMalformed = Callable[[MalformedLine], None]
_WHAT_TO_DO = "To count and leave out such places: data.on_malformed=skip"
_log = logging.getLogger(__name__)


def refuse(place: MalformedLine) -> NoReturn:
    """Raises the error, with a hint on how to continue without the line."""
    place.args = (f"{place} {_WHAT_TO_DO}",)
    raise place


class KnownPlaces:
    """Skips the malformed lines that a published file is known to have, and refuses all others.

    Args:
        lines: for each file the numbers of its bad lines.

    Attributes:
        places: those met so far, in the order of reading.
    """

    def __init__(self, lines: Mapping[Path, Collection[int]]):
        self._lines = lines
        self.places: list[MalformedLine] = []

    def __call__(self, place: MalformedLine) -> None:
        if place.line not in self._lines.get(place.path, ()):
            refuse(place)
        self.places.append(place)


class Skipped:
    """Collects malformed lines and logs each once, however often a file is read.

    Attributes:
        places: the malformed lines so far, in the order of reading.
    """

    def __init__(self):
        self.places: list[MalformedLine] = []
        self._messages: set[str] = set()

    def __call__(self, place: MalformedLine) -> None:
        message = str(place)
        if message in self._messages:
            return
        self._messages.add(message)
        self.places.append(place)
        _log.warning("Left out: %s", message)
