"""Whether a model is one for the task: each task has one class, in as many sizes as there are files in conf/model."""

from collections.abc import Mapping
from typing import Any

from src.errors import BadValue, Impossible
from src.runs.names.conf_folders import choice_files, choice_settings
from src.runs.names.lasting_names import lasting_name


def check_model(config: Mapping[str, Any]) -> None:
    """Checks that the model is of the class that the task names.

    Raises:
        Impossible: it is for another task; names those that fit.
        BadValue: the task names no class.
    """
    expected = config.get("model_class")
    if expected is None:
        raise BadValue("model_class", None, "the class of the task's models, such as Tagger, in its file of conf/task")
    if lasting_name(config["model"]["_target_"]) != expected:
        known = ", ".join(name for name in choice_files("model") if _class_of(name) == expected)
        task, model = config["task"]["name"], config["choices"]["model"]
        raise Impossible(f"model={model} is no model of task={task}. Known: {known}.")


def _class_of(model: str) -> str:
    return lasting_name(str(choice_settings("model", model).get("_target_")))
