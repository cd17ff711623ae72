"""What is typed after a command, checked before anything heavy is imported: keys, choices, their nearest names."""

import difflib
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from src.formats.errors import BadValue, UnknownChoice

CONF = Path(__file__).resolve().parents[2] / "conf"
SWEEP_FLAGS = frozenset({"-m", "--multirun", "hydra.mode=MULTIRUN"})


class CommandLineError(Exception):
    """What was typed names no key or no choice of the configuration."""


def overrides_of(arguments: list[str]) -> list[str]:
    """Gives what is typed of the form key=value, without Hydra's own settings."""
    return [one for one in arguments if not one.startswith("-") and not one.startswith("hydra")]


def check_overrides(name: str, overrides: list[str]) -> None:
    """Checks every override of a command line before anything heavy is imported.

    Raises:
        CommandLineError: a key or a choice is unknown, names the nearest; or a key has several values.
    """
    from hydra import initialize_config_dir

    with initialize_config_dir(str(CONF), version_base="1.3"):
        for override in parsed(overrides):
            if override.is_sweep_override():
                raise CommandLineError(f'"{override.input_line}" gives several values: a sweep of jobs. Add -m.')
        composed(name, overrides)


def jobs_of(overrides: list[str]) -> list[tuple[str, ...]]:
    """Gives what each job of a sweep is started with, as Hydra's own sweeper has it: all combinations, in order.

    Call it inside `initialize_config_dir`.

    Raises:
        CommandLineError: an override cannot be read.
    """
    from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
    from hydra.errors import HydraException

    try:
        (jobs,) = BasicSweeper.split_arguments(parsed(overrides), None)
    except HydraException as error:
        raise CommandLineError(f"This sweep cannot be made: {error}") from error
    return [tuple(job) for job in jobs]


def composed(name: str, overrides: Sequence[str], hydra: Sequence[str] = ()) -> Any:
    """Composes the configuration of one job, Hydra's own section included. Call it inside `initialize_config_dir`.

    Raises:
        CommandLineError: a key or a choice is unknown; names the nearest.
    """
    from hydra import compose
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    read = parsed(overrides)
    for override in read:
        if (CONF / override.key_or_group).is_dir() and not override.is_delete():
            _check_choice(override.key_or_group, override.value(), name)
    try:
        return compose(name, [*overrides, *hydra], return_hydra_config=True)
    except (HydraException, OmegaConfBaseException) as error:
        chosen = [one for one, it in zip(overrides, read, strict=True) if (CONF / it.key_or_group).is_dir()]
        with suppress(HydraException, OmegaConfBaseException):  # else the choices themselves do not fit the command
            _check_keys(compose(name, chosen), read)
        raise CommandLineError(f"{name}.py cannot be run so: {' '.join(str(error).split())}") from error


def parsed(overrides: Sequence[str]) -> list[Any]:
    """Reads overrides by Hydra's grammar; `glob` finds choices inside `initialize_config_dir`.

    Raises:
        CommandLineError: one cannot be read.
    """
    from hydra.core.global_hydra import GlobalHydra
    from hydra.core.override_parser.overrides_parser import OverridesParser

    parser = OverridesParser.create()
    read = [_parsed(parser, override) for override in overrides]
    if GlobalHydra.instance().is_initialized():
        for override in read:
            override.config_loader = GlobalHydra.instance().config_loader()
    return read


def _parsed(parser: Any, override: str) -> Any:
    from hydra.errors import HydraException

    try:
        return parser.parse_override(override)
    except HydraException as error:
        reason = str(error).splitlines()[0]
        raise CommandLineError(f'"{override}" cannot be read as key=value ({reason}).{_about_quotes(override)}') from error


def _about_quotes(override: str) -> str:
    """Says what a shell does with a list that has blanks, where brackets are left open or have no key."""
    if all(override.count(opening) == override.count(closing) for opening, closing in ("[]", "{}", "()")):
        return ""
    key = override.partition("=")[0] if "=" in override else "tests"
    return f" A list with blanks must stand in quotes: '{key}=[first, second]'."


def _check_choice(group: str, choice: object, name: str) -> None:
    known = choices(group, name)
    if not isinstance(choice, str | list):  # Hydra would end with a traceback
        raise CommandLineError(BadValue(group, "null" if choice is None else choice, f"one of {', '.join(known)}"))
    if isinstance(choice, str) and choice not in known and choice != "null":
        raise CommandLineError(UnknownChoice(group, choice, known))


def _check_keys(config: Any, read: list[Any]) -> None:
    from omegaconf import OmegaConf

    known = _keys(OmegaConf.to_container(config), "")
    for override in read:
        key = override.key_or_group
        if not override.is_add() and key not in known and not (CONF / key).is_dir():
            raise CommandLineError(f'key "{key}" is unknown. {nearest_keys(key, known)}')


def nearest_keys(key: str, known: set[str]) -> str:
    """Names keys whose last part is like that of `key`, and those that stand beside where `key` would stand."""
    by_leaf = {}
    for one in sorted(known, reverse=True):
        by_leaf.setdefault(one.rpartition(".")[2], []).append(one)
    close = difflib.get_close_matches(key.rpartition(".")[2], by_leaf, n=2, cutoff=0.6)
    near = [
        one for leaf in close for one in sorted(by_leaf[leaf], key=lambda it: not it.startswith(key.split(".")[0]))
    ][:3]
    parent = key.rpartition(".")[0]
    siblings = sorted(one for one in known if one.rpartition(".")[0] == parent) or sorted(
        k for k in known if "." not in k
    )
    hint = f"Did you mean {' or '.join(near)}? " if near else ""
    return f"{hint}Known: {', '.join(siblings)}."


def _keys(node: Any, prefix: str) -> set[str]:
    if not isinstance(node, dict):
        return set()
    keys = {f"{prefix}{key}" for key in node}
    return keys.union(*(_keys(value, f"{prefix}{key}.") for key, value in node.items()))


def groups(name: str) -> list[str]:
    """Names the groups that a command chooses from, in its own file or in a file of another group (task: model)."""
    text = (CONF / f"{name}.yaml").read_text(encoding="utf-8")
    folders = sorted(folder for folder in CONF.iterdir() if folder.is_dir())
    direct = [folder.name for folder in folders if f"- {folder.name}:" in text]
    text += "".join(
        file.read_text(encoding="utf-8") for group in direct for file in sorted((CONF / group).glob("*.yaml"))
    )
    return [folder.name for folder in folders if folder.name in direct or f"- /{folder.name}:" in text]


def choices(group: str, name: str) -> list[str]:
    """Names the files of a group; one that says how it is typed (`python train.py …`) is for that command alone."""
    files = {file.stem: _commands(file.read_text(encoding="utf-8")) for file in sorted((CONF / group).glob("*.yaml"))}
    return [choice for choice, commands in files.items() if not commands or name in commands]


def _commands(text: str) -> set[str]:
    return set(re.findall(r"python (\w+)\.py", text))
