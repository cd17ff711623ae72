"""A call of the library: composed as the command that does the same; the process is left as it was found."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from polyprobe.analysis.door import reporting
from polyprobe.analysis.reporting import reported
from polyprobe.display.shown import quietly
from polyprobe.errors import PolyprobeError
from polyprobe.left_as_found import left_as_found
from polyprobe.library.command_work import CommandWork
from polyprobe.library.finished import Run
from polyprobe.library.own_functions import OwnModel
from polyprobe.probing.door import probe_settings
from polyprobe.runs.command.compose import compose
from polyprobe.runs.command.overrides import parsed, typed_value
from polyprobe.runs.command.sweep_job import user_error
from polyprobe.runs.names.typed_command import called_as, kept_as_typed, typed_command
from polyprobe.runs.trainer_settings import runs_several_processes


def typed_as(options: Mapping[str, Any]) -> list[str]:
    """Writes options as they would be typed, "encoder.layers=[6]"; those of None are as the command has them."""
    return [f"{key}={typed_value(value)}" for key, value in options.items() if value is not None]


def finished_run(
    job: CommandWork,
    options: Mapping[str, Any],
    overrides: Sequence[str] | None,
    is_quiet: bool,
    own: OwnModel | None = None,
) -> Run:
    """Does what a command does, and returns its finished run.

    Args:
        options: by keys; those of None are as the command has them.
        overrides: what else a user would type; None is nothing.
        own: a function in place of an encoder or a predictor.

    Raises:
        PolyprobeError: what the command would end with.
    """
    if isinstance(overrides, str):
        raise PolyprobeError(f'overrides must be a list, got "{overrides}". Expected ["{overrides}"].')
    typed = [*typed_as(options), *map(str, overrides or ())]
    _refuse_modes(job, typed)
    with at_work(is_quiet):
        if own is not None:
            typed = _with_kept(own, job, typed)
        with kept_as_typed(job.command, typed):
            config, typed = configuration(job.command, typed)
            job.begin(config)
            if runs_several_processes(config.get("trainer")):
                found = "several processes share work by the command alone, which starts them"
                raise PolyprobeError(f"{found}: {typed_command()}")
            run = job.work(config)
            assert run is not None, "one process alone works on it"
            how = reporting(config)
            if how.page_in is not None or how.logger is not None:  # else files are written when they are asked for
                for _ in reported(run, how):
                    pass
    return Run(run.path)


def _refuse_modes(job: CommandWork, typed: Sequence[str]) -> None:
    """Refuses what the command does in place of a run."""
    for override in parsed([one for one in typed if one.lstrip("+").partition("=")[0] in job.modes]):
        if override.value() not in (None, False):
            command = f"{called_as(job.command)} {shlex.join(typed)}"
            raise PolyprobeError(
                f"{override.input_line} is only for the command line, as it does not produce a run: {command}"
            )


def _with_kept(own: OwnModel, job: CommandWork, typed: Sequence[str]) -> list[str]:
    """Returns what would be typed for the kept outcome of a user's function."""
    typed = [*typed, f"{own.group}={own.choice}"]
    config, _ = configuration(job.command, [*typed, f"{own.group}.path=."])
    job.begin(config)
    return [*typed, *typed_as({f"{own.group}.path": own.kept(probe_settings(config))})]


@contextmanager
def at_work(is_quiet: bool) -> Iterator[None]:
    """Surrounds the work of a call: what it changes of the process is set back, its errors are the command's."""
    with left_as_found(), quietly(is_quiet):
        try:
            yield
        except PolyprobeError:
            raise
        except Exception as error:
            if (known := user_error(error)) is None:
                raise
            raise known from error


def configuration(command: str, typed: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """Composes the configuration of a command as if its arguments were typed.

    Returns:
        The configuration, resolved, as plain values; and the arguments.

    Raises:
        CommandLineError: an argument is none, or names no key or choice.
        PolyprobeError: a value that must be given is not.
    """
    return compose(command, typed), list(typed)
