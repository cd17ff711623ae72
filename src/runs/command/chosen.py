"""What a resolved configuration has of a group of conf/: the choice, and what its file says."""

from collections.abc import Mapping
from typing import Any

from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from polyprobe.runs.command.overrides import escaped
from polyprobe.runs.names.choice import Choice
from polyprobe.runs.names.conf_folders import choice_files, choice_settings


def chosen(config: Mapping[str, Any], group: str) -> Choice:
    """Returns what a resolved, plain configuration has of a group; `choices` says which file was chosen."""
    name = config["choices"][group]
    settings = choice_settings(group, name) if name in choice_files(group) else {}
    filled = OmegaConf.create({**escaped(config), group: settings})
    return Choice(group, name, config[group], {key: _resolved(filled, f"{group}.{key}") for key in settings})


def _resolved(filled: Any, key: str) -> Any:
    try:
        value = OmegaConf.select(filled, key)
    except OmegaConfBaseException:  # it takes what this configuration does not have
        return None
    return OmegaConf.to_container(value, resolve=True) if OmegaConf.is_config(value) else value
