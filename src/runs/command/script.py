"""The frame of all scripts: help without delay, checks before any work, errors as one paragraph, exit codes, sweeps."""

import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from polyprobe import __version__
from polyprobe.display.shown import leave_unread, show_logs_escaped, shown_lines
from polyprobe.errors import PolyprobeError, briefly
from polyprobe.runs.command.help import help_text
from polyprobe.runs.command.overrides import (
    CONF,
    SWEEP_FLAGS,
    CommandLineError,
    check_overrides,
    hydra_defaults,
    of_hydra,
    overrides_of,
    with_joined_flags,
    with_own_language,
    with_quoted_texts,
    without_own_folder,
)
from polyprobe.runs.command.signals import INTERRUPTED, end_at_once, end_clearly
from polyprobe.runs.command.sweep import Sweep
from polyprobe.runs.command.sweep_job import OF_SWEEP, do_job, do_job_apart, is_to_start_processes, user_error
from polyprobe.runs.names.typed_command import keep_typed

BAD_COMMAND_LINE, FAILED = 2, 1
ReportSweep = Callable[[Path], int]
Main = Callable[[dict[str, Any]], Path | None]
Check = Callable[[dict[str, Any], list[str]], None]
Work = Callable[[dict[str, Any], list[str]], Path | None]


def command(name: str, report_sweep: ReportSweep, check: Check | None = None) -> Callable[[Main], Callable[[], None]]:
    """Wraps a function of the composed, resolved, plain configuration of `conf/<name>.yaml` into a script.

    Under `choices` the configuration says which file of each group was chosen. The function returns its run directory,
    if it has one.

    The script answers `--help` without composing, names the nearest choice on a misspelling (exit code 2),
    prints a `PolyprobeError` as one paragraph (exit code 1), and ends with 130 on SIGINT and 143 on SIGTERM and
    SIGUSR1. With `-m` it does a sweep: every job, even if others fail; the exit code is 1 if one failed.

    Args:
        name: of the script and its configuration.
        report_sweep: prints and writes the tables of the sweep in a folder; returns how many jobs have come to no end.
        check: called with the configuration and what was typed ("seeds=3"), before the function; None: nothing is.
    """

    def decorate(main: Main) -> Callable[[], None]:
        @functools.wraps(main)
        def script() -> None:
            _print_anything()
            end_clearly()
            show_logs_escaped()
            keep_typed(name, sys.argv[1:])
            try:
                _read_and_start(name, functools.partial(_checked, main, check), report_sweep)
            except CommandLineError as error:
                sys.exit(_report(error, BAD_COMMAND_LINE))
            except PolyprobeError as error:
                sys.exit(_report(error, FAILED))
            except KeyboardInterrupt:
                sys.exit(_report(f"\n{INTERRUPTED}", 130) if os.environ.get("LOCAL_RANK", "0") == "0" else 130)
            finally:
                end_at_once()

        return script

    return decorate


def _read_and_start(name: str, main: Work, report_sweep: ReportSweep) -> None:
    if "--version" in sys.argv[1:]:
        print(f"polyprobe {__version__}")
        return
    if {"-sc", "--shell-completion"} & set(sys.argv[1:]):
        _run(name, main)
        return
    arguments = without_own_folder(with_joined_flags(sys.argv[1:]))
    if {"--help", "-h"} & set(arguments):
        _print_help(help_text(name, arguments))
    else:
        if any(one.startswith("data=") for one in arguments):
            from polyprobe.runs.command.own_data import with_own_data  # which reads files: numpy is slow to import

            arguments = with_own_data(name, arguments)
        sys.argv[1:] = with_own_language(name, with_quoted_texts(arguments))
        _start(name, main, report_sweep)


def _print_help(text: str) -> None:
    """Prints the help. Where its reader has gone, as in `--help | head`, the rest is for nobody."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        leave_unread()


def _checked(main: Main, check: Check | None, config: dict[str, Any], typed: list[str]) -> Path | None:
    if check is not None:
        check(config, typed)
    return main(config)


def _start(name: str, main: Work, report_sweep: ReportSweep) -> None:
    if not SWEEP_FLAGS & set(sys.argv[1:]):
        from hydra.core.hydra_config import HydraConfig

        overrides = overrides_of(sys.argv[1:])
        config = check_overrides(name, overrides, of_hydra(sys.argv[1:]))
        if overrides != sys.argv[1:] or _asks_hydra(config.hydra):
            _run(name, main)
        else:  # nothing that needs Hydra's own start, which would compose it twice more
            HydraConfig.instance().set_config(config)  # for ${hydra:…} in own files
            _do(name, main, config)
        return
    _sweep(name, main, report_sweep)


def _sweep(name: str, main: Work, report_sweep: ReportSweep) -> None:
    """Does a sweep by Hydra's launcher; ends with exit code 1 where a job has failed or come to no end."""
    from polyprobe.runs.command.sweep_start import begin_sweep, launch

    sweep, sys.argv[1:] = begin_sweep(name, sys.argv[1:])
    try:
        launch(name, sweep, functools.partial(_run, name, main))
    except PolyprobeError:  # SLURM refuses the jobs
        raise
    except Exception as error:  # of a launcher: jobs keep theirs
        _report(f"The launcher ended before its jobs: {briefly(error)}", FAILED)
    except BaseException:
        report_sweep(sweep.folder)
        raise
    if report_sweep(sweep.folder):
        sys.exit(FAILED)


def _asks_hydra(settings: Any) -> bool:
    """Says whether a file of choices sets what only Hydra's own start does."""
    logging = {settings.runtime.choices[group] for group in ("hydra/job_logging", "hydra/hydra_logging")}
    folders = (settings.run.dir, settings.output_subdir, settings.job.chdir)
    return bool(
        settings.callbacks
        or settings.job.env_set
        or settings.verbose
        or logging != {"none"}
        or folders != (".", None, None)
    )


def _run(name: str, main: Work) -> None:
    import hydra

    from polyprobe.runs.command.own_choices import search_own_folder

    search_own_folder()

    @hydra.main(**hydra_defaults(), config_path=str(CONF), config_name=name)
    def job(config: Any) -> None:
        _do(name, main, config)

    job()


def _do(name: str, main: Work, config: Any) -> None:
    """Does a job, alone or of a sweep, whose settings Hydra holds."""
    from hydra.core.hydra_config import HydraConfig
    from hydra.types import RunMode
    from omegaconf import OmegaConf

    settings = HydraConfig.get()
    overrides = list(settings.overrides.task)
    work = functools.partial(_work, main, config, settings.runtime.choices, overrides)
    is_sweep = settings.mode == RunMode.MULTIRUN
    if is_sweep and is_to_start_processes(OmegaConf.to_container(config.get("trainer", OmegaConf.create()))):
        do_job_apart(Sweep(Path(settings.sweep.dir)), name, overrides)
    elif is_sweep:
        end_clearly()  # launchers that start processes have others
        _print_anything()
        do_job(Sweep(Path(settings.sweep.dir)), overrides, work)
    elif OF_SWEEP in os.environ and os.environ.get("LOCAL_RANK", "0") == "0":
        do_job(Sweep(Path(os.environ[OF_SWEEP])), overrides, work)
    else:
        _alone(work)


def _work(main: Work, config: Any, chosen: Any, typed: list[str]) -> Path | None:
    from polyprobe.runs.command.composed import plain

    show_logs_escaped()  # once more: launchers start processes
    return main(plain(config, chosen), typed)


def _alone(work: Callable[[], Any]) -> None:
    try:
        work()
    except Exception as error:  # Here, since Hydra would print a traceback and end the process.
        known = user_error(error)
        if known is None:
            raise
        sys.exit(_report(known, FAILED))


def _print_anything() -> None:
    """Lets what a terminal or a file cannot show in its encoding appear escaped: no results are lost over a letter."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")


def _report(message: object, code: int) -> int:
    print(shown_lines(str(message)), file=sys.stderr)
    return code
