"""The configuration of a command, composed by Hydra and resolved; Hydra's own state is as before afterwards."""

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from typing import Any

from polyprobe.errors import BadValue, PolyprobeError, briefly
from polyprobe.runs.command.overrides import CommandLineError, literal, parsed, typed_value
from polyprobe.runs.command.own_choices import add_language, search_own_folder
from polyprobe.runs.command.unknown_names import explained, language_meant
from polyprobe.runs.names.conf_folders import CONF, choice_files, is_group
from polyprobe.runs.workspace import RUNS

_COMPOSING = RLock()  # Hydra has one state for all threads
_LANGUAGE = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,34}")  # codes such as fi, xyz and zh-Hant-TW
_OWN_SUITES = ("own", "pairs", "table")


def compose(command: str, overrides: Sequence[str] = (), values: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Composes the configuration of a command: resolved, plain values, with the choice of each group under `choices`.

    Args:
        overrides: as typed, "encoder=transformer".
        values: by keys. Those of groups choose; all others are set as they are, no text of them is parsed.

    Raises:
        CommandLineError: a key or a choice is unknown, or an override cannot be read.
        PolyprobeError: a value that must be given is not.
    """
    from hydra.core.hydra_config import HydraConfig

    texts, options = _with_own_data(command, overrides, values or {})
    if flags := [one for one in texts if one.startswith(("-", "hydra"))]:
        raise CommandLineError(f"{flags[0]} is only for the command line. Expected key=value.")
    chosen = [f"{key}={typed_value(value)}" for key, value in options.items() if is_group(key)]
    others = {key: value for key, value in options.items() if not is_group(key)}
    with composing(), _languages_as_before():
        config = composed(command, [*chosen, *texts])
        HydraConfig.instance().set_config(config)  # for ${hydra:…} in own files
        for key, value in others.items():
            _set(config, key, value, command)
        check_one_run(config.hydra, [*chosen, *texts, *others])
        return plain(config, config.hydra.runtime.choices)


def _with_own_data(command: str, overrides: Sequence[str], values: Mapping[str, Any]) -> tuple[list[str], dict]:
    """Replaces `data` and `columns` by the keys for which they stand, and adds the language of own data."""
    from polyprobe.runs.command.own_data import with_own_data  # numpy is slow to import

    texts = {key: f"{key}={typed_value(value)}" for key, value in values.items()}
    typed = [*texts.values(), *overrides]
    written = with_own_language(command, with_own_data(command, typed))
    added = [one for one in written if one not in typed]
    left = {key: value for key, value in values.items() if texts[key] in written}
    return [*added, *(one for one in overrides if one in written)], left


def _set(config: Any, key: str, value: Any, command: str) -> None:
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    name = key.lstrip("+")
    try:
        OmegaConf.update(config, name, _plain_value(value), merge=True, force_add=name != key)
    except OmegaConfBaseException as error:
        raise explained(error, command, [f"{key}=null"], config) from error


def _plain_value(value: Any) -> Any:
    """Returns a value of Python as OmegaConf takes it, with no interpolation in a text."""
    if isinstance(value, Mapping):
        return {str(key): _plain_value(one) for key, one in value.items()}
    if isinstance(value, str | Path):
        return literal(str(value))
    if isinstance(value, Iterable):
        return [_plain_value(one) for one in value]
    return value.item() if hasattr(value, "item") else value  # of numpy


@contextmanager
def composing() -> Iterator[None]:
    """Makes Hydra ready to compose from conf/ and from the own folder, also inside a command that it has composed."""
    from hydra import initialize_config_dir
    from hydra.core.global_hydra import GlobalHydra
    from hydra.core.hydra_config import HydraConfig
    from hydra.version import VersionBase

    with _COMPOSING:
        search_own_folder()
        before = {one: dict(vars(one.instance())) for one in (GlobalHydra, HydraConfig, VersionBase)}
        GlobalHydra.instance().clear()
        try:
            with initialize_config_dir(str(CONF), **hydra_defaults()):
                yield
        finally:
            for one, attributes in before.items():
                vars(one.instance()).update(attributes)


@contextmanager
def _languages_as_before() -> Iterator[None]:
    """Takes languages without a file out of Hydra's store again, which the caller's own program may use."""
    from hydra.core.config_store import ConfigStore

    store = ConfigStore.instance().repo
    before = dict(store["lang"]) if "lang" in store else None
    try:
        yield
    finally:
        store.pop("lang", None)
        if before is not None:
            store["lang"] = before


def hydra_defaults() -> dict[str, str]:
    """Returns the argument that says which defaults Hydra has: 1.4 has those of 1.3, and warns of the argument."""
    import hydra

    return {"version_base": "1.3"} if hydra.__version__.startswith("1.3.") else {}


def composed(name: str, overrides: Sequence[str], hydra: Sequence[str] = ()) -> Any:
    """Composes the configuration of one job, Hydra's own section included. Call it inside `composing`.

    Args:
        hydra: Hydra's own settings, as typed.

    Raises:
        CommandLineError: a key or a choice is unknown, with the nearest names; or a file of choices is not YAML.
    """
    import hydra as package
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException
    from yaml import YAMLError

    add_languages(overrides)
    try:
        return package.compose(name, [*overrides, *hydra], return_hydra_config=True)
    except (HydraException, OmegaConfBaseException, YAMLError, UnicodeDecodeError) as error:
        chosen = [one for one in overrides if is_group(one.lstrip("+").partition("=")[0])]
        config = None
        with suppress(Exception):  # the choices themselves do not fit each other
            config = package.compose(name, chosen, return_hydra_config=True)
        raise explained(error, name, [*overrides, *hydra], config) from error


def add_languages(overrides: Sequence[str]) -> None:
    """Adds choices for languages without a file, if only own tests, corpora or lexica are requested.

    Raises:
        CommandLineError: an override cannot be read.
    """
    if not any("lang=" in one for one in overrides):
        return
    read = parsed(overrides)
    is_own = any(
        one.key_or_group.startswith(("data.corpora", "made_from."))
        or (one.key_or_group == "suite" and one.value() in _OWN_SUITES)
        for one in read
    )
    codes = [one.value() for one in read if one.key_or_group == "lang" and is_own]
    for code in codes:
        if isinstance(code, str) and _LANGUAGE.fullmatch(code) and not language_meant(code, is_near=False):
            add_language(code)


def with_own_language(name: str, arguments: Sequence[str]) -> list[str]:
    """Adds `lang=und` where your own tests are requested, or made of your own files, and no language is named."""
    keys = {one.partition("=")[0] for one in arguments}
    is_named = {"lang", "experiment", "+experiment"} & keys or name not in ("probe", "generate")
    is_own = any(f"suite={one}" in arguments for one in _OWN_SUITES)
    is_own |= name == "generate" and any(key.startswith("made_from.") for key in keys)
    return [*arguments, "lang=und"] if is_own and not is_named else [*arguments]


def check_one_run(settings: Any, overrides: Iterable[str]) -> None:
    """Checks that all that an experiment sweeps over (`hydra.sweeper.params`) is typed: its own values are for `-m`.

    Raises:
        CommandLineError: something of it is not.
    """
    typed = {one.partition("=")[0].lstrip("+~") for one in overrides}
    if left := [key for key in settings.sweeper.get("params") or {} if key not in typed]:
        keys = " ".join(f"{key}=…" for key in left)
        raise CommandLineError(f"This experiment is a table of several runs. Add -m for all of them, or choose {keys}")


def jobs_of(overrides: Sequence[str]) -> list[tuple[str, ...]]:
    """Returns the overrides of each job of a sweep, as Hydra's own sweeper: all combinations, in order.

    Call it inside `composing`.

    Raises:
        CommandLineError: an override cannot be read.
    """
    values: dict[str, list[str]] = {}
    for one in parsed(overrides):
        if one.is_sweep_override() and not one.is_discrete_sweep():
            raise CommandLineError(f"{one.input_line}: an interval cannot be swept by Hydra's basic sweeper.")
        swept = one.sweep_string_iterator() if one.is_sweep_override() else [one.get_value_element_as_str()]
        key = one.get_key_element()
        values[key] = [f"{key}={value}" for value in swept]
    return list(itertools.product(*values.values()))


def swept_by_experiment(name: str, overrides: Sequence[str]) -> list[str]:
    """Returns over what an experiment sweeps (`hydra.sweeper.params`) that is not typed. Call it inside `composing`.

    Of several experiments, over which a sweep goes itself, nothing.
    """
    read = parsed(overrides)
    chosen = [one for one in read if one.key_or_group == "experiment"]
    if len(chosen) != 1 or chosen[0].is_sweep_override():
        return []
    params = composed(name, [chosen[0].input_line]).hydra.sweeper.get("params") or {}
    typed = {one.key_or_group for one in read}
    return [f"{key}={values}" for key, values in params.items() if key not in typed]


def plain(config: Any, choices: Mapping[str, str]) -> dict[str, Any]:
    """Returns a composed configuration resolved, as plain values, with the choice of each group under `choices`.

    Hydra's own section is left out.

    Raises:
        PolyprobeError: a value that must be given is not; or a file of choices has one of another type.
    """
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    chosen = {group: choice for group, choice in choices.items() if "hydra" not in group}
    settings = OmegaConf.masked_copy(config, [key for key in config if key != "hydra"])
    try:
        missing = sorted(OmegaConf.missing_keys(settings))
        resolved = OmegaConf.to_container(settings, resolve=True)
    except OmegaConfBaseException as error:
        raise PolyprobeError(f"A file of choices has a value that cannot be found: {briefly(error)}.") from error
    if missing:
        raise PolyprobeError(f"{', '.join(missing)} must be given{_comment_on(missing[0], chosen)}.")
    _check_own_files(resolved)
    for group in ("encoder", "predictor"):
        _name_folder_of_run(resolved, group)
    encoder = resolved.get("encoder") or {}
    if "folders" in encoder and encoder["folders"] is None and encoder["model"] is None:  # known before torch is there
        raise PolyprobeError("encoder.model must be given: a folder, or a name on the model hub (or encoder.folders).")
    return {**resolved, "choices": chosen}


def _check_own_files(config: Mapping[str, Any]) -> None:
    """Checks what composes, but not as the user's file means it."""
    for key, value in config.items():
        if is_group(key) and isinstance(value, str):
            expected = f"its keys, or in the list of defaults: - override /{key}: {value}"
            raise CommandLineError(f'A file of choices says "{key}: {value}". Expected {expected}.')
    for key in ("code", "name"):
        if isinstance(lang := config.get("lang"), Mapping) and not isinstance(found := lang.get(key), str):
            expected = 'text, such as "xx" (in quotes where YAML reads another thing, as in no)'
            raise CommandLineError(BadValue(f"lang.{key}", found, expected))


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
    file = choice_files(group).get(chosen.get(group, ""))
    found = file and re.search(rf"^{last}: \?\?\? *# (.*)", file.read_text(encoding="utf-8"), re.MULTILINE)
    return f": {found[1]}" if found else ""
