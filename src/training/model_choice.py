"""Whether a model is one for the task: each task names its classes, each in as many sizes as
there are files in conf/model."""

from src.errors import Impossible
from src.runs.names.conf_folders import choice_files, choice_settings
from src.runs.names.identity import lasting_name
from src.training.settings import ModelSettings, TaskSettings


def check_model(task: TaskSettings, model: ModelSettings) -> None:
    """Checks that the model is of a class that the task names.

    Raises:
        Impossible: it is for another task; names those that fit.
    """
    if lasting_name(model.class_path) not in task.model_classes:
        known = ", ".join(name for name in choice_files("model") if _class_of(name) in task.model_classes)
        raise Impossible(f"model={model.name} is no model of task={task.name}. Known: {known}.")


def _class_of(model: str) -> str:
    return lasting_name(str(choice_settings("model", model).get("_target_")))
