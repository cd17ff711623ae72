"""Layouts: what may stand at each place of a file that comes with a run, as types, ranges and names.

A layout is a type (`str`, `int`, `float`, `bool`, `dict`, `list`), None, a `range` of integers, `FileName`, a tuple of
layouts of which one fits, or one of the classes here. A place that no layout speaks of may hold anything that such a
file can hold: see `no_text`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NewType

from polyprobe.display.shown import cut
from polyprobe.formats.files.file_names import file_name

Layout = Any
_LONGEST = 60  # of a value in a message, in characters
_WORDS = {str: "text", dict: "object", list: "list", int: "integer", float: "number", bool: "truth value", None: "null"}


@dataclass(frozen=True, slots=True)
class Entries:
    """An object: entries that it must have, and others that it may have."""

    needed: Mapping[str, Layout] = field(default_factory=dict)
    known: Mapping[str, Layout] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Table:
    """An object of any names whose values are of one layout."""

    values: Layout
    names: Layout = str


@dataclass(frozen=True, slots=True)
class Listed:
    """A list of values of one layout, at least so many."""

    values: Layout
    fewest: int = 0


FileName = NewType("FileName", str)
"""Text that is the name of one file or folder as it stands: it becomes a part of a path, and leads nowhere else.

So are fingerprints: those of the encoders here are 32 hexadecimal digits, those of own classes any such name.
"""


def wrong(value: object, layout: Layout, place: str = "") -> str | None:
    """Says which part of a value does not fit its layout, as a clause; None where all does.

    Args:
        value: as JSON or YAML is read.
        place: of the value in its file ("encoder.layers"); "" for the whole file.
    """
    if isinstance(layout, tuple):
        found = [wrong(value, one, place) for one in layout]
        return None if None in found else found[0]
    if not _is_kind(value, layout):
        return f"{place or 'it'} is {in_words(value)}, no {_kind(layout)}"
    if isinstance(layout, Listed):
        parts = ((f"{place}[{number}]", one, layout.values) for number, one in enumerate(value))
    elif isinstance(layout, Table):
        bad = (name for name in value if wrong(name, layout.names))
        if (name := next(bad, None)) is not None:
            return f"{place} names {in_words(name)}, no {_kind(layout.names)}"
        parts = ((_below(place, name), one, layout.values) for name, one in value.items())
    elif isinstance(layout, Entries):
        if absent := next((name for name in layout.needed if name not in value), None):
            return f"{place or 'it'} has no {absent}"
        known = {**layout.known, **layout.needed}
        parts = ((_below(place, name), value[name], known[name]) for name in known if name in value)
    else:
        return None
    return next((found for where, one, kind in parts if (found := wrong(one, kind, where))), None)


def no_text(value: object, place: str = "") -> str | None:
    """Says where a value holds what no text has, NUL or half of a surrogate pair, as a clause; None for nowhere."""
    if isinstance(value, str):
        return None if _is_text(value) else f"{place} is {in_words(value)}, with a character that no text has"
    if isinstance(value, dict):
        names = (no_text(name, f"a name in {place or 'it'}") for name in value)
        parts = (no_text(one, _below(place, name)) for name, one in value.items())
        return next((found for found in (*names, *parts) if found), None)
    if isinstance(value, list):
        return next((found for one in value if (found := no_text(one, place))), None)
    return None


def in_words(value: object) -> str:
    """Returns a value for a message, cut."""
    return cut(json.dumps(value, default=str), _LONGEST)


def _is_kind(value: object, layout: Layout) -> bool:
    match layout:
        case None:
            return value is None
        case Entries() | Table():
            return isinstance(value, dict)
        case Listed(fewest=fewest):
            return isinstance(value, list) and len(value) >= fewest
        case range():
            return type(value) is int and value in layout
    if layout is FileName:
        return isinstance(value, str) and file_name(value) == value
    if layout is str:
        return isinstance(value, str) and _is_text(value)
    return isinstance(value, layout) and (layout is bool or not isinstance(value, bool))


def _kind(layout: Layout) -> str:
    match layout:
        case Entries() | Table():
            return _WORDS[dict]
        case Listed(fewest=fewest):
            return f"list of at least {fewest}" if fewest else _WORDS[list]
        case range():
            return f"integer of {layout[0]:,} to {layout[-1]:,}"
    return "name of one file or folder" if layout is FileName else _WORDS[layout]


def _is_text(value: str) -> bool:
    """Says whether text could be that of a file's path: without NUL and halves of surrogate pairs."""
    return "\0" not in value and not any("\ud800" <= character <= "\udfff" for character in value)


def _below(place: str, name: object) -> str:
    return f"{place}.{name}" if place else str(name)
