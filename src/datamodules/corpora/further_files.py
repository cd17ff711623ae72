"""Further files that a reader takes beside each file of a corpus: trees of stand-off roles, translations, labels.

treebank: {train: ud/train.conllu, dev: …}      a file for each split: an argument of the reader of this name
further_files:                                  any others, by argument
  target: {replace: .en, by: .fr}               by a rule: news.en has news.fr beside it
  labels: {train: [a.labels, b.labels], dev: …} by split: one for each file of the split, or one for all of them
"""

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any

from src.errors import BadValue, PolyprobeError

SINGLE = "file"
"""The key that stands for the splits in an entry of one file: of a further test set, or of more to train on."""
NO_FILES: Mapping[str, str] = MappingProxyType({})
_RULE = {"replace", "by"}


def files_of(settings: Mapping[str, Any], split: str) -> list[str]:
    """Returns the file of a split, or its files."""
    files = settings[split]
    return list(files) if isinstance(files, list) else [files]


def further_arguments(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns the arguments of the reader of an entry that take further files."""
    return tuple(_further(settings))


def further_files(settings: Mapping[str, Any], split: str) -> list[dict[str, str]]:
    """Returns the further files of each file of a split, by argument.

    Args:
        settings: an entry of `data.corpora`, or one of a single file in it.
        split: of the entry, or `SINGLE`.

    Raises:
        BadValue: what the entry has is neither a rule nor files.
        PolyprobeError: there are more or fewer further files than files, or a rule does not fit a name.
    """
    files = files_of(settings, split)
    columns = {
        argument: [_by_rule(argument, value, file) for file in files]
        if has_rule(settings, argument)
        else _by_split(argument, value, split, files)
        for argument, value in _further(settings).items()
        if has_rule(settings, argument) or split in _checked(argument, value)
    }
    return [{argument: column[number] for argument, column in columns.items()} for number in range(len(files))]


def has_rule(settings: Mapping[str, Any], argument: str) -> bool:
    """Says whether the further file has its name by a rule, which fits files from anywhere."""
    return set(_checked(argument, _further(settings)[argument])) == _RULE


def further_file_by_rule(settings: Mapping[str, Any], argument: str, path: Path) -> Path:
    """Returns the further file that a rule gives to any file.

    Raises:
        PolyprobeError: the rule does not fit its name.
    """
    return path.with_name(_name_by_rule(argument, _further(settings)[argument], path.name))


def _further(settings: Mapping[str, Any]) -> dict[str, Any]:
    treebank = {"treebank": settings["treebank"]} if settings.get("treebank") else {}
    return {**treebank, **settings.get("further_files", {})}


def _checked(argument: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise BadValue(argument, value, "files by split, or a rule such as {replace: .en, by: .fr}")
    return value


def _by_rule(argument: str, rule: Mapping[str, str], file: str) -> str:
    path = PurePosixPath(file)
    return str(path.with_name(_name_by_rule(argument, rule, path.name)))


def _name_by_rule(argument: str, rule: Mapping[str, str], name: str) -> str:
    if name.count(rule["replace"]) != 1:
        raise PolyprobeError(
            f'{name} has "{rule["replace"]}" {name.count(rule["replace"])} times, so that the name of its {argument} '
            f'is not known. Expected it once: "{rule["by"]}" stands there in the name of the {argument}.'
        )
    return name.replace(rule["replace"], rule["by"])


def _by_split(argument: str, value: Mapping[str, Any], split: str, files: list[str]) -> list[str]:
    if isinstance(value[split], str):
        return [value[split]] * len(files)
    if len(value[split]) != len(files):
        raise PolyprobeError(
            f"{split} has {len(files)} files, and {len(value[split])} as {argument}. Expected one for each, or one "
            "for all of them."
        )
    return list(value[split])
