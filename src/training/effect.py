"""What is typed for train.py and has no effect, or not what a study means: refused, lest a run be taken for another."""

from collections.abc import Mapping, Sequence
from typing import Any

from src.errors import PolyprobeError
from src.runs.command.overrides import refuse_idle

_OF_PROBES = ("suite", "probe", "probe_layers", "seeds", "bank", "confirm")
_NO_EPOCH_IS_PROBED = (
    ": it is about the probing of each epoch, and probe_each_epoch names no tests (such as probe_each_epoch=[Case])."
)
_MEANT = {"seeds": " Several trainings: -m seed=1,2,3."}


def check_effect(config: Mapping[str, Any], typed: Sequence[str]) -> None:
    """Checks that a study has the task, and that nothing about probes is typed for a training that probes no epoch.

    Args:
        config: the resolved configuration of conf/train.yaml.
        typed: as typed, "seeds=3".

    Raises:
        PolyprobeError: the task has a study of its own, or something is.
    """
    task, experiment = config["task"]["name"], config["choices"]["experiment"]
    if task in config["studies"]:
        own = config["studies"][task]
        raise PolyprobeError(f"experiment={experiment} lacks the settings of task={task}. Expected experiment={own}.")
    if not config["probe_each_epoch"]:
        refuse_idle(typed, {key: f"{_NO_EPOCH_IS_PROBED}{_MEANT.get(key, '')}" for key in _OF_PROBES})
