"""The frame of all scripts over `hydra.main`: own data, errors as one paragraph, exit codes, sweeps."""

import functools
import logging
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from polyprobe import __version__
from polyprobe.display.shown import leave_unread, show_logs_escaped, shown_lines
from polyprobe.errors import PolyprobeError, briefly
from polyprobe.runs.command import compose
from polyprobe.runs.command.help import help_text
from polyprobe.runs.command.overrides import (
    SWEEP_FLAGS,
    CommandLineError,
    with_flags_first,
    with_quoted_texts,
    without_own_folder,
)
from polyprobe.runs.command.own_choices import search_own_folder
from polyprobe.runs.command.signals import INTERRUPTED, end_at_once, end_clearly
from polyprobe.runs.command.sweep import Sweep
from polyprobe.runs.command.sweep_job import OF_SWEEP, do_job, do_job_apart, is_to_start_processes, user_error
from polyprobe.runs.command.unknown_names import check_commands
from polyprobe.runs.names.conf_folders import CONF, OWN_CONF
from polyprobe.runs.names.typed_command import called_as, keep_typed, kept_as_typed

Main = Callable[[dict[str, Any]], Path | None]
Job = Callable[[Any], None]
_KEY_OF_INTERPOLATION = re.compile(r"Interpolation key ('[^']+') not found")


def command(name: str, report_sweep: Callable[[Path], int]) -> Callable[[Main], Callable[[], None]]:
    """Makes a script of a function of the resolved configuration of `conf/<name>.yaml`, see `compose.plain`.

    The function returns its run directory, if it has one. The script ends with exit code 2 if a key or a choice does
    not exist or the command line cannot be composed, 1 if a value is wrong or the work or a job of a sweep fails, 130
    on SIGINT and 143 on SIGTERM and SIGUSR1.

    Args:
        report_sweep: prints and writes the tables of the sweep in a folder; returns the number of unfinished jobs.
    """

    def decorate(main: Main) -> Callable[[], None]:
        @functools.wraps(main)
        def script() -> None:
            _prepare_process()
            keep_typed(name, sys.argv[1:])
            os.environ.setdefault("HYDRA_FULL_ERROR", "1")  # Hydra raises its errors, which are reported here
            try:
                _start(name, functools.partial(_job, name, main), report_sweep)
            except PolyprobeError as error:
                sys.exit(_reported(error))
            except KeyboardInterrupt:
                if os.environ.get("LOCAL_RANK", "0") == "0":
                    print(f"\n{INTERRUPTED}", file=sys.stderr)
                sys.exit(130)
            finally:
                end_at_once()

        return script

    return decorate


def _prepare_process() -> None:
    end_clearly()
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # no results are lost over a letter that a terminal cannot show


def _reported(error: PolyprobeError) -> int:
    """Prints an error; returns the exit code."""
    print(shown_lines(str(error)), file=sys.stderr)
    return 2 if isinstance(error, CommandLineError) else 1


def _start(name: str, job: Job, report_sweep: Callable[[Path], int]) -> None:
    if "--version" in sys.argv[1:]:
        print(f"polyprobe {__version__}")
        return
    search_own_folder()
    if {"-sc", "--shell-completion"} & set(sys.argv[1:]):
        if called_as(name).startswith("polyprobe"):
            sys.argv[0] = "polyprobe"  # which the shell is to complete
        _run(name, job)
        return
    arguments = without_own_folder(with_flags_first(sys.argv[1:]))
    if {"--help", "-h"} & set(arguments):
        try:
            print(help_text(name, arguments), flush=True)
        except BrokenPipeError:  # its reader has gone, as in `--help | head`
            leave_unread()
        return
    if any(one.startswith("data=") for one in arguments):
        from polyprobe.runs.command.own_data import with_own_data  # which reads files: numpy is slow to import

        arguments = with_own_data(name, arguments)
    sys.argv[1:] = compose.with_own_language(name, with_quoted_texts(arguments))
    compose.add_languages(sys.argv[1:])
    if SWEEP_FLAGS & set(arguments):
        _sweep(name, job, report_sweep)
    else:
        _run(name, job)


def _run(name: str, job: Job) -> None:
    """Lets Hydra do what is typed.

    Raises:
        CommandLineError: it cannot be composed, or Hydra's flags exclude each other.
    """
    import hydra

    begun = []

    def task(config: Any) -> None:
        begun.append(config)
        job(config)

    task.__module__ = f"polyprobe.commands.{name}"  # whose name is that of Hydra's job
    try:
        hydra.main(**compose.hydra_defaults(), config_path=str(CONF), config_name=name)(task)()
    except Exception as error:
        if begun or SWEEP_FLAGS & set(sys.argv[1:]):
            raise
        if {"-sc", "--shell-completion"} & set(sys.argv[1:]):
            raise CommandLineError(briefly(error)) from error
        named = [one.partition("=")[2] for one in sys.argv if one.startswith("--config-name=")]
        with compose.composing():
            compose.composed((named or [name])[-1], [one for one in sys.argv[1:] if not one.startswith("-")])
        raise CommandLineError(briefly(error)) from error


def _sweep(name: str, job: Job, report_sweep: Callable[[Path], int]) -> None:
    """Does a sweep by Hydra's launcher; ends with exit code 1 where a job has failed or come to no end."""
    from polyprobe.runs.command.sweep_start import begin_sweep, launch

    if others := [one for one in sys.argv[1:] if one.startswith(("--cfg", "--info", "--config-name"))]:
        raise CommandLineError(f"{others[0]} is for a single run. Expected it without -m.")
    sweep, sys.argv[1:] = begin_sweep(name, sys.argv[1:])
    try:
        launch(name, sweep, functools.partial(_run, name, job))
    except PolyprobeError:  # SLURM refuses the jobs
        raise
    except Exception as error:  # of a launcher: jobs keep theirs
        print(shown_lines(f"The launcher ended before its jobs: {briefly(error)}"), file=sys.stderr)
    except BaseException:
        report_sweep(sweep.folder)
        raise
    if report_sweep(sweep.folder):
        sys.exit(1)


def _job(name: str, main: Main, config: Any) -> None:
    """Does a job, alone or of a sweep, whose settings Hydra holds."""
    from hydra.core.hydra_config import HydraConfig
    from hydra.types import RunMode
    from omegaconf import OmegaConf

    settings = HydraConfig.get()
    overrides = list(settings.overrides.task)
    work = functools.partial(_work, main, config, settings)
    of_sweep = functools.partial(_work_of_sweep, name, overrides, work)
    is_sweep = settings.mode == RunMode.MULTIRUN
    if is_sweep and is_to_start_processes(OmegaConf.to_container(config.get("trainer", OmegaConf.create()))):
        do_job_apart(Sweep(Path(settings.sweep.dir)), name, overrides)
    elif is_sweep:
        do_job(Sweep(Path(settings.sweep.dir)), overrides, of_sweep)
    elif OF_SWEEP in os.environ and os.environ.get("LOCAL_RANK", "0") == "0":
        do_job(Sweep(Path(os.environ[OF_SWEEP])), overrides, of_sweep)
    else:
        try:
            check_commands(overrides, name)
            _check_settings(settings)
            work()
        except Exception as error:  # Here, since Hydra would print a line of its own first.
            known = user_error(error)
            if known is None:
                raise
            sys.exit(_reported(known))


def _work(main: Main, config: Any, settings: Any) -> Path | None:
    _prepare_process()  # once more: launchers start processes
    show_logs_escaped()
    try:
        return main(compose.plain(config, settings.runtime.choices))
    except (KeyError, PolyprobeError) as error:
        deleted = [one for one in settings.overrides.task if one.startswith("~")]
        interpolated = _KEY_OF_INTERPOLATION.search(str(error))
        key = interpolated[1] if interpolated else error
        if deleted and (interpolated or isinstance(error, KeyError)):
            raise CommandLineError(f"{' '.join(deleted)}: the command needs the key {key}.") from error
        raise


def _work_of_sweep(name: str, overrides: Sequence[str], work: Callable[[], Path | None]) -> Path | None:
    """Does a job under its own command line, not under that of its sweep."""
    own = os.environ.get(OWN_CONF)
    with kept_as_typed(name, [*([f"--config-dir={own}"] if own else []), *overrides]):
        return work()


def _check_settings(settings: Any) -> None:
    """Refuses Hydra's own settings that would be ignored, and obeys `hydra.verbose` where it sets up no logging."""
    compose.check_one_run(settings, settings.overrides.task)
    if settings.verbose:
        logging.basicConfig()
    is_silent = settings.runtime.choices["hydra/job_logging"] == "none" and settings.output_subdir is None
    is_elsewhere = not settings.job.chdir and Path(settings.run.dir).resolve() != Path.cwd()
    if is_silent and is_elsewhere and "LOCAL_RANK" not in os.environ:
        found = f"hydra.run.dir={settings.run.dir} is for Hydra's own files; hydra.output_subdir=.hydra writes them"
        raise CommandLineError(f"{found}. The folder of runs is paths.work=<folder>.")
