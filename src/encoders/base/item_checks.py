"""Checks of items that every encoder makes before it computes anything."""

from collections.abc import Iterable
from pathlib import Path

from src.errors import BadValue, Impossible, PolyprobeError
from src.items import Form, Item


class NamedInAFile(str):
    """The name of a model that comes from a file of a run and not from the user: nothing is fetched for it."""

    __slots__ = ()


def path_of(key: str, value: object) -> Path:
    """Returns the file or folder that a key of the configuration names.

    Raises:
        BadValue: it is not a text: null, or a number, as Hydra reads a name of digits alone.
        PolyprobeError: it is empty.
    """
    if value == "":
        raise PolyprobeError(f"{key} must be given: the name of a file or folder.")
    if not isinstance(value, str | Path):
        raise BadValue(key, value, "the name of a file or folder (a name of digits as '\"2024\"')")
    return Path(value)


def check_items(encoder: str, accepts: frozenset[type], items: Iterable[Item]) -> None:
    """Refuses items that cannot be encoded.

    Args:
        encoder: its name, for the message.
        accepts: the kinds of item that it takes.
        items: in the caller's order.

    Raises:
        Impossible: an item is of another kind; the message counts items from 1.
        PolyprobeError: an empty form, a sentence without words or with an empty word, an index outside its sentence.
    """
    for number, item in enumerate(items, start=1):
        if complaint := _kind_complaint(accepts, item):
            raise Impossible(f"{encoder} cannot encode item {number}, {item!r}: {complaint}.")
        if complaint := _content_complaint(item):
            raise PolyprobeError(f"{encoder} cannot encode item {number}, {item!r}: {complaint}.")


def _kind_complaint(accepts: frozenset[type], item: Item) -> str | None:
    if type(item) in accepts:
        return None
    return f"it takes {' or '.join(sorted(kind.__name__ for kind in accepts))}, not {type(item).__name__}"


def _content_complaint(item: Item) -> str | None:
    if isinstance(item, Form):
        return None if item.form else "the form is empty"
    if not item.words:
        return "the sentence has no words"
    if not all(item.words):
        return f"word {item.words.index('') + 1} of the sentence is empty"
    index = getattr(item, "index", 0)
    if not 0 <= index < len(item.words):
        return f"the index must be 0 to {len(item.words) - 1}, is {index}"
    return None
