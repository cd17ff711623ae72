"""The files of choices: in conf/ of the repository, in installed packages and your own folder of the same layout."""

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
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
_DEFAULTS = re.compile(r"^defaults:.*\n(?:(?: *[-#].*)?\n)*", re.MULTILINE)
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
LAUNCHERS = "hydra/launcher"  # a group of Hydra's own: conf/ has no file of it


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
        expected = f"Expected files *.yaml in folders such as lang, task_lang or experiment: {', '.join(known)}."
        return f"{folder} has no choice of any group. {expected}"
    for file in files:
        group = file.parent.relative_to(folder)
        if any((other / group / file.name).is_file() for other in others):
            found = f"{file} has the name of a choice that is there already ({group}={file.stem})"
            return f"{found}. Give it another name."
    return None


def is_group(key: str) -> bool:
    """Says whether a key is a group of choices: a folder of conf/."""
    return (CONF / key).is_dir()


def choice_files(group: str) -> dict[str, Path]:
    """Returns the files of a group by the names of their choices, sorted."""
    files = {file.stem: file for folder in conf_folders() for file in (folder / group).glob("*.yaml")}
    return dict(sorted(files.items()))


def choice_settings(group: str, choice: str) -> dict[str, Any]:
    """Reads the settings of the file of a choice, merged with those of its group under its `defaults`.

    Interpolations are not resolved; settings from other groups are not included.

    Raises:
        UnknownChoice: there is no such file.
        PolyprobeError: it cannot be read.
    """
    files = choice_files(group)
    if choice not in files:
        raise UnknownChoice(group, choice, files)
    content = file_content(files[choice]) or {}
    if not isinstance(content, Mapping):
        found = cut(repr(content), 60)
        raise PolyprobeError(f"{files[choice]} has no keys, but {found}. Expected lines such as _target_: module.Class")
    content = dict(content)
    settings: dict[str, Any] = {}
    for base in content.pop("defaults", ()):
        if isinstance(base, str) and base != "_self_":
            settings = _merged(settings, choice_settings(group, base))
    return _merged(settings, content)


def file_content(path: Path) -> Any:
    """Reads a file of configuration as plain values.

    Raises:
        PolyprobeError: it cannot be read, or is not YAML.
    """
    try:
        return yaml.load(path.read_text(encoding="utf-8"), Loader=LOADER)
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise PolyprobeError(f"{path} cannot be read as YAML: {briefly(error)}.") from error


def defaults_of(path: Path) -> list[Any]:
    """Reads the list of defaults of a file; most files have much else, which takes time.

    Raises:
        PolyprobeError: it cannot be read.
    """
    with suppress(OSError, ValueError, yaml.YAMLError):
        found = _DEFAULTS.search(path.read_text(encoding="utf-8"))
        return list(yaml.load(found[0], Loader=LOADER)["defaults"] or ()) if found else []
    return list((file_content(path) or {}).get("defaults") or ())


def _merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Merges two values as Hydra does: the second wins if both are set."""
    inner = {
        key for key in one.keys() & other.keys() if isinstance(one[key], Mapping) and isinstance(other[key], Mapping)
    }
    return {**one, **other, **{key: _merged(one[key], other[key]) for key in inner}}
