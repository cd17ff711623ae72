"""What is typed for train.py and would have no effect: refused, so that nobody takes a run for another one."""

from collections.abc import Mapping, Sequence
from typing import Any

from src.errors import PolyprobeError
from src.runs.command.overrides import section_of

_OF_PROBES = ("suite", "probe", "probe_layers", "seeds", "bank")
_MEANT = {"seeds": " Several trainings: -m seed=1,2,3."}


def check_effect(config: Mapping[str, Any], typed: Sequence[str]) -> None:
    """Checks that nothing about probes is typed for a training that probes no epoch.

    Args:
        config: the resolved configuration of conf/train.yaml.
        typed: as typed, "seeds=3".

    Raises:
        PolyprobeError: something is.
    """
    if config["probe_each_epoch"]:
        return
    for one in typed:
        if (key := section_of(one)) in _OF_PROBES:
            raise PolyprobeError(
                f"{one} has no effect: it is about the probing of each epoch, and probe_each_epoch names no tests "
                f"(such as probe_each_epoch=[Case]).{_MEANT.get(key, '')}"
            )
