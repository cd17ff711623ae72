"""One job of a sweep: its errors do not affect other jobs, and its outcome is noted."""

import os
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from signal import SIGKILL
from typing import Any

from polyprobe.display.shown import shown_lines
from polyprobe.errors import Impossible, MissingExtra, PolyprobeError
from polyprobe.runs.command.sweep import (
    FAILED,
    FINISHED,
    INTERRUPTED,
    NOT_ENDED,
    SKIPPED,
    Sweep,
    key_of,
    write_job_record,
)
from polyprobe.runs.record.held_folder import RunIsBusy
from polyprobe.runs.trainer_settings import runs_several_processes

OF_SWEEP = "POLYPROBE_SWEEP"  # the sweep's folder, for a job in a process of its own
RANKS = ("LOCAL_RANK", "NODE_RANK", "GLOBAL_RANK", "RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
ENDINGS = (130, 143, -1)  # exit codes of a process that a signal ended, or that submitit puts back into the queue
EXTRAS = ("gensim", "mlflow", "tensorboard", "wandb")  # named as their packages
PATIENCE = 10  # seconds in which a process may end by itself after a signal
BETWEEN_LOOKS = 1  # seconds, at a run that is in use


def do_job(sweep: Sweep, overrides: Sequence[str], work: Callable[[], Path | None]) -> None:
    """Does a job and notes its outcome; it raises only what is to end the whole process.

    Where SLURM has started several processes for the job, all do it, the first one notes the outcome, and one that
    fails ends with exit code 1, by which SLURM ends the others.
    """
    has_several = _n_started() != "1"
    is_first = not has_several or os.environ.get("SLURM_PROCID", "0") == "0"

    def note(*outcome: Any) -> None:
        if is_first:
            write_job_record(sweep.record_path(overrides), overrides, *outcome)

    if is_first:
        jobs, swept = [sorted(job) for job in sweep.jobs], [one for one in overrides if key_of(one) in sweep.keys]
        number = jobs.index(sorted(overrides)) + 1
        print(f"\njob {number} of {len(jobs)}: {' '.join(swept or overrides)}", flush=True)
    note(INTERRUPTED, NOT_ENDED)
    try:
        run = _when_free(work)
    except BaseException as error:
        if not isinstance(error, Exception | SystemExit) or (isinstance(error, SystemExit) and error.code in ENDINGS):
            raise
        known = user_error(error)
        if known is None:
            traceback.print_exception(error)
        status = SKIPPED if isinstance(known, Impossible) else FAILED
        reason = str(known or f"{type(error).__name__}: {error}")
        line = status if status == SKIPPED else f"{status}: {reason}"  # the end of the sweep has all reasons
        print(shown_lines(f"\n{line}"), file=sys.stderr, flush=True)
        note(status, reason)
        if has_several:
            sys.exit(1)
    else:
        note(FINISHED, "", run)
    finally:
        _restore_process()


def _n_started() -> str:
    """Returns how many processes SLURM has started for a job."""
    return os.environ.get("SLURM_NTASKS", "1") if "SUBMITIT_EXECUTOR" in os.environ else "1"


def is_to_start_processes(trainer: Mapping[str, Any]) -> bool:
    """Says whether a job with this section `trainer` starts processes in addition to the one that asks."""
    return _n_started() == "1" and runs_several_processes(trainer)


def do_job_apart(sweep: Sweep, name: str, overrides: Sequence[str]) -> None:
    """Does a job that starts processes of its own in a fresh process, since Lightning repeats the command line.

    In the sweep's process that line is the whole sweep's.
    """
    path = sweep.record_path(overrides)
    write_job_record(path, overrides, INTERRUPTED, NOT_ENDED)
    environment = {key: value for key, value in os.environ.items() if key not in RANKS}
    command = [sys.executable, "-m", f"polyprobe.commands.{name}", *overrides]
    process = subprocess.Popen(command, env={**environment, OF_SWEEP: str(sweep.folder)}, start_new_session=True)
    try:
        code = process.wait()
    except BaseException:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE)
        raise
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, SIGKILL)  # its processes that wait for one that is gone
        process.wait()
    record = sweep.record(overrides)
    if record is None or record.status == INTERRUPTED:
        write_job_record(path, overrides, FAILED, f"its process ended with exit code {code}; see its output above")


def _when_free(work: Callable[[], Path | None]) -> Path | None:
    """Does the work of a job; where another process has the same run in work, as an equal job, waits for it."""
    is_told = False
    while True:
        try:
            return work()
        except RunIsBusy as error:
            if not is_told:
                print(shown_lines(f"waiting: {error}"), flush=True)
            is_told = True
            time.sleep(BETWEEN_LOOKS)


def user_error(error: BaseException | None) -> PolyprobeError | None:
    """Finds an error that a user can repair among the causes: our own errors, and files that cannot be used."""
    while error is not None and not isinstance(error, PolyprobeError):
        if isinstance(error, ModuleNotFoundError) and error.name in EXTRAS:
            return MissingExtra(error.name, error.name)
        if isinstance(error, OSError) and error.filename:
            return PolyprobeError(f"{error.filename}: {error.strerror}. Check paths.work and paths.data.")
        if type(error).__name__ == "UncompletedJobError":  # submitit's, when the time of a job is over
            return PolyprobeError(
                "time limit reached; repeat the command to resume. hydra.launcher.timeout_min=<minutes> allows more, "
                "hydra.launcher.max_num_timeout=<times> restarts such jobs automatically."
            )
        error = error.__cause__
    return error


def _restore_process() -> None:
    """Leaves nothing of a job to the next one in this process: no open run of W&B, no settings of torch."""
    wandb, process = sys.modules.get("wandb"), sys.modules.get("polyprobe.models.base.torch_process")
    if wandb is not None and wandb.run is not None:
        wandb.finish(exit_code=1)
    if process is not None:
        process.restore_defaults()
