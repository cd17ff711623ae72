"""Whether a reader gets the options and the further files that it has, before any file is looked for."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, get_args

from src.datamodules.corpora.further_files import further_arguments
from src.errors import BadValue, PolyprobeError, near_names
from src.runs.names.identity import is_ours

_OF_EVERY_READER = ("path", "on_malformed")
_FILES = (Path, Path | None)


def check_reader_options(key: str, settings: Mapping[str, Any], read: Callable[..., Any]) -> None:
    """Checks that a reader takes what its entry gives and lacks nothing; what values may be, it checks itself.

    Args:
        key: of the entry, as the user types it.
        settings: an entry of `data.corpora`, or one of a single file in it.
        read: the function that the entry names.

    Raises:
        BadValue: `reader_options`, or those of a split, are no group of keys.
        PolyprobeError: an option or a further file is unknown or missing; names the known options with their defaults.
    """
    given = list(_given(key, settings))
    parameters = _parameters(read) if is_ours(settings["reader"]) else None  # one of the user's is declared in any way
    if parameters is None:
        return
    reader = settings["reader"].rpartition(".")[2]
    files = {name: one for name, one in parameters.items() if one.annotation in _FILES}
    options = {name: one for name, one in parameters.items() if name not in files}
    _check_known(f"{key}: {reader} has no option", options, given)
    further = [(f"{key}.further_files", argument) for argument in further_arguments(settings)]
    _check_known(f"{key}: {reader} has no further file", files, further)
    named = {name for _, name in (*given, *further)}
    for name, one in parameters.items():
        if one.default is Parameter.empty and name not in named:
            raise PolyprobeError(f"{key}: {reader} needs {name}. Expected {_example(key, name, name in files)}.")


def _given(key: str, settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yields the options of an entry, each with the key under which it stands."""
    places = {f"{key}.reader_options": settings.get("reader_options", {})}
    of_splits = settings.get("split_options", {})
    if not isinstance(of_splits, Mapping):
        raise BadValue(f"{key}.split_options", of_splits, "a group of options for each split, such as {train: {…}}")
    places |= {f"{key}.split_options.{split}": one for split, one in of_splits.items()}
    for place, options in places.items():
        if not isinstance(options, Mapping):
            raise BadValue(place, options, "a group of keys, such as {tokenised_by: blanks}")
        yield from ((place, str(name)) for name in options)


def _parameters(read: Callable[..., Any]) -> dict[str, Parameter] | None:
    """Returns the parameters of a reader by their names; None where it takes whatever it is given.

    `**layout: Annotated[Any, PairFormat]` are the fields of `PairFormat`.
    """
    parameters = dict(signature(read).parameters)
    for name, one in list(parameters.items()):
        if one.kind is Parameter.VAR_KEYWORD:
            fields = get_args(one.annotation)[1:]
            if not fields:
                return None
            del parameters[name]
            parameters |= signature(fields[0]).parameters
    return {name: one for name, one in parameters.items() if name not in _OF_EVERY_READER}


def _check_known(found: str, known: Mapping[str, Parameter], given: Iterable[tuple[str, str]]) -> None:
    for place, name in given:
        if name not in known:
            near = near_names(name, known)
            hint = f" Did you mean {' or '.join(near)}?" if near else ""
            named = ", ".join(map(_shown, known.values())) or "none"
            raise PolyprobeError(f'{found} "{name}" ({place}).{hint} Known, with their defaults: {named}.')


def _shown(one: Parameter) -> str:
    if one.default is Parameter.empty:
        return f"{one.name} (must be given)"
    if isinstance(one.default, str | tuple | None):
        return f"{one.name}={_plain(one.default)}"
    return one.name  # made anew for each file: a group of keys


def _plain(value: str | tuple[str, ...] | None) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_plain, value))}]"
    return "null" if value is None else value or "''"


def _example(key: str, name: str, is_file: bool) -> str:
    if is_file:
        return f"{key}.further_files={{{name}: {{replace: .en, by: .fi}}}}, for news.fi beside news.en"
    return f"{key}.reader_options={{{name}: …}}"
