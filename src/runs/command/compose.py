"""The configuration of a command, composed by Hydra and resolved; Hydra's own state is as before afterwards."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from typing import Any

from polyprobe.errors import PolyprobeError, briefly
from polyprobe.runs.command.overrides import CommandLineError, escaped, parsed, typed_value
from polyprobe.runs.command.own_choices import add_language, search_own_folder
from polyprobe.runs.command.unknown_names import check_commands, explained
from polyprobe.runs.names.conf_folders import CONF, choice_files, is_group, languages
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

    texts, given = _with_own_data(command, overrides, values or {})
    if flags := [one for one in texts if one.startswith(("-", "hydra"))]:
        raise CommandLineError(f"{flags[0]} is only for the command line. Expected key=value.")
    texts = [*(f"{key}={typed_value(value)}" for key, value in given.items() if is_group(key)), *texts]
    others = {key: value for key, value in given.items() if not is_group(key)}
    with composing():
        add_languages(texts)
        config = composed(command, texts)
        HydraConfig.instance().set_config(config)  # for ${hydra:…} in own files
        _set(config, others, command)
        check_commands(texts, command)
        check_one_run(config.hydra, [*texts, *others])
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


def _set(config: Any, values: Mapping[str, Any], command: str) -> None:
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    for key, value in values.items():
        name = key.lstrip("+")
        try:
            OmegaConf.update(config, name, escaped(value), merge=True, force_add=name != key)
        except OmegaConfBaseException as error:
            raise explained(error, command, [f"{key}=null"], config) from error


def hydra_defaults() -> dict[str, str]:
    """Returns the argument that says which defaults Hydra has: 1.4 has those of 1.3, and warns of the argument."""
    import hydra

    return {"version_base": "1.3"} if hydra.__version__.startswith("1.3.") else {}


@contextmanager
def composing() -> Iterator[None]:
    """Makes Hydra ready to compose from conf/ and from the own folder; afterwards its state is the caller's again."""
    from hydra import initialize_config_dir
    from hydra.core.config_store import ConfigStore
    from hydra.core.global_hydra import GlobalHydra
    from hydra.core.hydra_config import HydraConfig
    from hydra.core.utils import JobRuntime
    from hydra.version import VersionBase

    with _COMPOSING:
        search_own_folder()
        singletons = [one.instance() for one in (GlobalHydra, HydraConfig, JobRuntime, VersionBase)]
        before = [dict(vars(one)) for one in singletons]
        JobRuntime.instance().conf = JobRuntime.instance().conf.copy()  # Hydra names its job in it
        stored = dict(ConfigStore.instance().repo)
        ConfigStore.instance().repo["lang"] = dict(stored.get("lang", {}))
        GlobalHydra.instance().clear()
        try:
            with initialize_config_dir(str(CONF), **hydra_defaults()):
                yield
        finally:
            GlobalHydra.set_instance(singletons[0])  # Hydra has put a copy in its place
            for one, attributes in zip(singletons, before, strict=True):
                vars(one).update(attributes)
            ConfigStore.instance().repo = stored


def composed(name: str, overrides: Sequence[str]) -> Any:
    """Composes the configuration of one job, Hydra's own section included. Call it inside `composing`.

    Raises:
        CommandLineError: a key or a choice is unknown, with the nearest names; or a file of choices is not YAML.
    """
    import hydra
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException
    from yaml import YAMLError

    try:
        return hydra.compose(name, list(overrides), return_hydra_config=True)
    except (HydraException, OmegaConfBaseException, YAMLError, ValueError) as error:
        chosen = [one for one in overrides if is_group(one.lstrip("+").partition("=")[0])]
        config = None
        with suppress(Exception):  # the choices themselves do not fit each other
            config = hydra.compose(name, chosen, return_hydra_config=True)
        raise explained(error, name, overrides, config) from error


def add_languages(overrides: Sequence[str]) -> None:
    """Adds choices for languages without a file, if only own tests, corpora or lexica are requested.

    Raises:
        CommandLineError: an override cannot be read.
    """
    typed = [one.partition("=")[::2] for one in overrides]
    is_own = any(
        key.lstrip("+").startswith(("data.corpora", "made_from.")) or (key == "suite" and value in _OWN_SUITES)
        for key, value in typed
    )
    known = {*choice_files("lang"), *(one["name"].lower() for one in languages().values())}
    for one in parsed([f"lang={value}" for key, value in typed if key == "lang"] if is_own else []):
        codes = one.sweep_string_iterator() if one.is_sweep_override() else [one.value()]
        for code in map(str, codes):
            if _LANGUAGE.fullmatch(code) and code.lower() not in known:
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
    group, _, last = key.partition(".") if "." in key else ("job", "", key)  # whose keys stand alone
    file = choice_files(group).get(chosen.get(group) or "")
    found = file and re.search(rf"^{last}: \?\?\? *# (.*)", file.read_text(encoding="utf-8"), re.MULTILINE)
    return f": {found[1]}" if found else ""
