"""One job of a sweep: its errors do not affect other jobs, and its outcome is recorded."""

import os
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from signal import SIG_IGN, SIGKILL, SIGTERM, Signals, signal
from typing import Any

from polyprobe.display.shown import shown_lines
from polyprobe.errors import Impossible, PolyprobeError
from polyprobe.runs.command.sweep import (
    FAILED,
    FINISHED,
    INTERRUPTED,
    RUNNING,
    SKIPPED,
    WAITING,
    DamagedSweep,
    Sweep,
    key_of,
    lock_of,
    read_job_record,
    write_job_record,
    write_record_of_free_job,
)
from polyprobe.runs.trainer_settings import runs_several_processes
from polyprobe.runs.workspace import CACHE

RECORD = "POLYPROBE_SWEEP_RECORD"  # the file of a job, for the process that it has to itself
LEFT_OVER = "POLYPROBE_SWEEP_LEFT_OVER"  # set: only jobs that have not begun are to be done
RANKS = ("LOCAL_RANK", "NODE_RANK", "GLOBAL_RANK", "RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
ENDINGS = (130, 143)  # exit codes of a process that a signal ended
TASK_FAILED = 1  # exit code by which the first process of a job ends the others
REQUEUED = -1  # exit code by which submitit ends a job that it has put back into the queue
OUT_OF_TIME = "UncompletedJobError"  # what submitit raises in a job whose time is over and that it does not put back
NO_PROGRESS = "no epoch or stage was finished"
BEFORE_TRAINING = "00"  # the checkpoint that every start has before the first epoch
EXTRAS = (
    "gensim",
    "mlflow",
    "tensorboard",
    "wandb",
)  # packages that an installation may be without, as pyproject.toml calls them
PATIENCE = 10  # seconds in which a process may end by itself after a signal


def do_job(record: Path, overrides: Sequence[str], work: Callable[[], Path | None]) -> None:
    """Does a job and records its outcome; it raises only errors that are to end the whole sweep.

    Where SLURM has started several processes for the job, all do it, and the first one records the outcome.

    Raises:
        SystemExit: the job has not finished, and others of its processes may wait for this one: SLURM ends them when
            it sees the exit code.
    """
    if os.environ.get("SLURM_PROCID", "0") != "0" and _n_tasks() > 1:
        work()
        return
    print(f"\n{job_line(Sweep(record.parent.parent), overrides)}", flush=True)
    with lock_of(record).acquire():
        was_without = _was_without_progress(record)
        write_job_record(record, overrides, RUNNING)
        _do(record, overrides, work, was_without)
    if _n_tasks() > 1 and read_job_record(record).status != FINISHED:
        sys.exit(TASK_FAILED)


def _n_tasks() -> int:
    """Returns how many processes SLURM has started for this job of a sweep."""
    return int(os.environ.get("SLURM_NTASKS", "1")) if os.environ.get("SUBMITIT_EXECUTOR") == "slurm" else 1


def _do(record: Path, overrides: Sequence[str], work: Callable[[], Path | None], was_without: bool) -> None:
    began = record.stat().st_mtime  # by the clock of the file system, as the times that it is compared with
    try:
        run = work()
    except BaseException as error:
        if _is_requeued(error):
            signal(SIGTERM, SIG_IGN)  # by which SLURM ends what it has put back, within milliseconds
        _close_dashboard()
        if _is_ending(error):
            status, reason = _interruption(error)
            if status == WAITING and not _has_progress(record, began):
                reason = _without_progress(reason, was_without)
            write_job_record(record, overrides, status, reason)
            raise
        _tell(record, overrides, error)
    else:
        write_job_record(record, overrides, FINISHED, run=run)


def is_to_start_processes(trainer: Mapping[str, Any]) -> bool:
    """Says whether a job with this section `trainer` starts processes in addition to the one that asks."""
    return RECORD not in os.environ and not _n_tasks() > 1 and runs_several_processes(trainer)


def do_job_apart(record: Path, name: str, overrides: Sequence[str]) -> None:
    """Does a job that starts processes of its own: in a fresh process, since Lightning repeats the command line.

    In the sweep's process that line is the whole sweep's, the first job's process group would meet the second's, and if
    one of its processes dies Lightning kills the one that started it.
    """
    write_record_of_free_job(record, overrides, RUNNING)
    environment = {key: value for key, value in os.environ.items() if key not in RANKS}
    environment[RECORD] = str(record)
    command = [sys.executable, "-m", f"polyprobe.commands.{name}", *overrides]
    process = subprocess.Popen(command, env=environment, start_new_session=True)
    try:
        code = _exit_code(process)
    except BaseException as error:
        write_record_of_free_job(record, overrides, *_interruption(error))
        if _is_out_of_time(error):
            return
        raise
    Sweep(record.parent.parent).check_there()
    if read_job_record(record).status in (RUNNING, INTERRUPTED):
        write_record_of_free_job(record, overrides, FAILED, f"its process {_ending(code)}")


def _exit_code(process: subprocess.Popen) -> int:
    """Waits for a process; afterwards it and all processes that it started have ended, and the job's lock is free."""
    try:
        return process.wait()
    except BaseException:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE)
        raise
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, SIGKILL)  # its processes that wait for one that is gone
        process.wait()


def job_line(sweep: Sweep, overrides: Sequence[str]) -> str:
    """Returns "job 2 of 6: task=pos seed=2", with the swept keys alone."""
    jobs, keys = [sorted(job) for job in sweep.jobs], sweep.keys
    swept = [one for one in overrides if key_of(one) in keys]
    return f"job {jobs.index(sorted(overrides)) + 1} of {len(jobs)}: {' '.join(swept or overrides)}"


def user_error(error: BaseException | None) -> PolyprobeError | None:
    """Finds an error that a user can repair among the causes: our own errors, and files that cannot be used."""
    while error is not None and not isinstance(error, PolyprobeError):
        if isinstance(error, ModuleNotFoundError) and error.name in EXTRAS:
            return PolyprobeError(f"{error.name} is not installed. Expected `pip install 'polyprobe[{error.name}]'`.")
        if isinstance(error, OSError) and error.filename:
            return PolyprobeError(f"{error.filename}: {error.strerror}. Check paths.work and paths.data.")
        error = error.__cause__
    return error


def _tell(record: Path, overrides: Sequence[str], error: BaseException) -> None:
    if _is_out_of_time(error):
        status, reason = _interruption(error)
    else:
        known = user_error(error)
        if known is None:
            traceback.print_exception(error)
        status = SKIPPED if isinstance(known, Impossible) else FAILED
        reason = str(known or f"{type(error).__name__}: {error}")
    print(shown_lines(f"\n{status}: {reason}"), file=sys.stderr, flush=True)
    write_job_record(record, overrides, status, reason)


def _interruption(error: BaseException) -> tuple[str, str]:
    """Returns status and reason of a job that could have gone on."""
    if _is_requeued(error):
        return WAITING, "time limit reached, or preempted; it resumes when its launcher restarts it"
    if _is_out_of_time(error):
        return INTERRUPTED, _more_time()
    return INTERRUPTED, ""


def _is_requeued(error: BaseException | None) -> bool:
    """Says whether submitit has put the job back into the queue, perhaps with SLURM's SIGTERM on top of its exit."""
    while error is not None and not (isinstance(error, SystemExit) and error.code == REQUEUED):
        error = error.__context__
    return error is not None


def _was_without_progress(record: Path) -> bool:
    """Says whether the start before this one was put back into the queue without progress."""
    try:
        before = read_job_record(record)
    except (OSError, DamagedSweep):
        return False
    return before.status == WAITING and NO_PROGRESS in before.reason


def _has_progress(record: Path, began: float) -> bool:
    """Says whether an epoch or a stage was finished since a time, by this job or by another one of the work folder."""
    runs = record.parents[2].parent
    found = chain(runs.glob("*/*/epochs/*.ckpt"), runs.glob("*/*/*/*.npz"), (runs.parent / CACHE).glob("*/*/*.*"))
    return any(path.stem != BEFORE_TRAINING and _time_of(path) >= began for path in found)


def _time_of(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # another process has removed it
        return 0.0


def _without_progress(reason: str, was_without: bool) -> str:
    if not was_without:
        return f"{reason}; {NO_PROGRESS}"
    advice = "hydra.launcher.timeout_min=<minutes> has to be longer than the start and one of them"
    said = f"{NO_PROGRESS}, for the second time: it may do so for ever, {advice}"
    print(shown_lines(f"\n{WAITING}: {said}"), file=sys.stderr, flush=True)
    return f"{reason}; {said}"


def _more_time() -> str:
    again = "repeat the command to resume from the last finished epoch or stage"
    longer = "hydra.launcher.timeout_min=<minutes> allows more"
    if os.environ.get("SUBMITIT_EXECUTOR") != "slurm":
        return f"time limit reached: {again}, {longer}"
    return f"time limit reached: {again}, hydra.launcher.max_num_timeout=<times> restarts it automatically, {longer}"


def _is_ending(error: BaseException) -> bool:
    """Says whether an error ends the process of a job, not the job alone."""
    asked = isinstance(error, SystemExit) and error.code in (*ENDINGS, REQUEUED)
    return asked or not isinstance(error, Exception | SystemExit)


def _is_out_of_time(error: BaseException) -> bool:
    return type(error).__name__ == OUT_OF_TIME and type(error).__module__.startswith("submitit.")


def _ending(code: int) -> str:
    if code < 0:
        return f"was killed (signal {Signals(-code).name}); see its output above"
    return f"ended with exit code {code}; see its output above"


def _close_dashboard() -> None:
    """Closes the W&B run that a job left open: the next job would write into it."""
    wandb = sys.modules.get("wandb")
    if wandb is not None and wandb.run is not None:
        wandb.finish(exit_code=1)
