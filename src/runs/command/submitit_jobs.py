"""Hydra's submitit launchers for jobs each of which may be lost: what is left is submitted, and waited for or not.

The plugin's launchers, `hydra/launcher=submitit_local` and `submitit_slurm`, end with the first job that was killed,
and always wait.
"""

import math
import os
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr
from dataclasses import dataclass, fields
from io import StringIO
from pathlib import Path
from typing import Any

from hydra.core.config_store import ConfigStore
from hydra.core.plugins import Plugins
from hydra.core.singleton import Singleton
from hydra_plugins.hydra_submitit_launcher.config import BaseQueueConf, SlurmQueueConf
from hydra_plugins.hydra_submitit_launcher.submitit_launcher import LocalLauncher, SlurmLauncher

from polyprobe.display.shown import plural, say
from polyprobe.errors import PolyprobeError
from polyprobe.runs.command.sweep import FINISHED, Sweep, slurm_states

Jobs = Sequence[Sequence[str]]

LONGEST_WAIT = 30  # seconds between two looks at SLURM's queue
CANCEL_SECONDS = 40  # in which SLURM has ended a job that is cancelled
_SHARED = {field.name for field in fields(BaseQueueConf)}  # keys that submitit has for every executor
_NO_PARAMETERS = ("submitit_folder", "max_num_timeout", "wait", "again")


@dataclass
class SlurmConf(SlurmQueueConf):
    """The keys of `hydra/launcher=submitit_slurm`: the plugin's, and two."""

    wait: bool = True
    """false: submit the jobs and end; the same command later shows how far they are."""
    again: bool = False
    """With wait=false: also submit jobs that failed or were interrupted."""


def replace_launch() -> None:
    """Lets the plugin's launchers start jobs by the functions below, in this process; those of jobs stay as they are.

    Hydra takes launchers from packages below `hydra_plugins` alone, where a class of ours would be one of every program
    of the environment.
    """
    Plugins.instance()  # loads the plugin, and its keys
    ConfigStore.instance().store(group="hydra/launcher", name="submitit_slurm", node=SlurmConf, provider="polyprobe")
    LocalLauncher.launch, SlurmLauncher.launch = _launch_here, _launch_on_slurm


def _launch_here(launcher: LocalLauncher, job_overrides: Jobs, initial_job_idx: int) -> list[Any]:
    """Starts jobs as processes of this machine, and waits for all."""
    jobs = _submitted(launcher, job_overrides, initial_job_idx)
    try:
        _wait(lambda: all(job.done() for job in jobs), longest=1)
    except BaseException:
        for job in jobs:
            job.cancel()
        raise
    return []


def _launch_on_slurm(launcher: SlurmLauncher, job_overrides: Jobs, initial_job_idx: int) -> list[Any]:
    """Submits the jobs that are neither finished nor in SLURM's queue; waits until none is there, unless `wait=false`.

    Raises:
        PolyprobeError: SLURM refuses the jobs.
    """
    sweep, waits = Sweep(Path(str(launcher.config.hydra.sweep.dir))), launcher.params["wait"]
    unfinished = _unfinished(sweep, job_overrides)
    known = sweep.submitted()
    is_again = waits or launcher.params["again"]
    left = [job for job in unfinished if is_again or sweep.record_path(job).stem not in known]
    if left:
        # Jobs see the variables of this process on every cluster; where one of several processes fails, all end.
        os.environ |= {"SBATCH_EXPORT": "ALL", "SLURM_KILL_BAD_EXIT": "1"}
        jobs = _submitted(launcher, left, initial_job_idx)
        sweep.note_submitted({tuple(one): job.job_id for one, job in zip(left, jobs, strict=True)})
    if not waits:
        if left:
            say(f"submitted {plural(len(left), 'job')} to SLURM; the same command shows how far they are")
        elif unfinished:
            say(f"{plural(len(unfinished), 'job')} did not finish; hydra.launcher.again=true submits them again")
        return []
    try:
        _wait(lambda: not _in_queue(sweep), LONGEST_WAIT)
    except BaseException:
        if numbers := _in_queue(sweep):
            subprocess.run(["scancel", *numbers], check=False)
            _wait(lambda: not _in_queue(sweep), longest=1, patience=CANCEL_SECONDS)
        raise
    return []


def _unfinished(sweep: Sweep, jobs: Jobs) -> list[list[str]]:
    """Returns the jobs that are neither finished nor in SLURM's queue."""
    submitted, states, found = sweep.submitted(), slurm_states() or {}, []
    for job in jobs:
        record = sweep.record(job)
        is_finished = record is not None and record.status == FINISHED
        if not is_finished and submitted.get(sweep.record_path(job).stem) not in states:
            found.append(list(job))
    return found


def _submitted(launcher: LocalLauncher | SlurmLauncher, jobs: Jobs, first: int) -> list[Any]:
    import submitit

    cluster, given = launcher._EXECUTOR, launcher.params
    limits = {"slurm_max_num_timeout": given["max_num_timeout"]} if cluster == "slurm" else {}
    params = {key: value for key, value in given.items() if key not in _NO_PARAMETERS}
    executor = submitit.AutoExecutor(folder=given["submitit_folder"], cluster=cluster, **limits)
    executor.update_parameters(**{key if key in _SHARED else f"{cluster}_{key}": one for key, one in params.items()})
    arguments = [(list(job), "hydra.sweep.dir", first + n, "", Singleton.get_state()) for n, job in enumerate(jobs)]
    try:
        with redirect_stderr(StringIO()):  # what sbatch prints is in its error
            return executor.map_array(launcher, *zip(*arguments, strict=True))
    except submitit.core.utils.FailedJobError as error:
        lines = [line.removeprefix("sbatch: error: ").strip(" .") for line in str(error).splitlines()]
        said = "; ".join(filter(None, lines))
        raise PolyprobeError(f"SLURM refuses the jobs: {said}. Check the keys of hydra.launcher.") from error


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
