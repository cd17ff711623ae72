"""Why a command line cannot be composed: the key or choice that is unknown, with the nearest ones."""

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from yaml import YAMLError

from polyprobe.errors import BadValue, MissingExtra, UnknownChoice, briefly, near_names
from polyprobe.runs.command.overrides import REPLACED, REPLACED_JOBS, CommandLineError, parsed
from polyprobe.runs.names.conf_folders import CONF, LAUNCHERS, choice_files, choice_settings, is_group, languages
from polyprobe.runs.names.typed_command import called_as

_OF_HUB = {"encoder": "transformer", "predictor": "causal"}
_OF_CLUSTER = ("joblib", "submitit_local", "submitit_slurm")
_OTHER_NUMBER = {("job", "run"): ("runs", "'runs=[RUN,RUN]'"), ("job", "runs"): ("run", "run=RUN")}
_GENERATED = ("clams", "linspector_token", "linspector_type", "own", "pseudowords", "sentences")
_NOT_TYPED = ("model_class", "monitor", "paper_corpus", "studies", "trained_by")  # files of choices set these


def explained(error: Exception, name: str, overrides: Sequence[str], config: Any) -> CommandLineError:
    """Returns what is wrong with overrides that cannot be composed.

    Args:
        error: of Hydra, OmegaConf or YAML.
        name: of the command.
        config: composed of the choices among the overrides alone; None where these do not fit each other.
    """
    from hydra.errors import MissingConfigException

    try:
        read = parsed(overrides)
        for override in read:
            _check_override(override, name)
        if config is not None:
            _check_keys(read, name, config)
    except CommandLineError as found:
        return found
    if isinstance(error, MissingConfigException) and (group := (error.missing_cfg_file or "").rpartition("/"))[2]:
        if not group[0]:
            expected = "Expected it in the folder that --config-dir names"
            return CommandLineError(f"--config-name={name}: there is no {name}.yaml. {expected}.")
        if error.options:
            return CommandLineError(UnknownChoice(group[0], group[2], error.options))
    reason = "" if error.__cause__ is None else f" {str(error.__cause__).splitlines()[0]}."
    of_file = isinstance(error, YAMLError | UnicodeDecodeError)
    found = "A file of choices cannot be read" if of_file else f"Invalid command line of {name}.py"
    return CommandLineError(f"{found}: {briefly(error, 1000)}{reason}")


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
        for one in value if isinstance(value, list) else [value]:
            check_group_choice(key, one, name)


def check_group_choice(group: str, choice: object, name: str) -> None:
    """Checks that a group has a choice, and that it is for this command."""
    known = choices(group, name)
    if choice in known or choice is None:
        return
    if not isinstance(choice, str):
        raise CommandLineError(BadValue(group, choice, f"one of {', '.join(known)}"))
    _check_command(choice, group, name)
    hint = f" {called_as(name)} --help {group} describes each in one line."
    if group == "lang" and (meant := language_meant(choice)):
        raise CommandLineError(f'lang "{choice}" is unknown. Did you mean {meant}?{hint}')
    if group == "lang":
        hint += " Of your own files (data=, suite=own, made_from.…=) any code will do."
    if group in _OF_HUB and re.search(r"[-/]", choice):
        hint += f" A model of the hub, or its folder: {group}={_OF_HUB[group]} {group}.model={choice}"
    raise CommandLineError(f"{UnknownChoice(group, choice, known)}{hint}")


def check_commands(overrides: Sequence[str], name: str) -> None:
    """Checks that the choices that are typed are for this command; those of another may compose.

    Raises:
        CommandLineError: one is not.
    """
    for one in parsed([one for one in overrides if is_group(one.lstrip("+").partition("=")[0])]):
        for choice in one.value() if isinstance(one.value(), list) else [one.value()]:
            _check_command(choice, one.key_or_group, name)


def _check_command(choice: Any, group: str, name: str) -> None:
    file = choice_files(group).get(choice)
    commands = _commands(file) if file else set()
    if commands and name not in commands:
        scripts = " and ".join(f"{one}.py" for one in sorted(commands))
        raise CommandLineError(f"{group}={choice} is for {scripts}, not for {name}.py.")


def language_meant(typed: str) -> str | None:
    """Returns the choice that the name of a language, or a code in capitals, stands for: "lang=fi (Finnish)"."""
    rows = languages()
    settings = {code: rows.get(code) or choice_settings("lang", code) for code in choice_files("lang")}
    names = {code: str(one.get("name")) for code, one in settings.items()}
    codes = {**{name.lower(): code for code, name in names.items()}, **{code: code for code in names}}
    near = [one for one in near_names(typed.lower(), codes) if one == typed.lower() or len(one) > 3]
    return f"lang={codes[near[0]]} ({names[codes[near[0]]]})" if near else None


def _check_keys(overrides: Sequence[Any], name: str, config: Any) -> None:
    from omegaconf import OmegaConf

    chosen = config.hydra.runtime.choices
    known = _keys({key: one for key, one in OmegaConf.to_container(config).items() if key != "hydra"}, "")
    for one in overrides:
        key = one.key_or_group
        if not (one.is_add() or key in known or is_group(key) or key.startswith("hydra")):
            group = "job" if name == "analyze" and "." not in key else key.partition(".")[0]
            raise CommandLineError(f'key "{key}" is unknown. {_hint(key, group, chosen.get(group), known, name)}')


def _hint(key: str, group: str, choice: str | None, known: Collection[str], name: str) -> str:
    if name == "analyze" and key in REPLACED_JOBS:
        return f"Now: {called_as(name)} {REPLACED_JOBS[key]}."
    if (group, key) in _OTHER_NUMBER and _OTHER_NUMBER[group, key][0] in known:
        return f"Expected {_OTHER_NUMBER[group, key][1]}."
    if choice == "own" or key.startswith("data.corpora."):
        return f"Prefix keys of your own with +: '+{key}=…'."
    prefix = "" if group == "job" else f"{group}."  # keys of a job stand alone
    others = [one for one in choices(group, name) if key in _keys(choice_settings(group, one), prefix)]
    if choice and others:
        named = ", ".join(f"{group}={one}" for one in others)
        return f"It is an option of {named}, not of {group}={choice}."
    typed = {one for one in known if one.partition(".")[0] not in _NOT_TYPED and not one.endswith("_")}
    pool = {one for one in typed if one.startswith(f"{group}.")} if "." in key else {*typed, *groups(), "columns"}
    leaves: dict[str, list[str]] = {}
    for one in sorted(pool, key=lambda one: (one.count("."), one)):
        leaves.setdefault(one.rpartition(".")[2], []).append(one)
    near = [one for leaf in near_names(key.rpartition(".")[2], leaves) for one in leaves[leaf]][:3]
    near = near if pool else near_names(group, groups())
    meant = f"Did you mean {' or '.join(near)}? " if near else ""
    if group in ("trainer", "callbacks"):
        meant += f"Further ones of Lightning begin with +: +{key}=…. "
    return f"{meant}{called_as(name)} --help {f'{group}={choice}' if choice else 'keys'} lists them."


def _keys(node: Any, prefix: str) -> set[str]:
    if not isinstance(node, Mapping):
        return set()
    keys = {f"{prefix}{key}" for key in node}
    return keys.union(*(_keys(value, f"{prefix}{key}.") for key, value in node.items()))


def groups() -> list[str]:
    """Returns the groups that are typed."""
    return sorted(one.name for one in CONF.iterdir() if is_group(one.name))


def choices(group: str, name: str) -> list[str]:
    """Names the files of a group; one that says how it is typed (`python train.py …`) is for that command alone."""
    commands = {choice: _commands(file) for choice, file in choice_files(group).items()}
    return [choice for choice, of_choice in commands.items() if not of_choice or name in of_choice]


def _commands(file: Path) -> set[str]:
    """Returns the commands that a file is typed for: with its own name, where it says how, else all that it names.

    Suites that cannot be generated are for the others.
    """
    if file.parent == CONF / "suite" and file.stem not in _GENERATED:
        return {"probe", "train"}
    text = file.read_text(encoding="utf-8", errors="replace")
    typed = re.findall(r"python (\w+)\.py(?: (?:-m )?([\w=-]+))?", text)
    own = [command for command, first in typed if first == f"{file.parent.name}={file.stem}"]
    return set(own or [command for command, _ in typed])
