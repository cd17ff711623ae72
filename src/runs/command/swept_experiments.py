"""Experiments that are tables: a file of conf/experiment says under `sweep` over what `-m` sweeps."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from polyprobe.errors import BadValue, PolyprobeError
from polyprobe.runs.command.overrides import SWEEP_FLAGS, CommandLineError, check_group_choice
from polyprobe.runs.names.conf_folders import choice_files, choice_settings


def with_sweep_of_experiment(name: str, arguments: Sequence[str]) -> list[str]:
    """Adds to the arguments of a command what the file of their experiment sweeps over, as if it had been typed.

    ```
    -m experiment=senteval_table4                  encoder=length,nb_unigrams,nb_bigrams,bov is added
    -m experiment=senteval_table4 encoder=elmo     nothing is: what is typed goes before
    ```

    Raises:
        CommandLineError: the experiment is for another script, it is a sweep and `-m` is not there, or its `sweep` is
            no lists of values.
    """
    sweep = _sweep_of(name, arguments)
    typed = {one.partition("=")[0].lstrip("+~") for one in arguments}
    left = {key: values for key, values in sweep.items() if key not in typed}
    if left and not SWEEP_FLAGS & set(arguments):
        keys = " ".join(f"{key}=…" for key in left)
        raise CommandLineError(f"This experiment is a table of several runs. Add -m for all of them, or choose {keys}")
    return [*arguments, *(f"{key}={','.join(map(_written, values))}" for key, values in left.items())]


def _sweep_of(name: str, arguments: Sequence[str]) -> Mapping[str, Sequence[Any]]:
    typed = [one.partition("=")[2] for one in arguments if one.lstrip("+").startswith("experiment=")]
    if not typed or typed[-1] not in choice_files("experiment"):
        return {}
    check_group_choice("experiment", typed[-1], name)
    try:
        sweep = choice_settings("experiment", typed[-1]).get("sweep") or {}
    except PolyprobeError:
        return {}  # composing says more of a file that is no YAML
    if not isinstance(sweep, Mapping) or not all(isinstance(one, list) and one for one in sweep.values()):
        raise CommandLineError(BadValue("sweep", sweep, "keys with lists of values, such as {seed: [1, 2]}"))
    return sweep


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
