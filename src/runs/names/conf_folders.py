"""The choices of conf/, of installed packages and of your own folder: files, languages of a table, settings by task."""

import csv
import os
import re
from collections.abc import Mapping, Sequence
from functools import cache, reduce
from pathlib import Path
from typing import Any

import yaml

from polyprobe.errors import PolyprobeError, UnknownChoice, briefly, cut
from polyprobe.runs.names.plugins import CHOICES, plugins

PACKAGE = Path(__file__).resolve().parents[2]


def shipped(name: str) -> Path:
    """Returns a folder that comes with the code: inside the package where it is installed, beside it in a checkout."""
    inside = PACKAGE / name
    return inside if inside.is_dir() else PACKAGE.parent / name


CONF = shipped("conf")
OWN_CONF = "POLYPROBE_CONF"  # the own folder, for every process of a run or a sweep
LAUNCHERS = "hydra/launcher"  # a group of Hydra's own: conf/ has no file of it
LANGUAGES, CORPORA, LEARNED = "languages.csv", "corpora", "learned.yaml"
_SUITES = ("senteval", "rusenteval", "eger2020", "xprobe")


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """Reads numbers and repeated keys as OmegaConf does: 1e-3 is a number, a key that is there twice an error."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
        keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        if repeated := [key for key in dict.fromkeys(keys) if keys.count(key) > 1]:
            raise yaml.constructor.ConstructorError(None, None, f"found {repeated[0]} twice", node.start_mark)
        return super().construct_mapping(node, deep)


_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[-+]?\d[\d_]*(\.[\d_]*)?[eE][-+]?\d+$"), list("-+0123456789")
)


def conf_folders() -> list[Path]:
    """Returns conf/, the folders of installed packages and, where there is one, the own folder."""
    return [CONF, *plugin_folders(), *own_folders()]


def own_folders() -> list[Path]:
    """Returns the own folder, where there is one."""
    own = os.environ.get(OWN_CONF)
    return [Path(own)] if own else []


@cache
def plugin_folders() -> tuple[Path, ...]:
    """Returns the folders of choices in installed packages.

    Raises:
        PolyprobeError: a package has none, or a choice that is there already.
    """
    folders: list[Path] = []
    for plugin in plugins(CHOICES):
        folder = plugin.folder()
        if fault := fault_of_choices(folder, [CONF, *folders]):
            raise plugin.refused(fault)
        folders.append(folder)
    return tuple(folders)


def fault_of_choices(folder: Path, others: Sequence[Path]) -> str | None:
    """Says what is wrong with a folder of choices, in sentences; None for nothing.

    Args:
        others: folders whose choices must not be there a second time.
    """
    known = sorted([*(group.name for group in CONF.iterdir() if group.is_dir()), LAUNCHERS])
    files = [file for group in known for file in sorted((folder / group).glob("*.yaml"))]
    if not files:
        expected = f"Expected files *.yaml in folders such as lang, corpora or experiment: {', '.join(known)}."
        return f"{folder} has no choice of any group. {expected}"
    for file in files:
        group = file.parent.relative_to(folder)
        is_row = group.name == "lang" and file.stem in languages()
        is_there = is_row or any((other / group / file.name).is_file() for other in others)
        if is_there and group.name != CORPORA:
            found = f"{file} has the name of a choice that is there already ({group}={file.stem})"
            return f"{found}. Give it another name."
    return None


def is_group(key: str) -> bool:
    """Says whether a key is a group of choices: a folder of conf/."""
    return key != CORPORA and (CONF / key).is_dir()


def choice_files(group: str) -> dict[str, Path]:
    """Returns the files of a group by the names of their choices, sorted; for most languages the table of them."""
    files = {file.stem: file for folder in conf_folders() for file in (folder / group).glob("*.yaml")}
    rows = dict.fromkeys(languages() if group == "lang" else (), CONF / LANGUAGES)
    return dict(sorted({**rows, **files}.items()))


def base_files(group: str, choice: str) -> list[Path]:
    """Returns the file of a choice, behind those of its group that its list of defaults names.

    Raises:
        UnknownChoice: there is no such file.
    """
    *inner, name = choice.partition("@")[0].split("/")  # base/minimal_pairs@_here_
    folder = "/".join((group, *inner))
    files = choice_files(folder)
    if name not in files:
        raise UnknownChoice(group, choice, files)
    defaults = () if files[name].name == LANGUAGES else _keys_of(files[name]).get("defaults") or ()
    bases = [one for one in defaults if isinstance(one, str) and one != "_self_"]
    return [*(file for one in bases for file in base_files(folder, one)), files[name]]


def choice_settings(group: str, choice: str) -> dict[str, Any]:
    """Reads the settings of a choice, merged with those of its group under its `defaults`.

    Interpolations are not resolved; settings from other groups are not included.

    Raises:
        UnknownChoice: there is no such file.
        PolyprobeError: it cannot be read.
    """
    files = base_files(group, choice)
    if files == [CONF / LANGUAGES]:
        return languages()[choice]
    merged = reduce(_merged, map(_keys_of, files))
    return {key: value for key, value in merged.items() if key != "defaults"}


def choice_text(group: str, choice: str) -> str:
    """Returns what the file of a choice says; of a row of the table of languages, what a file would say."""
    file = choice_files(group)[choice]
    if file.name != LANGUAGES:
        return file.read_text(encoding="utf-8", errors="replace")
    (about,) = [f"{row['name']}: {row['about']}" for row in _rows() if row["code"] == choice]
    return f"# {about}.\n{yaml.safe_dump(languages()[choice], sort_keys=False, allow_unicode=True)}"


def languages() -> dict[str, dict[str, Any]]:
    """Returns the languages of conf/languages.csv by their codes: the settings of `lang=<code>`."""
    return {row["code"]: _language(row) for row in _rows()}


def _rows() -> list[dict[str, str]]:
    with (CONF / LANGUAGES).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _language(row: Mapping[str, str]) -> dict[str, Any]:
    suites = {suite: row[suite] for suite in _SUITES if row[suite]}
    made_from = {
        "unimorph": row["unimorph"].split(),
        "frequency": row["frequency"] or None,
        "treebanks": row["treebanks"].split(),
        "trees": row["trees"].split(),
        "syllables": row["syllables"] or None,
    }
    return {
        "code": row["code"],
        "name": row["name"],
        "linspector": {level: row[level] or None for level in ("type", "token")},
        **suites,
        "generator": None,
        **({"dotless_i": True} if row["dotless_i"] else {}),
        **({"made_from": made_from} if any(made_from.values()) else {}),
    }


def corpora_of_language(language: str) -> dict[str, dict[str, Any]]:
    """Returns what training with `lang=<language>` adds to the settings of each task: its corpora, by task.

    Raises:
        PolyprobeError: a file cannot be read, or names no task.
    """
    return _by_task(f"{CORPORA}/{language}.yaml")


def corpora_of_task(task: str) -> dict[str, dict[str, Any]]:
    """Returns the same of a task by the codes of the languages that have a corpus of it, sorted."""
    codes = sorted({file.stem for folder in conf_folders() for file in (folder / CORPORA).glob("*.yaml")})
    by_language = {code: corpora_of_language(code) for code in codes}
    return {code: by_task[task] for code, by_task in by_language.items() if task in by_task}


def learned_inputs(task: str) -> dict[str, Any] | None:
    """Returns what `encoder=learned` adds to the settings of a task; None for a task without it.

    Raises:
        PolyprobeError: a file cannot be read, or names no task.
    """
    by_task = _by_task(LEARNED)
    return by_task[task if task in by_task else "default"]


def _by_task(name: str) -> dict[str, Any]:
    """Joins the files of a name in all folders, each with a key for each task."""
    found: dict[str, Any] = {}
    for file in [folder / name for folder in conf_folders() if (folder / name).is_file()]:
        for task, settings in _keys_of(file).items():
            if task not in {*choice_files("task"), "default"}:
                raise PolyprobeError(f"{file}: {UnknownChoice('task', task, choice_files('task'))}")
            if task in found:
                raise PolyprobeError(f"{file}: {task} is in {name} of another folder, too. Leave it out.")
            found[task] = settings
    return found


def _keys_of(path: Path) -> dict[str, Any]:
    content = file_content(path)
    if not isinstance(content or {}, Mapping):
        found = cut(repr(content), 60)
        raise PolyprobeError(f"{path} has no keys, but {found}. Expected lines such as _target_: module.Class")
    return dict(content or {})


def file_content(path: Path) -> Any:
    """Reads a file of configuration as plain values.

    Raises:
        PolyprobeError: it cannot be read, or is not YAML.
    """
    try:
        return yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise PolyprobeError(f"{path} cannot be read as YAML: {briefly(error)}.") from error


def _merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Merges two values as Hydra does: the second wins if both are set."""
    inner = {
        key for key in one.keys() & other.keys() if isinstance(one[key], Mapping) and isinstance(other[key], Mapping)
    }
    return {**one, **other, **{key: _merged(one[key], other[key]) for key in inner}}
