"""What the scripts share: help without delay, checks before any work, errors as one paragraph, exit codes."""

import difflib
import functools
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from src.formats.errors import PolyprobeError, UnknownChoice

CONF = Path(__file__).resolve().parents[2] / "conf"
BAD_COMMAND_LINE, FAILED = 2, 1


def command(name: str) -> Callable[[Callable[[dict[str, Any]], None]], Callable[[], None]]:
    """Makes a script of a function that takes the composed, resolved configuration of `conf/<name>.yaml`, plain.

    Under `choices` the configuration says which file of each group was chosen.

    The script answers `--help` from the files of conf/ alone, names the nearest choice on a misspelling (exit code 2),
    prints a `PolyprobeError` as one paragraph (exit code 1), and ends with 130 on SIGINT and 143 on SIGTERM.
    """

    def decorate(main: Callable[[Any], None]) -> Callable[[], None]:
        @functools.wraps(main)
        def script() -> None:
            if {"--help", "-h"} & set(sys.argv[1:]):
                print(help_text(name))
                return
            signal.signal(signal.SIGTERM, _end_on_sigterm)
            try:
                check_overrides(name, _overrides(sys.argv[1:]))
                _run(name, main)
            except PolyprobeError as error:
                sys.exit(_report(error, FAILED))
            except CommandLineError as error:
                sys.exit(_report(error, BAD_COMMAND_LINE))
            except KeyboardInterrupt:
                sys.exit(_report("Interrupted. The same command goes on from the last finished epoch or stage.", 130))

        return script

    return decorate


class CommandLineError(Exception):
    """What was typed names no key or no choice of the configuration."""


def help_text(name: str) -> str:
    """Gives the main configuration file, whose comments explain every key, and the choices of every group."""
    groups = [f"  {group}={{{','.join(_choices(group, name))}}}" for group in _groups(name)]
    return "\n".join(
        [
            f"Usage: python {name}.py [key=value | group=choice ...]   (sweeps: -m key=a,b)",
            "",
            *(["Choices:", *groups] if groups else ["It has keys alone."]),
            "",
            f"Keys (conf/{name}.yaml):",
            "",
            (CONF / f"{name}.yaml").read_text(encoding="utf-8"),
        ]
    )


def check_overrides(name: str, overrides: list[str]) -> None:
    """Checks every override of a command line before anything heavy is imported.

    Raises:
        CommandLineError: a key or a choice is unknown; names the nearest.
    """
    from hydra import compose, initialize_config_dir
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    parsed = [_parsed(OverridesParser.create(), override) for override in overrides]
    for override in parsed:
        if (CONF / override.key_or_group).is_dir() and isinstance(override.value(), str):
            _check_choice(override.key_or_group, override.value(), name)
    if any(override.is_sweep_override() for override in parsed):
        return
    with initialize_config_dir(str(CONF), version_base="1.3"):
        try:
            compose(name, overrides)
        except (HydraException, OmegaConfBaseException) as error:
            chosen = [one for one, it in zip(overrides, parsed, strict=True) if (CONF / it.key_or_group).is_dir()]
            with suppress(HydraException, OmegaConfBaseException):  # else the choices themselves do not fit the command
                _check_keys(compose(name, chosen), parsed)
            raise CommandLineError(f"{name}.py cannot be run so: {' '.join(str(error).split())}") from error


def _parsed(parser: Any, override: str) -> Any:
    from hydra.errors import HydraException

    try:
        return parser.parse_override(override)
    except HydraException as error:
        reason = str(error).splitlines()[0]
        raise CommandLineError(f'"{override}" cannot be read as key=value ({reason}).') from error


def _check_choice(group: str, choice: str, name: str) -> None:
    known = _choices(group, name)
    if choice not in known and choice != "null":
        raise CommandLineError(UnknownChoice(group, choice, known))


def _check_keys(config: Any, parsed: list[Any]) -> None:
    from omegaconf import OmegaConf

    known = _keys(OmegaConf.to_container(config), "")
    for override in parsed:
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


def _overrides(arguments: list[str]) -> list[str]:
    return [one for one in arguments if not one.startswith("-") and not one.startswith("hydra")]


def _run(name: str, main: Callable[[Any], None]) -> None:
    import hydra
    from hydra.core.hydra_config import HydraConfig
    from omegaconf import OmegaConf

    @hydra.main(version_base="1.3", config_path=str(CONF), config_name=name)
    def job(config: Any) -> None:
        choices = {group: choice for group, choice in HydraConfig.get().runtime.choices.items() if "hydra" not in group}
        try:
            _check_missing(config)
            main({**OmegaConf.to_container(config, resolve=True), "choices": choices})
        except Exception as error:  # Here, since Hydra would print a traceback and end the process.
            told = _polyprobe_error(error)
            if told is None:
                raise
            sys.exit(_report(told, FAILED))

    job()


def _polyprobe_error(error: BaseException | None) -> PolyprobeError | None:
    """Finds what a user can mend among the causes: our own errors, which Hydra wraps, and files that cannot be used."""
    while error is not None and not isinstance(error, PolyprobeError):
        if isinstance(error, OSError) and error.filename:
            return PolyprobeError(f"{error.filename}: {error.strerror}. Check paths.work and paths.data.")
        error = error.__cause__
    return error


def _check_missing(config: Any) -> None:
    from omegaconf import OmegaConf

    missing = sorted(OmegaConf.missing_keys(config))
    if missing:
        raise PolyprobeError(f"{', '.join(missing)} must be given, for example {missing[0]}=…")


def _groups(name: str) -> list[str]:
    """Names the groups that a command chooses from, in its own file or in a file of another group (task: model)."""
    text = (CONF / f"{name}.yaml").read_text(encoding="utf-8")
    folders = sorted(folder for folder in CONF.iterdir() if folder.is_dir())
    direct = [folder.name for folder in folders if f"- {folder.name}:" in text]
    text += "".join(
        file.read_text(encoding="utf-8") for group in direct for file in sorted((CONF / group).glob("*.yaml"))
    )
    return [folder.name for folder in folders if folder.name in direct or f"- /{folder.name}:" in text]


def _choices(group: str, name: str) -> list[str]:
    """Names the files of a group; of experiments those that say how this command is to be typed."""
    files = sorted((CONF / group).glob("*.yaml"))
    if group == "experiment":
        files = [file for file in files if f"python {name}.py" in file.read_text(encoding="utf-8")]
    return [file.stem for file in files]


def _report(message: object, code: int) -> int:
    print(f"\n{message}", file=sys.stderr)
    return code


def _end_on_sigterm(number: int, frame: object) -> None:
    sys.exit(_report("Ended by SIGTERM. The same command goes on from the last finished epoch or stage.", 128 + number))
