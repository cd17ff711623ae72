"""The options of an encoder or predictor in words: those that differ from its file in conf/."""

import json
from collections.abc import Mapping
from typing import Any

from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from src.display.shown import last_parts
from src.runs.names.conf_folders import choice_files, choice_settings

# Where and how it works; no number depends on it.
OF_THE_MACHINE = ("device", "token_budget", "batch_words", "cache", "paths")
OF_THE_TEST = {"own": {"path", "format", "column"}, "pairs": {"path"}}  # what the path or the column of a row says
NAMING = ("model", "path", "run", "revision", "folders", "revisions")


def options_in_words(config: Mapping[str, Any], group: str, is_named: bool, resolved: str | None = None) -> str | None:
    """Returns the options of the chosen encoder or predictor that differ from those of its file.

    Args:
        config: resolved, plain values; `choices` says which file of the group was chosen.
        group: "encoder" or "predictor".
        is_named: whether the model has a name, which then replaces `NAMING`.
        resolved: what the files of the model decided, in words, see `Encoder.resolved`.

    Returns:
        "lowercase=true layers=[0,6]"; None where none differs.
    """
    settings, choice = config[group], config["choices"][group]
    defaults = _defaults(group, choice, config)
    # A model that the file itself names is a network, whatever vectors the name of the model is of: it is always told.
    told = {"model"} if defaults.get("model") else set()
    left_out = {*OF_THE_MACHINE, *(NAMING if is_named else ())} - told
    shown = {key: value for key, value in settings.items() if key not in left_out}
    # Options that the file lacks count if they are set: a training run adds tune=false to every encoder.
    differing = {
        key: value
        for key, value in shown.items()
        if key in told or (defaults[key] != value if key in defaults else value)
    }
    written = [f"{key}={_written(value)}" for key, value in differing.items()]
    return " ".join([*written, *filter(None, [resolved])]) or None


def with_own_tests(config: Mapping[str, Any], options: str | None) -> str | None:
    """Adds to options the path of a user's own tests, which tells them from others: "suite.path=mine/odd".

    Columns of a treebank, and pairs, are told by all that makes rows of them: "suite.path=mine/ud suite.level=token".
    """
    if config["choices"].get("suite") not in ("own", "pairs"):
        return options
    suite, choice = config["suite"], config["choices"]["suite"]
    told = {"path": last_parts(suite["path"])}
    if suite.get("format") == "conllu" or choice == "pairs":
        defaults = choice_settings("suite", choice)
        differing = {key for key, value in suite.items() if defaults.get(key) != value}
        told |= {key: suite[key] for key in suite if key in differing - OF_THE_TEST[choice]}
    added = " ".join(f"suite.{key}={_written(value)}" for key, value in told.items())
    return f"{options} {added}" if options else added


def _defaults(group: str, choice: str, config: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the options in the file of a choice, with interpolations from the rest of the configuration resolved."""
    settings = choice_settings(group, choice) if choice in choice_files(group) else {}
    filled = OmegaConf.create({**config, group: settings})
    return {key: _resolved(filled, f"{group}.{key}") for key in filled[group]}


def _resolved(filled: Any, key: str) -> Any:
    try:
        value = OmegaConf.select(filled, key)
    except OmegaConfBaseException:  # it takes what this configuration does not have
        return None
    return OmegaConf.to_container(value, resolve=True) if OmegaConf.is_config(value) else value


def _written(value: Any) -> str:
    if isinstance(value, str):
        return last_parts(value) if "/" in value else value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
