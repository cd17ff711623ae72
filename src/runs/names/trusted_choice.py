"""Settings of a choice as a run's config.yaml has them, with the names of what is built from the file of the choice."""

from collections.abc import Mapping
from typing import Any

from src.runs.names.closed_table import NotInTable
from src.runs.names.conf_folders import choice_files, choice_settings

_NAMES = ("_target_", "_partial_", "_convert_")


def trusted_settings(group: str, choice: str, found: Mapping[str, Any]) -> dict[str, Any]:
    """Returns settings that a run was made with; nothing in them says what is imported or called but the choice's file.

    Args:
        group, choice: the file `conf/<group>/<choice>.yaml`.
        found: the settings in the configuration of a run, which may come from anywhere.

    Raises:
        UnknownChoice: there is no such file.
        NotInTable: something is to be built where the file of the choice builds nothing.
    """
    return _trusted(choice_settings(group, choice), found, group)


def trusted_language(found: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what a run knew of its language; of one without a file in conf/lang nothing is built.

    Raises:
        NotInTable: something is to be built where the file of the language, if there is one, builds nothing.
    """
    has_file = found["code"] in choice_files("lang")
    return _trusted(choice_settings("lang", found["code"]) if has_file else {}, found, "lang")


def _trusted(own: Any, found: Mapping[str, Any], place: str) -> dict[str, Any]:
    own = own if isinstance(own, Mapping) else {}
    names = {key: own[key] for key in _NAMES if key in own}
    if "_target_" in found and "_target_" not in own:
        raise NotInTable(found["_target_"], f"{place}._target_", None)
    plain = {key: value for key, value in found.items() if key not in _NAMES}
    return {**names, **{key: _value(own.get(key), value, f"{place}.{key}") for key, value in plain.items()}}


def _value(own: Any, value: Any, place: str) -> Any:
    if isinstance(value, Mapping):
        return _trusted(own, value, place)
    return [_value(None, one, place) for one in value] if isinstance(value, list) else value
