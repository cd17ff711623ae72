"""Errors whose message is for the user: the scripts print them as one paragraph and end with code 1."""

import difflib
import math
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from types import ModuleType

from polyprobe.display.shown import cut, shown


class PolyprobeError(Exception):
    """Says where, what was found, what was expected and what to do, in one paragraph.

    What it quotes from files and servers is shown escaped where it would steer a terminal.
    """

    def __str__(self) -> str:
        return shown(super().__str__())


class Impossible(PolyprobeError):
    """The choices exclude each other: a language without a corpus of the task, an encoder without such items.

    A sweep skips such a job and counts it; a single command ends as with any other error.
    """


class MalformedLine(PolyprobeError):
    """A line of a file is not what its format requires.

    Args:
        path: the file.
        line: its number, from 1.
        found: what was found, as a clause ("HEAD is 17, but the sentence has 14 words").
        expected: what was expected, as a clause without a full stop ("0 (root) to 14").
    """

    def __init__(self, path: str | Path, line: int, found: str, expected: str):
        super().__init__(f"{path}, line {line}: {found}. Expected {expected}.")
        self.path, self.line, self.found, self.expected = Path(path), line, found, expected


class MissingExtra(PolyprobeError):
    """A package that one capability needs is not installed; says how to install it.

    Args:
        package: as it is imported.
        extra: of pyproject.toml, which brings it.
    """

    def __init__(self, package: str, extra: str):
        super().__init__(f"{package} is not installed. Expected `pip install 'polyprobe[{extra}]'`.")


def import_extra(module: str, extra: str) -> ModuleType:
    """Imports a module of a package that only an extra installs.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise MissingExtra(module.partition(".")[0], extra) from error


class UnknownChoice(PolyprobeError):
    """A name is not among the known ones; names the nearest."""

    def __init__(self, kind: str, name: str, known: Iterable[str]):
        super().__init__(f'{kind} "{name}" is unknown. {nearest(name, known)}')


class BadValue(PolyprobeError):
    """A value of the configuration is out of its range.

    Args:
        key: as the user types it ("model.dropout").
        value: what was given.
        expected: the range, as the end of "must be …".
    """

    def __init__(self, key: str, value: object, expected: str):
        super().__init__(f"{key} must be {expected}, got {quoted(value)}.")


def quoted(value: object) -> str:
    """Returns a value as messages show it: text in quotation marks, null, true and false as YAML has them."""
    if isinstance(value, str | Path):
        return f"'{value}'"
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


def check_at_least(key: str, value: object, smallest: int) -> None:
    """Checks an integer of the configuration.

    Raises:
        BadValue: it is smaller, or not an integer.
    """
    if not isinstance(value, int) or isinstance(value, bool) or value < smallest:
        raise BadValue(key, value, f"an integer of at least {smallest}")


def check_choice(key: str, value: object, choices: Iterable[str]) -> None:
    """Checks one of the words that a key of the configuration may have.

    Raises:
        UnknownChoice: it is none of them.
    """
    known = list(choices)
    if value not in known:
        raise UnknownChoice(key, str(value), known)


def distinct_choices(key: str, names: Iterable[str], choices: Iterable[str]) -> list[str]:
    """Returns names that a user chooses, in this order and each once.

    Raises:
        UnknownChoice: one is none of the choices.
    """
    known = list(choices)
    for name in names:
        check_choice(key, name, known)
    return list(dict.fromkeys(names))


def layer_name(key: str, given: str | int, known: Iterable[str]) -> str:
    """Returns a layer as it is called where it is known: 2, "2" and "layer_2" are one layer.

    Args:
        key: of the configuration, or what an error calls it.
        known: "layer_2", "encoding/8" of an epoch.

    Raises:
        UnknownChoice: there is no such layer; names the nearest.
    """
    names = list(known)
    spellings = (str(given), f"layer_{given}", str(given).removeprefix("layer_"))
    found = next((one for one in spellings if one in names), None)
    if found is None:
        raise UnknownChoice(key, str(given), names)
    return found


def check_above_zero(key: str, value: object) -> None:
    """Checks a number of the configuration.

    Raises:
        BadValue: it is not a finite number above 0.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        raise BadValue(key, value, "a number above 0")


def nearest(name: str, known: Iterable[str]) -> str:
    """Returns "Did you mean a or b? Known: a, b, c." with at most three near names, or the known names alone."""
    known = sorted(known)
    close = near_names(name, known)
    hint = f"Did you mean {' or '.join(close)}? " if close else ""
    return f"{hint}Known: {', '.join(known)}."


def near_names(name: str, known: Iterable[str]) -> list[str]:
    """Returns at most three names that are much like a name, the nearest first."""
    return difflib.get_close_matches(name, list(known), n=3, cutoff=0.6)


def briefly(error: BaseException, longest: int = 300) -> str:
    """Returns the message of a library's error in one line, cut to so many characters; its class if it has none."""
    return cut(" ".join(str(error).split()) or type(error).__name__, longest)
