"""A composed configuration as plain values; what it has of a group of conf/: the choice, and what its file says."""

from collections.abc import Mapping
from typing import Any

from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from polyprobe.runs.command.overrides import literal
from polyprobe.runs.names.choice import Choice
from polyprobe.runs.names.conf_folders import choice_files, choice_settings


def chosen(config: Mapping[str, Any], group: str) -> Choice:
    """Returns what a resolved, plain configuration has of a group; `choices` says which file was chosen."""
    name = config["choices"][group]
    return Choice(group, name, config[group], _defaults(group, name, config))


def _defaults(group: str, name: str, config: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the options in the file of a choice, with interpolations from the rest of the configuration resolved."""
    settings = choice_settings(group, name) if name in choice_files(group) else {}
    if "${" not in repr(settings):
        return {key: None if value == "???" else value for key, value in settings.items()}
    filled = OmegaConf.create({**_literal(config), group: settings})
    return {key: _resolved(filled, f"{group}.{key}") for key in filled[group]}


def _literal(value: Any) -> Any:
    """Returns what is resolved so that it is not resolved again, a text of a user's file among it."""
    if isinstance(value, Mapping):
        return {key: _literal(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_literal(one) for one in value]
    return literal(value) if isinstance(value, str) else value


def _resolved(filled: Any, key: str) -> Any:
    try:
        value = OmegaConf.select(filled, key)
    except OmegaConfBaseException:  # it takes what this configuration does not have
        return None
    return OmegaConf.to_container(value, resolve=True) if OmegaConf.is_config(value) else value
