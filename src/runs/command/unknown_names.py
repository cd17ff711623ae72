"""Why a command line cannot be composed: the key or choice that is unknown, with the nearest ones."""

import difflib
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from polyprobe.errors import BadValue, MissingExtra, UnknownChoice, briefly, near_names
from polyprobe.runs.command.overrides import REPLACED, CommandLineError, parsed
from polyprobe.runs.names.conf_folders import (
    CONF,
    LAUNCHERS,
    choice_files,
    choice_settings,
    defaults_of,
    is_group,
)
from polyprobe.runs.names.typed_command import called_as

_OF_HUB = {"encoder": "transformer", "predictor": "causal"}
_OF_CLUSTER = ("joblib", "submitit_local", "submitit_slurm")
_NOT_TYPED = ("model_class", "monitor", "paper_corpus", "studies", "trained_by")  # files of choices set these


def explained(error: Exception, name: str, overrides: Sequence[str], config: Any) -> CommandLineError:
    """Returns what is wrong with overrides that cannot be composed.

    Args:
        error: of Hydra, OmegaConf or YAML.
        name: of the command.
        config: composed of the choices among the overrides alone; None where these do not fit each other.
    """
    try:
        read = parsed(overrides)
        for override in read:
            _check_override(override, name)
        if config is not None:
            _check_keys(read, name, config)
    except CommandLineError as found:
        return found
    reason = "" if error.__cause__ is None else f" {str(error.__cause__).splitlines()[0]}."
    return CommandLineError(f"Invalid command line of {name}.py: {briefly(error, 1000)}{reason}")


def _check_override(override: Any, name: str) -> None:
    key, typed = override.key_or_group, override.input_line
    if override.is_sweep_override():
        as_list = "" if is_group(key) else f" A list as one value: {typed.replace('=', '=[', 1)}]."
        raise CommandLineError(f"{typed} asks for several runs: -m does them.{as_list}")
    value = override.value()
    if replaced := REPLACED.get(f"{key}={value}") or REPLACED.get(key) or REPLACED.get(key.partition(".")[0]):
        raise CommandLineError(f"{typed} is not there any more: {replaced}.")
    if key == LAUNCHERS and value in _OF_CLUSTER:
        raise CommandLineError(MissingExtra(typed, "cluster"))
    if is_group(key) and not override.is_delete():
        if key not in groups(name) and not override.is_add():
            raise CommandLineError(f"{key}= cannot be used here. Groups of {name}.py: {', '.join(groups(name))}.")
        for one in value if isinstance(value, list) else [value]:
            check_group_choice(key, one, name)


def check_group_choice(group: str, choice: object, name: str) -> None:
    """Checks that a group has a choice, and that it is for this command."""
    known = choices(group, name)
    if not isinstance(choice, str):
        raise CommandLineError(BadValue(group, choice, f"one of {', '.join(known)}"))
    if choice in known:
        return
    if file := choice_files(group).get(choice):
        scripts = " and ".join(f"{one}.py" for one in sorted(_commands(file)))
        raise CommandLineError(f"{group}={choice} is for {scripts}, not for {name}.py.")
    hint = f" {called_as(name)} --help {group} describes each in one line."
    if group == "lang":
        if meant := language_meant(choice):
            raise CommandLineError(f'lang "{choice}" is unknown. Did you mean {meant}? Known: {", ".join(known)}.')
        hint += " Of your own files (data=, suite=own, made_from.…=) any code will do."
    if group in _OF_HUB and re.search(r"[-/]", choice):
        hint += f" A model of the hub, or its folder: {group}={_OF_HUB[group]} {group}.model={choice}"
    raise CommandLineError(f"{UnknownChoice(group, choice, known)}{hint}")


def language_meant(typed: str, is_near: bool = True) -> str:
    """Returns the choice that the name of a language, or a code in capitals, stands for: "lang=fi (Finnish)".

    Args:
        is_near: names that are only near count, too.
    """
    languages = {code: str(choice_settings("lang", code).get("name")) for code in choice_files("lang")}
    by_name = {name.lower(): code for code, name in languages.items()}
    lower = typed.lower()
    near = [lower] if lower in by_name else near_names(lower, by_name) if is_near else []
    codes = [lower] if lower in languages else [by_name[one] for one in near]
    return " or ".join(f"lang={code} ({languages[code]})" for code in codes)


def _check_keys(overrides: Sequence[Any], name: str, config: Any) -> None:
    from omegaconf import OmegaConf

    chosen = config.hydra.runtime.choices
    known = _keys({key: one for key, one in OmegaConf.to_container(config).items() if key != "hydra"}, "")
    for one in overrides:
        key = one.key_or_group
        if not (one.is_add() or key in known or is_group(key) or key.startswith("hydra") or key.endswith("_")):
            raise CommandLineError(f'key "{key}" is unknown. {_hint(key, chosen, known, name)}')


def _hint(key: str, chosen: Any, known: set[str], name: str) -> str:
    group = key.partition(".")[0]
    choice = chosen.get(group) if "." in key else None
    if choice == "own" or key.startswith("data.corpora."):
        return f"Prefix keys of your own with +: '+{key}=…'."
    others = [one for one in choices(group, name) if choice and key in _keys(choice_settings(group, one), f"{group}.")]
    if others:
        named = ", ".join(f"{group}={one}" for one in others)
        return f"It is an option of {named}, not of {group}={choice}."
    listed = f"{group}={choice}" if choice else "keys"
    to_type = {one for one in known if one.partition(".")[0] not in _NOT_TYPED and not one.endswith("_")}
    to_type |= {group for group in groups(name) if not group.startswith("task_")}
    to_type |= {"columns"} if name in ("train", "probe") else set()
    return f"{nearest_keys(key, to_type)} {called_as(name)} --help {listed} lists them."


def nearest_keys(key: str, known: set[str]) -> str:
    """Returns keys with a last part like that of `key`, and the neighbours that `key` would have.

    Of a key of a group those of the group; where none is like it, those of other groups that are much like it.
    """
    group, has_group, _ = key.partition(".")
    of_group = [one for one in known if (one.startswith(f"{group}.") if has_group else "." not in one)]
    same = [] if has_group else _with_near_leaf(key, known, 1)
    near = same or _with_near_leaf(key, of_group, 0.6) or _with_near_leaf(key, known, 0.75 if has_group else 0.6)
    parent = key.rpartition(".")[0]
    siblings = [one for one in known if one.rpartition(".")[0] == parent] or [one for one in known if "." not in one]
    hint = f"Did you mean {' or '.join(near)}? " if near else ""
    return f"{hint}Known: {', '.join(sorted(siblings))}."


def _with_near_leaf(key: str, known: Iterable[str], cutoff: float) -> list[str]:
    """Returns at most three keys with one of the two last parts that are most like that of `key`."""
    by_leaf: dict[str, list[str]] = {}
    for one in sorted(known, reverse=True):
        by_leaf.setdefault(one.rpartition(".")[2], []).append(one)
    leaf = key.rpartition(".")[2]
    close = difflib.get_close_matches(leaf, by_leaf, n=2, cutoff=max(cutoff, 0.85))
    close = close or difflib.get_close_matches(leaf, by_leaf, n=2, cutoff=cutoff)
    return [one for near in close for one in by_leaf[near]][:3]


def _keys(node: Any, prefix: str) -> set[str]:
    if not isinstance(node, dict):
        return set()
    keys = {f"{prefix}{key}" for key in node}
    return keys.union(*(_keys(value, f"{prefix}{key}.") for key, value in node.items()))


def groups(name: str) -> list[str]:
    """Returns the groups that a command chooses from, in its own file or in that of another group (task: model)."""
    folders = sorted(folder.name for folder in CONF.iterdir() if folder.is_dir())
    chosen, new = set(), _chosen_in(CONF / f"{name}.yaml") & set(folders)
    while new:
        chosen |= new
        files = [file for group in new for file in (CONF / group).glob("*.yaml")]
        named = set().union(*map(_chosen_in, files))
        new = {folder for folder in folders if f"/{folder}" in named} - chosen
    return [folder for folder in folders if folder in chosen]


def _chosen_in(path: Path) -> set[str]:
    """Returns the groups that a file chooses from, as in its list of defaults."""
    return {key for entry in defaults_of(path) if isinstance(entry, dict) for key in entry}


def choices(group: str, name: str) -> list[str]:
    """Names the files of a group; one that says how it is typed (`python train.py …`) is for that command alone."""
    commands = {choice: _commands(file) for choice, file in choice_files(group).items()}
    return [choice for choice, of_choice in commands.items() if not of_choice or name in of_choice]


def _commands(file: Path) -> set[str]:
    """Returns the commands that a file is typed for: with its own name, where it says how, else all that it names."""
    text = file.read_text(encoding="utf-8", errors="replace")
    typed = re.findall(r"python (\w+)\.py(?: (?:-m )?([\w=-]+))?", text)
    own = [command for command, first in typed if first == f"{file.parent.name}={file.stem}"]
    return set(own or [command for command, _ in typed])
