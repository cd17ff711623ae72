"""Which models a task takes."""

import pytest

from polyprobe.errors import Impossible
from polyprobe.runs.names.choice import Choice
from polyprobe.runs.names.conf_folders import choice_files, choice_settings
from polyprobe.training.run import check_model
from polyprobe.training.settings import TaskSettings

TASKS = sorted(set(choice_files("task")) - {"word_vectors"})
OBJECTIVE = choice_settings("objective", "nmt")


def check(task: str, model: str, **other: object) -> None:
    of_task = {**choice_settings("task", task), **other}
    if task == "sentence":  # what it learns by says the rest
        of_task |= {"task": {**of_task["task"], **OBJECTIVE["task"]}, "monitor": OBJECTIVE["monitor"]}
    settings = TaskSettings.of_task(of_task["task"], of_task["monitor"], of_task["model_class"])
    check_model(settings, Choice("model", model, choice_settings("model", model)))


def default_model(task: str) -> str:
    content = choice_files("task")[task].read_text(encoding="utf-8")
    return content.partition("- /model: ")[2].split()[0]


@pytest.mark.parametrize("task", TASKS)
def test_a_task_takes_its_default_model_and_refuses_that_of_another(task):
    check(task, default_model(task))
    other = "esim_small" if task != "nli" else "tagger"
    with pytest.raises(
        Impossible, match=f"model={other} is not a model of task={task}. Known: .*{default_model(task)}"
    ):
        check(task, other)
