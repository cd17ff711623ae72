"""Parses how a user names a run ("run", "run:layer", "run:model"), and selects the tests that are named."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from src.errors import BadValue, UnknownChoice

T = TypeVar("T")
ALL_LAYERS = "all"  # "run:all"


def split_reference(reference: str) -> tuple[str, str | None]:
    """Splits "run:layer"; the layer is None where only a run is named."""
    name, colon, layer = str(reference).rpartition(":")
    return (name, layer) if colon and not Path(reference).is_dir() else (str(reference), None)


def meant_layers(run: str, layer: str | None, layers: Sequence[str]) -> tuple[str, ...]:
    """Returns the layers of a run that "run", "run:all" or "run:layer" means.

    Raises:
        UnknownChoice: it has no such layer; names the nearest.
    """
    if layer in (None, ALL_LAYERS):
        return tuple(layers)
    if layer not in layers:
        raise UnknownChoice(f"layer of {run}", layer, layers)
    return (layer,)


def chosen_tests(found: Mapping[str, T], names: Sequence[str] | None, kind: str, example: str) -> dict[str, T]:
    """Returns the tests of a run that a user names, in this order; all of them for None.

    Args:
        found: what the run has, by name.
        names: the value of `tests`.
        kind: what errors call a name, such as "test".
        example: a list of them, for errors.

    Raises:
        BadValue: `names` is not a list, or empty.
        UnknownChoice: the run has no such test; names the nearest.
    """
    if names is None:
        return dict(found)
    if not isinstance(names, list) or not names:
        raise BadValue("tests", names, f"a list such as {example}, or null")
    for name in names:
        if name not in found:
            raise UnknownChoice(kind, str(name), found)
    return {name: found[name] for name in names}
