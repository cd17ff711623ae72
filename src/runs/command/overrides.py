"""Checks the arguments of a command before anything heavy is imported: keys, choices, their nearest names."""

import difflib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from polyprobe.errors import BadValue, MissingExtra, PolyprobeError, UnknownChoice, briefly, near_names
from polyprobe.runs.names.conf_folders import (
    CONF,
    LAUNCHERS,
    OWN_CONF,
    choice_files,
    choice_settings,
    defaults_of,
    fault_of_choices,
    is_group,
    plugin_folders,
)
from polyprobe.runs.names.typed_command import called_as

SWEEP_FLAGS = frozenset({"-m", "--multirun", "hydra.mode=MULTIRUN"})

_PLAIN = re.compile(r"[\w./@?-]+", re.ASCII)  # text that the grammar of overrides takes as it is
_OTHERWISE = re.compile(r"[+-]?([._]*\d[\d._]*(e[+-]?\d[\d_]*)?|inf|nan)|true|false|null", re.ASCII | re.IGNORECASE)
_NEVER_REFUSED = re.compile(r"[\w\s./@?+:%*|-]*", re.ASCII)  # between commas
_LANGUAGE = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,34}")  # codes such as fi, xyz and zh-Hant-TW
_FLAGS_WITH_VALUE = {"--cfg": "--cfg", "-c": "--cfg", "--package": "--package", "-p": "--package"}
_OF_HUB = {"encoder": "transformer", "predictor": "causal"}
_OWN_SUITES = ("own", "pairs", "table")
MADE_SUITES = ("clams", "linspector_token", "linspector_type", "own", "pseudowords", "sentences")
_NOT_TYPED = ("model_class", "monitor", "paper_corpus", "studies", "trained_by")  # files of choices set these
_OF_CLUSTER = ("joblib", "submitit_local", "submitit_slurm")
_QUOTES = """Quote lists with blanks, and names with characters other than letters and digits: 'tests=["a=b",c]'."""
COMMANDS = ("train", "probe", "generate", "analyze")
OWN_FOLDER_KEYS = ("--config-dir", "-cd", "paths.conf", "+paths.conf", "++paths.conf")
_COMPARED = "python -m published.compare WORK sets published numbers beside those of your runs"
_MEASURES = ("linreg", "procrustes", "pwcca", "rbf_cka", "rbfcka", "rsa", "svcca")
REPLACED = {
    **dict.fromkeys(("card", "claims", "expected", "published"), _COMPARED),
    **dict.fromkeys(("data.upos_run", "task.datamodule.upos=predicted"), "parsers read gold tags or none"),
    **{f"of_similarity.measures={one}": "there are cka, lincka, maxcorr and mincorr" for one in _MEASURES},
    "cache.kept_words": "vectors of the words that tests ask for are kept",
    "clean": "a run is its folder below runs/, which can be deleted; so can cache/",
    "confirm": "long runs start without it",
    "disk": "du -sh runs/*/* cache/* shows the space",
    **{
        f"experiment=diagnosis_{one}": "experiment=diagnosis, whose --help has the four commands"
        for one in ("fi_token", "fi_type", "tr_token", "tr_type")
    },
    "experiment=clams_lstm_multi": "experiment=clams_lstm 'data.languages=[en,fr,de,ru,he]'",
    "experiment=eger2020_tfidf": "suite=eger2020 encoder=tfidf 'tests=[BShift,SubjNum,Voice,SVDist]'",
    "experiment=learned_dep": "task=dep task.datamodule.batch_sentences=128",
    "experiment=learned_ner": "task=ner",
    "experiment=learned_nli": "task=nli model=esim_small encoder.word_size=100",
    "experiment=learned_pos": "task=pos",
    "experiment=rusenteval_gapping_tfidf": "lang=ru suite=rusenteval encoder=tfidf 'tests=[Gapping]'",
    "experiment=senteval_figure3_nmt": "experiment=senteval_figure1 data.target=fr model.encoder.hidden_size=64,128",
    "experiment=senteval_table3_attention": "experiment=senteval_table3_nmt model=bilstm_last decoder=attention",
    "experiment=xprobe_tfidf": "suite=xprobe encoder=tfidf",
    "download": "a broken download begins anew, five times",
    "list=encoders": "--help encoder lists them",
    "model=biaffine_parser_allennlp": "model=biaffine_parser is the parser",
    "of_neurons.gaussian_neurons": "rankings are weights, probeless, mean_select, iou and random",
    "of_neurons.scale": "probe.scale=standard scales neurons before the probes are trained",
    "predict": "in the library, pp.open_run(run).predict(sentences) labels sentences",
    "predictor=ngram": "unigrams of the same text are the baseline of task=lm",
    "reader": "docs/corpora.md describes the readers",
    "score": "train.py counts as the official scorers do; files of other programs go to those themselves",
    "suite=lm_corpus": "task=lm reads a text of yours: data=<file>",
    "suite=syntaxgym": "the package of its authors, or its sentences by predictor=log_probabilities",
    "sweep": "-m key=a,b sweeps; in a file of conf/experiment it is hydra.sweeper.params",
    "verify": "a damaged file is found when it is read",
}
"""Keys and choices of earlier versions: what takes their place."""


class CommandLineError(PolyprobeError):
    """An argument names no key or no choice of the configuration; the scripts end with code 2."""


def without_own_folder(arguments: Sequence[str]) -> list[str]:
    """Removes the folder of own choices, `--config-dir FOLDER` or `paths.conf=FOLDER`, from the arguments.

    It is kept in the environment (`POLYPROBE_CONF`, which may also name it), for this process and those it starts.

    Returns:
        The other arguments.
    """
    kept, folder = [], os.environ.get(OWN_CONF) or None
    remaining = iter(arguments)
    for one in remaining:
        key, equals, value = one.partition("=")
        if key not in OWN_FOLDER_KEYS:
            kept.append(one)
            continue
        folder = value if equals else next(remaining, "")
    if folder is not None:
        os.environ[OWN_CONF] = str(_checked_folder(folder))
    return kept


def _checked_folder(typed: str) -> Path:
    folder = Path(os.path.abspath(Path(typed).expanduser()))
    if not typed or not folder.is_dir():
        raise CommandLineError(f"--config-dir: there is no folder {folder if typed else 'named'}.")
    if fault := fault_of_choices(folder, [CONF, *plugin_folders()]):
        raise CommandLineError(f"--config-dir: {fault}")
    return folder


def with_joined_flags(arguments: Sequence[str]) -> list[str]:
    """Writes Hydra's flags that take a value as one argument each: `--cfg job` is `--cfg=job`.

    The flag of a sweep comes first: Hydra's parser refuses what comes after one that stands between overrides.
    """
    joined, remaining = [], iter(arguments)
    for one in remaining:
        joined.append(f"{_FLAGS_WITH_VALUE[one]}={next(remaining, '')}" if one in _FLAGS_WITH_VALUE else one)
    return sorted(joined, key=lambda one: one not in SWEEP_FLAGS)


def with_quoted_texts(arguments: Sequence[str]) -> list[str]:
    """Quotes texts that Hydra's grammar refuses as they are, such as `/home/müller/w (new)`, and expands their `~`."""
    return [_with_quoted_text(one) for one in arguments]


def _with_quoted_text(typed: str) -> str:
    key, _, value = typed.partition("=")
    is_other = key.startswith("-") or "${" in value or value.startswith(("[", "{", "'", '"'))
    if is_other or _NEVER_REFUSED.fullmatch(value) or _is_read(typed):
        return typed
    return f"{key}={','.join(typed_value(os.path.expanduser(one)) for one in value.split(','))}"


def _is_read(override: str) -> bool:
    try:
        return bool(parsed([override]))
    except CommandLineError:
        return False


def overrides_of(arguments: list[str]) -> list[str]:
    """Returns the arguments of the form key=value, without Hydra's own settings."""
    return [one for one in arguments if not one.startswith("-") and not one.startswith("hydra")]


def of_hydra(arguments: list[str]) -> list[str]:
    """Returns the arguments that are Hydra's own settings: `hydra.verbose=true`."""
    return [one for one in arguments if one.startswith("hydra")]


def section_of(override: str) -> str:
    """Returns the section or group that an override is about: "probe" of "+probe.hidden_size=50"."""
    return override.split("=", 1)[0].lstrip("+~").split(".")[0].split("@")[0]


def refuse_idle(typed: Sequence[str], idle: Mapping[str, str], key: Callable[[str], str] = section_of) -> None:
    """Refuses what is typed and read by nothing of what is chosen, so that nobody takes a run for another one.

    Args:
        typed: as typed, "capitalise=true".
        idle: keys that have no effect; of each, how the sentence goes on that says so.
        key: finds the key of what is typed; else its section.

    Raises:
        PolyprobeError: something has no effect.
    """
    for one in typed:
        if (found := key(one)) in idle:
            raise PolyprobeError(f"{one} has no effect{idle[found]}")


def check_overrides(name: str, overrides: list[str], hydra: Sequence[str] = ()) -> Any:
    """Composes the configuration of a command line before anything heavy is imported.

    Args:
        hydra: Hydra's own settings.

    Returns:
        The composed configuration, Hydra's own section included.

    Raises:
        CommandLineError: an override names no key or choice, or cannot be read.
    """
    with composing():
        if several := [one for one in parsed(overrides) if one.is_sweep_override()]:
            key, typed = several[0].key_or_group, several[0].input_line
            as_list = "" if is_group(key) else f" A list as one value: {typed.replace('=', '=[', 1)}]."
            raise CommandLineError(f"{typed} asks for several runs: add -m.{as_list}")
        check_launcher(hydra)
        config = composed(name, overrides, hydra)
    check_one_run(config, overrides)
    return config


def check_one_run(config: Any, overrides: Iterable[str]) -> None:
    """Checks that all that an experiment sweeps over (`hydra.sweeper.params`) is typed: its own values are for `-m`.

    Raises:
        CommandLineError: something of it is not.
    """
    typed = {one.partition("=")[0].lstrip("+~") for one in overrides}
    if left := [key for key in config.hydra.sweeper.get("params") or {} if key not in typed]:
        keys = " ".join(f"{key}=…" for key in left)
        raise CommandLineError(f"This experiment is a table of several runs. Add -m for all of them, or choose {keys}")


def check_launcher(hydra: Iterable[str]) -> None:
    """Checks the launcher that Hydra's own settings name, if they do. Call it inside `composing`.

    Raises:
        CommandLineError: there is no such launcher, or an extra brings it.
    """
    from hydra.core.global_hydra import GlobalHydra

    named = [one.partition("=")[2] for one in hydra if one.startswith(f"{LAUNCHERS}=")]
    known = GlobalHydra.instance().config_loader().get_group_options(LAUNCHERS) if named else []
    for one in named:
        if one not in known:
            missing = MissingExtra(f"{LAUNCHERS}={one}", "cluster")
            raise CommandLineError(missing if one in _OF_CLUSTER else UnknownChoice(LAUNCHERS, one, known))


def swept_by_experiment(name: str, overrides: Sequence[str]) -> list[str]:
    """Returns over what an experiment sweeps (`hydra.sweeper.params`) that is not typed. Call it inside `composing`.

    Of several experiments, over which a sweep goes itself, nothing.
    """
    chosen = [one for one in parsed(overrides) if one.key_or_group == "experiment"]
    if len(chosen) != 1 or chosen[0].is_sweep_override():
        return []
    params = composed(name, [chosen[0].input_line]).hydra.sweeper.get("params") or {}
    typed = {one.key_or_group for one in parsed(overrides)}
    return [f"{key}={values}" for key, values in params.items() if key not in typed]


def hydra_defaults() -> dict[str, str]:
    """Returns the argument that says which defaults Hydra has: 1.4 has those of 1.3, and warns of the argument."""
    import hydra

    return {"version_base": "1.3"} if hydra.__version__.startswith("1.3.") else {}


@contextmanager
def composing() -> Iterator[None]:
    """Makes Hydra ready to compose from conf/ and from the own folder, inside of a composed command, too."""
    from hydra import initialize_config_dir
    from hydra.core.global_hydra import GlobalHydra
    from hydra.version import VersionBase

    from polyprobe.runs.command.own_choices import search_own_folder

    search_own_folder()
    of_command, version = GlobalHydra.instance().hydra, VersionBase.instance()
    base = version.getbase()
    GlobalHydra.instance().clear()
    try:
        with initialize_config_dir(str(CONF), **hydra_defaults()):
            yield
    finally:
        GlobalHydra.instance().hydra = of_command
        version.version_base = base


def jobs_of(overrides: list[str]) -> list[tuple[str, ...]]:
    """Returns the overrides of each job of a sweep, as Hydra's own sweeper: all combinations, in order.

    Call it inside `composing`.

    Raises:
        CommandLineError: an override cannot be read.
    """
    from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
    from hydra.errors import HydraException

    try:
        (jobs,) = BasicSweeper.split_arguments(parsed(overrides), None)
    except HydraException as error:
        raise CommandLineError(f"Invalid sweep: {error}") from error
    return [tuple(job) for job in jobs]


def composed(name: str, overrides: Sequence[str], hydra: Sequence[str] = ()) -> Any:
    """Composes the configuration of one job, Hydra's own section included. Call it inside `composing`.

    Raises:
        CommandLineError: a key or a choice is unknown, with the nearest names; or a file of choices is not YAML.
    """
    from hydra import compose
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException
    from yaml import YAMLError

    read = parsed(overrides)
    _add_languages(read, name)
    for override in read:
        _refuse_replaced(override)
        if is_group(override.key_or_group) and not override.is_delete():
            check_group_choice(override.key_or_group, override.value(), name)
    try:
        config = compose(name, [*overrides, *hydra], return_hydra_config=True)
    except (YAMLError, UnicodeDecodeError) as error:
        raise CommandLineError(f"A file of choices cannot be read: {briefly(error, 1000)}") from error
    except (HydraException, OmegaConfBaseException) as error:
        for group in (one.key_or_group for one in read):
            if f"Could not override '{group}'. No match in the defaults list" in str(error):
                raise CommandLineError(f"{group}= cannot be used here: none of the other choices has one.") from error
        chosen = [one for one, override in zip(overrides, read, strict=True) if is_group(override.key_or_group)]
        with suppress(HydraException, OmegaConfBaseException):  # else the choices themselves do not fit the command
            _check_keys(compose(name, chosen, return_hydra_config=True), read, name)
        reason = "" if error.__cause__ is None else f" {str(error.__cause__).splitlines()[0]}."
        raise CommandLineError(f"Invalid command line of {name}.py: {briefly(error, 1000)}{reason}") from error
    _check_groups(config)
    _check_language(config)
    return config


def _refuse_replaced(override: Any) -> None:
    key, value = override.key_or_group, override.value()
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, str) and (found := f"{key}={one}") in REPLACED:
            raise CommandLineError(f"{found} is not there any more: {REPLACED[found]}.")


def _check_groups(config: Any) -> None:
    """Refuses a file that sets a group to the name of a choice, which its list of defaults takes."""
    for key in config:
        if is_group(key) and isinstance(found := config.get(key), str):
            expected = f"its keys, or in the list of defaults: - override /{key}: {found}"
            raise CommandLineError(f'A file of choices says "{key}: {found}". Expected {expected}.')


def _check_language(config: Any) -> None:
    """Checks what every command reads of a language."""
    lang = config.get("lang")
    if lang is None:
        return
    for key in ("code", "name"):
        if not isinstance(found := lang.get(key), str):
            expected = 'text, such as "xx" (in quotes where YAML reads another thing, as in no)'
            raise CommandLineError(BadValue(f"lang.{key}", found, expected))


def parsed(overrides: Sequence[str]) -> list[Any]:
    """Reads overrides by Hydra's grammar; `glob` finds choices inside `composing`.

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
        if "=" not in override and not override.startswith("~"):
            meant = f"Did you mean data={override}?" if Path(override).exists() else "Expected, for example, lang=fi."
            raise CommandLineError(f'"{override}" is not key=value. {meant}') from error
        found = f'"{override}" cannot be read as key=value ({str(error).splitlines()[0]})'
        raise CommandLineError(f"{found}. {_QUOTES}") from error


def typed_value(value: Any) -> str:
    """Writes a value as it is typed: composed, it is the same again, whatever a text holds.

    No text is an interpolation, also where a file says `${oc.env:HOME}`. "???" alone is a value that must be given.
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {typed_value(one)}' for key, one in value.items())}}}"
    if isinstance(value, Iterable) and not isinstance(value, str):
        return f"[{','.join(map(typed_value, value))}]"
    text = str(value)
    if isinstance(value, int | float) or (_PLAIN.fullmatch(text) and not _OTHERWISE.fullmatch(text)):
        return text
    quoted = re.sub(r'(\\*)("|\Z)', lambda found: found[1] * 2 + '\\"' * len(found[2]), literal(text))
    return f'"{quoted}"'


def literal(text: str) -> str:
    """Writes a text so that OmegaConf finds no interpolation in it: it halves backslashes before `${` alone."""
    return re.sub(r"(\\*)\$\{", r"\1\1\\${", text)


def text_of(typed: str) -> str:
    """Returns a text as it was before `typed_value`; one without quotation marks is what it says.

    Raises:
        CommandLineError: the quotation marks enclose no single text.
    """
    if len(typed) < 2 or typed[0] != typed[-1] or typed[0] not in "'\"":
        return typed
    (read,) = parsed([f"text={typed}"])
    return re.sub(r"(\\+)\$\{", lambda found: found[1][: len(found[1]) // 2] + "${", str(read.value()))


def _add_languages(read: Sequence[Any], name: str) -> None:
    """Adds choices for languages without a file, if only own tests, corpora or lexica are requested."""
    is_own = any(
        one.key_or_group.startswith(("data.corpora", "made_from."))
        or (one.key_or_group == "suite" and one.value() in _OWN_SUITES)
        for one in read
    )
    codes = [one.value() for one in read if one.key_or_group == "lang" and is_own]
    for code in codes:
        if isinstance(code, str) and _LANGUAGE.fullmatch(code) and not _language_meant(code, is_near=False):
            from polyprobe.runs.command.own_choices import add_language

            add_language(code)


def with_own_language(name: str, arguments: Sequence[str]) -> list[str]:
    """Adds `lang=und` where your own tests are requested, or made of your own files, and no language is named."""
    keys = {one.partition("=")[0] for one in arguments}
    is_named = {"lang", "experiment", "+experiment"} & keys or name not in ("probe", "generate")
    is_own = any(f"suite={one}" in arguments for one in _OWN_SUITES)
    is_own |= name == "generate" and any(key.startswith("made_from.") for key in keys)
    return [*arguments, "lang=und"] if is_own and not is_named else [*arguments]


def check_group_choice(group: str, choice: object, name: str) -> None:
    """Checks that a group has a choice, and that it is for this command."""
    known = [*choices(group, name), *_stored(group)]
    if not isinstance(choice, str | list):  # Hydra would end with a traceback
        raise CommandLineError(BadValue(group, choice, f"one of {', '.join(known)}"))
    if isinstance(choice, str) and choice not in known and choice != "null":
        if file := choice_files(group).get(choice):
            scripts = " and ".join(f"{one}.py" for one in sorted(_commands(file)))
            raise CommandLineError(f"{group}={choice} is for {scripts}, not for {name}.py.")
        if group == "lang" and (meant := _language_meant(choice)):
            raise CommandLineError(f'lang "{choice}" is unknown. Did you mean {meant}? Known: {", ".join(known)}.')
        known = [one for one in known if one in MADE_SUITES] if (group, name) == ("suite", "generate") else known
        described = f"{called_as(name)} --help {group} describes each in one line."
        raise CommandLineError(f"{UnknownChoice(group, choice, known)} {described}{_hint(group, choice)}")


def _language_meant(typed: str, is_near: bool = True) -> str:
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


def _hint(group: str, typed: str) -> str:
    if group == "lang":
        own = "With your own files (data=, made_from.…=, suite=own grammar=) any code will do"
        return f" {own}; else name it in lang/<code>.yaml of a folder passed as --config-dir (docs/adding.md)."
    if group in _OF_HUB and re.search(r"[-/]", typed):
        return f" A model of the hub, or its folder: {group}={_OF_HUB[group]} {group}.model={typed}"
    return ""


def _check_keys(config: Any, read: list[Any], name: str) -> None:
    from omegaconf import OmegaConf

    keys = _keys({key: value for key, value in OmegaConf.to_container(config).items() if key != "hydra"}, "")
    known = {key for key in keys if not _is_of_builder(key)}
    to_type = {key for key in known if key.partition(".")[0] not in _NOT_TYPED}
    to_type |= {group for group in groups(name) if not group.startswith("task_")}
    to_type |= {"columns"} if name in ("train", "probe") else set()
    for override in read:
        key = override.key_or_group
        if not (override.is_add() or key in known or is_group(key) or _is_of_builder(key)):
            group = key.partition(".")[0]
            if replaced := REPLACED.get(key) or REPLACED.get(group):
                raise CommandLineError(f"{key}= is not there any more: {replaced}.")
            choice = config.hydra.runtime.choices.get(group) if "." in key else None
            is_new = choice == "own" or key.startswith("data.corpora.")
            hint = f"Prefix keys of your own with +: '+{key}=…'. " if is_new else ""
            listed = f"{group}={choice} lists its options" if choice else "keys lists the keys"
            of_group = choices(group, name) if "." in key and is_group(group) and not is_new else []
            others = [one for one in of_group if key in _keys(choice_settings(group, one), f"{group}.")]
            if others:
                named = ", ".join(f"{group}={one}" for one in others)
                instead = f", not of {group}={choice}" if choice else ""
                raise CommandLineError(f'key "{key}" is unknown here: it is an option of {named}{instead}.')
            found = f'key "{key}" is unknown. {hint}{nearest_keys(key, to_type)}'
            raise CommandLineError(f"{found} {called_as(name)} --help {listed}.")


def _is_of_builder(key: str) -> bool:
    """Says whether a key is for what builds an object, such as `_target_`, and no option of it."""
    leaf = key.rpartition(".")[2]
    return leaf.startswith("_") and leaf.endswith("_")


def nearest_keys(key: str, known: set[str]) -> str:
    """Returns keys with a last part like that of `key`, and the neighbours that `key` would have.

    Of a key of a group those of the group; where none is like it, those of other groups that are much like it.
    """
    group, has_group, _ = key.partition(".")
    of_group = [one for one in known if (one.startswith(f"{group}.") if has_group else "." not in one)]
    same = [] if has_group else _with_near_leaf(key, known, 1)
    near = same or _with_near_leaf(key, of_group, 0.6) or _with_near_leaf(key, known, 0.75 if has_group else 0.6)
    parent = key.rpartition(".")[0]
    siblings = sorted(one for one in known if one.rpartition(".")[0] == parent) or sorted(
        k for k in known if "." not in k
    )
    hint = f"Did you mean {' or '.join(near)}? " if near else ""
    return f"{hint}Known: {', '.join(siblings)}."


def _with_near_leaf(key: str, known: Iterable[str], cutoff: float) -> list[str]:
    """Returns at most three keys with one of the two last parts that are most like that of `key`."""
    by_leaf = {}
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


def _stored(group: str) -> list[str]:
    """Returns the choices of a group that have no file."""
    from hydra.core.config_store import ConfigStore

    return [file.removesuffix(".yaml") for file in ConfigStore.instance().repo.get(group, {})]


def _commands(file: Path) -> set[str]:
    """Returns the commands that a file is typed for: with its own name, where it says how, else all that it names."""
    text = file.read_text(encoding="utf-8", errors="replace")
    typed = re.findall(r"python (\w+)\.py(?: (?:-m )?([\w=-]+))?", text)
    own = [command for command, first in typed if first == f"{file.parent.name}={file.stem}"]
    return set(own or [command for command, _ in typed])
