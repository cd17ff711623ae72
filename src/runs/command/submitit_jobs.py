"""Sweeps by submitit, on SLURM or as processes of this machine: each job may be lost, and its command submitted again.

`hydra/launcher=submitit_slurm` and `submitit_local` have the keys of Hydra's submitit plugin, whose own launchers end
with the first job that was killed, and always wait.
"""

import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr
from dataclasses import dataclass, fields
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any

from hydra.core.config_store import ConfigStore
from hydra.core.plugins import Plugins
from hydra_plugins.hydra_submitit_launcher.config import BaseQueueConf, SlurmQueueConf

from polyprobe.display.shown import plural, say
from polyprobe.errors import PolyprobeError
from polyprobe.runs.command.compose import composed, composing
from polyprobe.runs.command.sweep import FINISHED, Sweep, slurm_states
from polyprobe.runs.command.sweep_job import OF_SWEEP, do_job_apart, is_to_start_processes

Jobs = Sequence[Sequence[str]]

LONGEST_WAIT = 30  # seconds between two looks at SLURM's queue
CANCEL_SECONDS = 40  # in which SLURM has ended a job that is cancelled
_SHARED = {field.name for field in fields(BaseQueueConf)}  # keys that submitit has for every executor
_NO_PARAMETERS = ("_target_", "submitit_folder", "max_num_timeout", "wait", "again", "max_batch_size")


@dataclass
class SlurmConf(SlurmQueueConf):
    """The keys of `hydra/launcher=submitit_slurm`: the plugin's, and two."""

    wait: bool = True
    """false: submit the jobs and end; the same command later shows how far they are."""
    again: bool = False
    """With wait=false: also submit jobs that failed or were interrupted."""


def store_keys() -> None:
    """Lets Hydra know the keys of `hydra/launcher=submitit_slurm`."""
    Plugins.instance()  # which stores the plugin's
    store = ConfigStore.instance()
    store.repo["hydra"]["launcher"].pop("submitit_slurm.yaml", None)  # Hydra 1.4 warns where a name is taken
    store.store(group="hydra/launcher", name="submitit_slurm", node=SlurmConf, provider="polyprobe")


@dataclass(frozen=True, slots=True)
class SubmittedJob:
    """What a job of a cluster does: the command with its overrides, as a job of the sweep."""

    command: str
    sweep: Path

    def __call__(self, overrides: Sequence[str]) -> None:
        with composing():
            trainer = dict(composed(self.command, overrides).get("trainer") or {})
        if is_to_start_processes(trainer):
            do_job_apart(Sweep(self.sweep), self.command, overrides)
            return
        os.environ[OF_SWEEP] = str(self.sweep)
        sys.argv[1:] = overrides
        import_module(f"polyprobe.commands.{self.command}").main()

    def checkpoint(self, overrides: Sequence[str]) -> Any:
        """Says how submitit begins the job again whose time is over."""
        from submitit.helpers import DelayedSubmission

        return DelayedSubmission(self, overrides)


def do_locally(command: str, sweep: Sweep, keys: Mapping[str, Any]) -> None:
    """Starts all jobs as processes of this machine, and waits for them.

    Args:
        keys: of the launcher.
    """
    jobs = _submitted("local", command, sweep, sweep.jobs, keys)
    try:
        _wait(lambda: all(job.done() for job in jobs), longest=1)
    except BaseException:
        for job in jobs:
            job.cancel()
        raise


def do_on_slurm(command: str, sweep: Sweep, keys: Mapping[str, Any]) -> None:
    """Submits the jobs that are neither finished nor in SLURM's queue; waits until none is there, unless `wait=false`.

    Args:
        keys: of the launcher.

    Raises:
        PolyprobeError: SLURM refuses the jobs.
    """
    unfinished, known = unfinished_jobs(sweep), sweep.submitted()
    is_again = keys["wait"] or keys["again"]
    left = [job for job in unfinished if is_again or sweep.record_path(job).stem not in known]
    if left:
        # Jobs see the variables of this process on every cluster; where one of several processes fails, all end.
        os.environ |= {"SBATCH_EXPORT": "ALL", "SLURM_KILL_BAD_EXIT": "1"}
        jobs = _submitted("slurm", command, sweep, left, keys)
        sweep.note_submitted({tuple(one): job.job_id for one, job in zip(left, jobs, strict=True)})
    if not keys["wait"]:
        if left:
            say(f"submitted {plural(len(left), 'job')} to SLURM; the same command shows how far they are")
        elif unfinished:
            say(f"{plural(len(unfinished), 'job')} did not finish; hydra.launcher.again=true submits them again")
        return
    try:
        _wait(lambda: not _in_queue(sweep), LONGEST_WAIT)
    except BaseException:
        if numbers := _in_queue(sweep):
            subprocess.run(["scancel", *numbers], check=False)
            _wait(lambda: not _in_queue(sweep), longest=1, patience=CANCEL_SECONDS)
        raise


def unfinished_jobs(sweep: Sweep) -> Jobs:
    """Returns the jobs that are neither finished nor in SLURM's queue."""
    submitted, states = sweep.submitted(), slurm_states() or {}
    return [
        job
        for job in sweep.jobs
        if getattr(sweep.record(job), "status", None) != FINISHED
        and submitted.get(sweep.record_path(job).stem) not in states
    ]


def _submitted(cluster: str, command: str, sweep: Sweep, jobs: Jobs, keys: Mapping[str, Any]) -> list[Any]:
    import submitit

    limits = {"slurm_max_num_timeout": keys["max_num_timeout"]} if cluster == "slurm" else {}
    executor = submitit.AutoExecutor(folder=keys["submitit_folder"], cluster=cluster, **limits)
    given = {key: one for key, one in keys.items() if key not in _NO_PARAMETERS}
    executor.update_parameters(**{key if key in _SHARED else f"{cluster}_{key}": one for key, one in given.items()})
    most = keys["max_batch_size"] or len(jobs)
    try:
        with redirect_stderr(StringIO()):  # what sbatch prints is in its error
            batches = [jobs[first : first + most] for first in range(0, len(jobs), most)]
            return [job for one in batches for job in executor.map_array(SubmittedJob(command, sweep.folder), one)]
    except submitit.core.utils.FailedJobError as error:
        lines = [line.removeprefix("sbatch: error: ").strip(" .") for line in str(error).splitlines()]
        reason = "; ".join(filter(None, lines))
        raise PolyprobeError(f"SLURM refuses the jobs: {reason}. Check the keys of hydra.launcher.") from error


def _in_queue(sweep: Sweep) -> list[str]:
    """Returns the numbers of a sweep's jobs that SLURM's queue has; all of them while it does not answer."""
    numbers, states = [*sweep.submitted().values()], slurm_states()
    return [number for number in numbers if states is None or number in states]


def _wait(is_over: Callable[[], bool], longest: float, patience: float = math.inf) -> None:
    """Looks until something is over, at first after a second, then more rarely; no longer than `patience` seconds."""
    seconds, end = 1.0, time.monotonic() + patience
    while not is_over() and time.monotonic() < end:
        time.sleep(seconds)
        seconds = min(2 * seconds, longest)
