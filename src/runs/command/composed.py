"""A composed configuration as plain values; what it has of a group of conf/: the choice, and what its file says."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from polyprobe.errors import PolyprobeError, briefly
from polyprobe.runs.command.overrides import literal
from polyprobe.runs.names.choice import Choice
from polyprobe.runs.names.conf_folders import base_files, choice_files, choice_settings
from polyprobe.runs.workspace import RUNS


def plain(config: Any, choices: Mapping[str, str]) -> dict[str, Any]:
    """Returns a composed configuration resolved, as plain values, with the choice of each group under `choices`.

    Hydra's own section is left out.

    Raises:
        PolyprobeError: a value that must be given is not; or one refers to a key that is not there.
    """
    chosen = {group: choice for group, choice in choices.items() if "hydra" not in group}
    settings = OmegaConf.masked_copy(config, [key for key in config if key != "hydra"])
    try:
        missing = sorted(OmegaConf.missing_keys(settings))
        resolved = OmegaConf.to_container(settings, resolve=True)
    except OmegaConfBaseException as error:
        raise PolyprobeError(f"A file of choices has a value that cannot be found: {briefly(error)}.") from error
    if missing:
        raise PolyprobeError(f"{', '.join(missing)} must be given{_comment_on(missing[0], chosen)}.")
    for group in ("encoder", "predictor"):
        _name_folder_of_run(resolved, group)
    encoder = resolved.get("encoder") or {}
    if "folders" in encoder and encoder["folders"] is None and encoder["model"] is None:  # known before torch is there
        raise PolyprobeError("encoder.model must be given: a folder, or a name on the model hub (or encoder.folders).")
    return {**resolved, "choices": chosen}


def _name_folder_of_run(config: dict[str, Any], group: str) -> None:
    """Puts the folder of a run of train.py in place of its name, in `encoder.run` and `predictor.run`."""
    options = config.get(group)
    run = options.get("run") if isinstance(options, Mapping) else None
    if isinstance(run, str) and run and "/" not in run and not Path(run).is_dir():
        by_name = Path(str(config["paths"]["work"])) / RUNS / "train" / run
        if by_name.is_dir():
            config[group] = {**options, "run": str(by_name)}


def _comment_on(key: str, chosen: Mapping[str, str]) -> str:
    """Returns what the file of a choice says of a key: ": directory of a run of train.py"; "" where it says nothing."""
    group, _, last = key.partition(".")
    is_of_file = chosen.get(group) in choice_files(group)
    texts = [file.read_text(encoding="utf-8") for file in base_files(group, chosen[group])] if is_of_file else []
    found = [one for text in texts for one in re.findall(rf"^{last}: \?\?\? *# (.*)", text, re.MULTILINE)]
    return f": {found[0]}" if found else ""


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
