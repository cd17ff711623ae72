"""Further files that a reader takes beside each file of a corpus: trees of stand-off roles, translations, labels.

treebank: {train: ud/train.conllu, dev: …}      a file for each split: an argument of the reader of this name
further_files:                                  any others, by argument
  target: {replace: .en, by: .fr}               by a rule: news.en has news.fr beside it
  labels: {train: [a.labels, b.labels], dev: …} by split: one for each file of the split, or one for all of them

Whether a reader takes the options and files that it is given is checked before any file is looked for.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from inspect import Parameter, signature
from pathlib import Path, PurePath, PurePosixPath
from types import MappingProxyType
from typing import Any, TypeVar, get_args

from polyprobe.errors import BadValue, PolyprobeError, check_choice
from polyprobe.runs.names.identity import is_ours

SINGLE = "file"
"""The key that stands for the splits in an entry of one file: of a further test set, or of more to train on."""
NO_FILES: Mapping[str, str] = MappingProxyType({})
_RULE = ("replace", "by")
AnyPath = TypeVar("AnyPath", bound=PurePath)


def files_of(settings: Mapping[str, Any], split: str) -> list[str]:
    """Returns the file of a split, or its files."""
    files = settings[split]
    return list(files) if isinstance(files, list) else [files]


def check_further_files(key: str, settings: Mapping[str, Any], splits: Sequence[str]) -> None:
    """Checks that an entry has rules or files as its further files; the functions below rely on it.

    Args:
        key: of the entry, as the user types it.
        settings: an entry of `data.corpora`, or one of a single file in it.
        splits: that have files; `SINGLE` for a single file.
    """
    further = settings.get("further_files", {})
    named = {f"{key}.further_files.{argument}": value for argument, value in further.items()}
    if settings.get("treebank"):
        named[f"{key}.treebank"] = settings["treebank"]
    for place, value in named.items():
        parts = value if isinstance(value, Mapping) else {}
        is_rule = parts.keys() == {*_RULE} and all(isinstance(part, str) for part in parts.values())
        if not is_rule and not (parts.keys() == {*splits} and all(map(are_files, parts.values()))):
            expected = f"files for {', '.join(splits)}, or a rule such as {{replace: .en, by: .fr}}"
            raise BadValue(place, value, expected)


def are_files(value: Any) -> bool:
    """Says whether a value is the name of a file, or a list of names."""
    files = value if isinstance(value, list) else [value]
    return all(isinstance(file, str) and file for file in files)


def further_arguments(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns the arguments of the reader of an entry that take further files."""
    return tuple(_further(settings))


def further_files(settings: Mapping[str, Any], split: str) -> list[dict[str, str]]:
    """Returns the further files of each file of a split, by argument.

    Args:
        settings: an entry of `data.corpora`, or one of a single file in it.
        split: of the entry, or `SINGLE`.
    """
    files = files_of(settings, split)
    columns = {
        argument: [str(further_file_by_rule(settings, argument, PurePosixPath(file))) for file in files]
        if has_rule(settings, argument)
        else _by_split(argument, value, split, files)
        for argument, value in _further(settings).items()
    }
    return [{argument: column[number] for argument, column in columns.items()} for number in range(len(files))]


def has_rule(settings: Mapping[str, Any], argument: str) -> bool:
    """Says whether the further file has its name by a rule, which fits files from anywhere."""
    return set(_further(settings)[argument]) == set(_RULE)


def further_file_by_rule(settings: Mapping[str, Any], argument: str, path: AnyPath) -> AnyPath:
    """Returns the further file that a rule gives to any file."""
    name, rule = path.name, _further(settings)[argument]
    if name.count(rule["replace"]) != 1:
        raise PolyprobeError(
            f'{name} has "{rule["replace"]}" {name.count(rule["replace"])} times, so that the name of its {argument} '
            f'is not known. Expected it once: "{rule["by"]}" stands there in the name of the {argument}.'
        )
    return path.with_name(name.replace(rule["replace"], rule["by"]))


def _further(settings: Mapping[str, Any]) -> dict[str, Any]:
    treebank = {"treebank": settings["treebank"]} if settings.get("treebank") else {}
    return {**treebank, **settings.get("further_files", {})}


def _by_split(argument: str, value: Mapping[str, Any], split: str, files: list[str]) -> list[str]:
    if isinstance(value[split], str):
        return [value[split]] * len(files)
    if len(value[split]) != len(files):
        raise PolyprobeError(
            f"{split} has {len(files)} files, and {len(value[split])} as {argument}. Expected one for each, or one "
            "for all of them."
        )
    return list(value[split])


_OF_EVERY_READER = ("path", "on_malformed")
_FILES = (Path, Path | None)


def check_reader_options(key: str, settings: Mapping[str, Any], read: Callable[..., Any]) -> None:
    """Checks that a reader takes what its entry gives and lacks nothing; what values may be, it checks itself.

    Args:
        key: of the entry, as the user types it.
        settings: an entry of `data.corpora`, or one of a single file in it.
    """
    parameters = _parameters(read) if is_ours(settings["reader"]) else None  # one of the user's is declared in any way
    given = list(given_options(key, settings))
    if parameters is None:
        return
    files = {name: one for name, one in parameters.items() if one.annotation in _FILES}
    further = [(f"{key}.further_files", argument) for argument in further_arguments(settings)]
    for place, name in given:
        check_choice(place, name, parameters.keys() - files.keys())
    for place, name in further:
        check_choice(place, name, files)
    for name in parameters.keys() - {name for _, name in (*given, *further)}:
        if parameters[name].default is Parameter.empty:
            example = f"{key}.reader_options={{{name}: …}}"
            if name in files:
                example = f"{key}.further_files={{{name}: {{replace: .en, by: .fi}}}}, for news.fi beside news.en"
            raise PolyprobeError(f"{key}: {settings['reader'].rpartition('.')[2]} needs {name}. Expected {example}.")


def given_options(key: str, settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yields the options of an entry, each with the key under which it stands."""
    of_splits = settings.get("split_options", {})
    places = {f"{key}.split_options.{split}": one for split, one in of_splits.items()}
    for place, options in {f"{key}.reader_options": settings.get("reader_options", {}), **places}.items():
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
