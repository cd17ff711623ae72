"""Where the files of choices are: in conf/ of the repository, and in a folder of one's own that is laid out like it."""

import os
from pathlib import Path

CONF = Path(__file__).resolve().parents[3] / "conf"
OWN_CONF = "POLYPROBE_CONF"  # the own folder, for every process of a run or a sweep


def conf_folders() -> list[Path]:
    """Returns conf/ and, where there is one, the own folder."""
    own = os.environ.get(OWN_CONF)
    return [CONF, Path(own)] if own else [CONF]


def is_group(key: str) -> bool:
    """Says whether a key is a group of choices: a folder of conf/."""
    return (CONF / key).is_dir()


def choice_files(group: str) -> dict[str, Path]:
    """Returns the files of a group by the names of their choices, sorted."""
    files = {file.stem: file for folder in conf_folders() for file in (folder / group).glob("*.yaml")}
    return dict(sorted(files.items()))
