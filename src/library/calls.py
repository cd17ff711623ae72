"""A call of the library: the configuration composed from values, then the work of the command, on the caller's process.

Torch's threads and its rounding of denormal numbers stay as the call sets them; random states are those of the caller's
own program, and are the same afterwards.
"""

import random
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from polyprobe.analysis.door import reported
from polyprobe.display.shown import quietly
from polyprobe.errors import PolyprobeError
from polyprobe.library.command_work import begin, run_of
from polyprobe.library.finished import Run
from polyprobe.probing.door import probe_settings
from polyprobe.probing.own_functions import OwnModel
from polyprobe.runs.command.compose import compose
from polyprobe.runs.command.overrides import typed_value
from polyprobe.runs.command.sweep_job import user_error
from polyprobe.runs.names.typed_command import kept_as_typed, typed_command
from polyprobe.runs.trainer_settings import runs_several_processes

_MODES = {"probe": ("check", "list", "job"), "train": ("check",)}  # keys of what produces no run
Values = dict[str, Any]  # by keys of conf/<command>.yaml; None: as the command has it


def finished_run(
    command: str, values: Values, overrides: Sequence[str], is_quiet: bool, own: OwnModel | None = None
) -> Run:
    """Does what a command does, and returns its finished run.

    Args:
        overrides: further arguments as typed, "cache.number=float16".
        own: a function in place of an encoder or a predictor.

    Raises:
        PolyprobeError: what the command would end with.
    """
    with at_work(is_quiet):
        if own is not None:
            values = {**values, own.group: own.choice, f"{own.group}.path": "."}
            settings = probe_settings(_checked(command, values, overrides))  # before the function is called
            values = {**values, f"{own.group}.path": own.kept(settings)}
        config = _checked(command, values, overrides)
        with kept_as_typed(command, as_typed(values, overrides)):
            run = run_of(command, config)
            assert run is not None, "one process alone works on it"
            if config["report"] or config.get("logger", {}).get("wandb") is not None:  # else by Run.report
                for _ in reported(run, config):
                    pass
    return Run(run.path)


def _checked(command: str, values: Values, overrides: Sequence[str]) -> dict[str, Any]:
    """Composes the configuration; refuses what the command does in place of a run, and what starts processes."""
    config = configuration(command, values, overrides)
    with kept_as_typed(command, as_typed(values, overrides)):
        known = {**config["choices"], **config}
        if mode := next((key for key in _MODES.get(command, ()) if known.get(key) not in (None, False)), None):
            raise PolyprobeError(f"{mode}= is only for the command line, as it produces no run: {typed_command()}")
        begin(config)
        if runs_several_processes(config.get("trainer")):
            raise PolyprobeError(f"several processes work by the command alone, which starts them: {typed_command()}")
    return config


def configuration(command: str, values: Values, overrides: Sequence[str] = ()) -> dict[str, Any]:
    """Composes the configuration of a command: resolved, as plain values.

    Raises:
        CommandLineError: a key or a choice is unknown; or an override cannot be read.
        PolyprobeError: a value that must be given is not.
    """
    if isinstance(overrides, str):
        raise PolyprobeError(f'overrides must be a list, got "{overrides}". Expected ["{overrides}"].')
    return compose(command, [*map(str, overrides)], _given(values, overrides))


def as_typed(values: Values, overrides: Sequence[str]) -> list[str]:
    """Writes the arguments of the command that does the same, "encoder.layers=[6]"."""
    return [*(f"{key}={typed_value(value)}" for key, value in _given(values, overrides).items()), *map(str, overrides)]


def _given(values: Values, overrides: Sequence[str]) -> dict[str, Any]:
    """Returns the values that are given, but for keys that overrides name, too: these come after."""
    typed = {one.lstrip("+~").partition("=")[0] for one in map(str, overrides)}
    return {key: value for key, value in values.items() if value is not None and key not in typed}


@contextmanager
def at_work(is_quiet: bool) -> Iterator[None]:
    """Surrounds the work of a call: its errors are those of the command."""
    torch, of_python = sys.modules.get("torch"), random.getstate()
    of_torch = nullcontext() if torch is None else torch.random.fork_rng(devices=[])
    with warnings.catch_warnings(), of_torch, quietly(is_quiet):
        try:
            yield
        except PolyprobeError:
            raise
        except Exception as error:
            if (known := user_error(error)) is None:
                raise
            raise known from error
        finally:
            random.setstate(of_python)  # which packages draw from while they are imported
