"""Whether a model is one for the task: each task has one class, in as many sizes as there are files in conf/model."""

import re
from collections.abc import Mapping
from typing import Any

from src.errors import Impossible
from src.runs.names.conf_folders import choice_files


def check_model(config: Mapping[str, Any]) -> None:
    """Checks that the model is of the class that the task's own default has.

    Raises:
        Impossible: it is for another task; names those that fit.
    """
    task = config["task"]["name"]
    own = re.search(r"- /model: (\w+)", choice_files("task")[task].read_text(encoding="utf-8"))[1]
    expected = _class_of(own)
    if config["model"]["_target_"] != expected:
        known = ", ".join(name for name in choice_files("model") if _class_of(name) == expected)
        raise Impossible(f"model={config['choices']['model']} is no model of task={task}. Known: {known}.")


def _class_of(model: str) -> str:
    """Returns the class of a file of conf/model; one that names none begins with another file."""
    text = choice_files("model")[model].read_text(encoding="utf-8")
    own = re.search(r"^_target_: (\S+)", text, re.MULTILINE)
    return own[1] if own else _class_of(re.search(r"^  - (\w+)$", text, re.MULTILINE)[1])
