"""Treatments of malformed lines: to refuse them, with a hint or without, to count, log and list them, or both."""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import NoReturn, Protocol

from polyprobe.errors import MalformedLine, check_choice

OnMalformed = Callable[[MalformedLine], None]
MOST_LOGGED = 10
_KEY = "data.on_malformed"
_log = logging.getLogger(__name__)


class Handler(Protocol):
    """A treatment that knows which lines it left out."""

    places: Sequence[MalformedLine]
    """These lines so far, in the order of reading."""

    def __call__(self, place: MalformedLine) -> None: ...


class Refused:
    """Raises the error, with a hint on how to continue without the line; no line is left out.

    Args:
        key: of the configuration that says how such lines are treated.
    """

    places: Sequence[MalformedLine] = ()

    def __init__(self, key: str = _KEY):
        self._key = key

    def __call__(self, place: MalformedLine) -> NoReturn:
        place.args = (f"{place} To count and leave out such places: {self._key}=skip",)
        raise place


refuse = Refused()


class Omission:
    """A block of code that reads one row or sentence: where that is malformed, the treatment is told, and it goes on.

    for line, content in numbered_bytes(path):
        with Omission(on_malformed):
            yield row_of(path, line, content)
    """

    def __init__(self, on_malformed: OnMalformed):
        self._on_malformed = on_malformed

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> bool:
        if isinstance(error, MalformedLine):
            self._on_malformed(error)
        return isinstance(error, MalformedLine)


def raised(place: MalformedLine) -> NoReturn:
    """Raises the error as it stands, where there is no key by which the line could be left out."""
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
    """Collects malformed lines, each once, however often a file is read; logs the first ones.

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
        if len(self.places) <= MOST_LOGGED:
            _log.warning("Left out: %s", message)
        elif len(self.places) == MOST_LOGGED + 1:
            _log.warning("Skipped: more lines, counted but not shown.")


TREATMENTS = ("refuse", "skip")


def handler_named(choice: str, key: str = _KEY) -> Handler:
    """Returns a new treatment by its name.

    Args:
        choice: "refuse" or "skip".
        key: of the configuration that says so, for messages.

    Raises:
        UnknownChoice: there is none of this name.
    """
    check_choice(key, choice, TREATMENTS)
    return Refused(key) if choice == "refuse" else Skipped()
