"""Treatments of malformed lines: to refuse them, with a hint or without, to count, log and list them, or both."""

import logging
from collections import Counter
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
    """A block of code that reads one row or sentence: where that is malformed, the treatment is called, and it goes on.

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
        places: those so far, in the order of reading.
    """

    def __init__(self, lines: Mapping[Path, Collection[int]]):
        self._lines = lines
        self.places: list[MalformedLine] = []

    def __call__(self, place: MalformedLine) -> None:
        if place.line not in self._lines.get(place.path, ()):
            refuse(place)
        self.places.append(place)


class Skipped:
    """Collects malformed lines, each once, however often a file is read; logs the first of each reason.

    Attributes:
        places: the malformed lines so far, in the order of reading.
    """

    def __init__(self):
        self.places: list[MalformedLine] = []
        self._messages: set[str] = set()
        self._n_by_reason: Counter[tuple[Path, str]] = Counter()

    def __call__(self, place: MalformedLine) -> None:
        message = str(place)
        if message in self._messages:
            return
        self._messages.add(message)
        self.places.append(place)
        self._n_by_reason[place.path, place.found] += 1
        n_alike, n_reasons = self._n_by_reason[place.path, place.found], len(self._n_by_reason)
        if n_alike == 1 and n_reasons <= MOST_LOGGED:
            _log.warning("Left out: %s", message)
        elif n_alike == 2 and n_reasons <= MOST_LOGGED:
            _log.warning("Left out: more lines of %s (%s), counted but not shown.", place.path, place.found)
        elif n_alike == 1 and n_reasons == MOST_LOGGED + 1:
            _log.warning("Skipped: more lines, counted but not shown.")


def in_lines(places: Sequence[MalformedLine]) -> list[str]:
    """Describes malformed lines in sentences: those of one file with the same reason in one, with their range."""
    by_reason: dict[tuple[Path, str, str], list[MalformedLine]] = {}
    for place in places:
        by_reason.setdefault((place.path, place.found, place.expected), []).append(place)
    sentences = []
    for (path, found, expected), same in by_reason.items():
        lines = f"{len(same):,} lines from {same[0].line:,} to {same[-1].line:,}"
        sentences.append(f"{path}, {lines}: {found}. Expected {expected}." if same[1:] else str(same[0]))
    return sentences


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
