"""How a sweep starts and ends: every job is checked before the first one, and a table shows all outcomes."""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import redirect_stderr, suppress
from io import StringIO
from itertools import pairwise
from pathlib import Path
from typing import Any

from hydra.plugins.sweeper import Sweeper as SweeperOfHydra
from omegaconf import OmegaConf
from submitit.core import utils as submitit_utils
from submitit.core.utils import CommandFunction, FailedJobError
from submitit.slurm.slurm import SlurmInfoWatcher, SlurmJob

from polyprobe.display.shown import plural
from polyprobe.errors import PolyprobeError
from polyprobe.runs.command.overrides import (
    CommandLineError,
    composed,
    composing,
    jobs_of,
    of_hydra,
    overrides_of,
    parsed,
)
from polyprobe.runs.command.signals import SWEEP
from polyprobe.runs.command.sweep import (
    DONE,
    FAILED,
    INTERRUPTED,
    RUNNING,
    WAITING,
    JobRecord,
    Sweep,
    key_of,
    lock_of,
    read_job_record,
    sweep_name,
    write_job_record,
    write_record_of_free_job,
)
from polyprobe.runs.command.sweep_job import LEFT_OVER
from polyprobe.runs.names.conf_folders import PACKAGE, is_group
from polyprobe.runs.trainer_settings import n_devices, runs_several_processes

Report = Callable[[Path], None]
IMPORTED_FROM = "PYTHONPATH"
W_AND_B_GROUP = "WANDB_RUN_GROUP"  # what wandb itself reads
CANNOT_START_PROCESSES = ("joblib",)
_PARAMETERS = "hydra.sweeper.params"
NO_PARAMETERS = f"{_PARAMETERS} is not read. Expected the values on the command line, such as -m seed=1,2."
_SLURM = ".SlurmLauncher"  # submitit's, under the name of any file
LET_GO = "SLURM let it go before its end: cancelled, out of time, or its node failed; repeat the command to resume"


class JobsRefused(PolyprobeError):
    """SLURM refuses the jobs of a sweep.

    Args:
        said: what `sbatch` has printed.
    """

    def __init__(self, said: str):
        lines = [line.removeprefix("sbatch: error: ").strip(" .") for line in said.splitlines()]
        super().__init__(
            f"SLURM refuses the jobs: {'; '.join(filter(None, lines))}. Nothing has begun. Check the keys of "
            f"hydra.launcher. {_resources()}"
        )


def _resources() -> str:
    """Returns "Partitions here: cpu (no GPUs), gpu (gpu:a100:4)." as the cluster says."""
    try:
        asked = ["sinfo", "--noheader", "--format=%R|%G"]
        listed = subprocess.run(asked, check=True, capture_output=True, text=True, timeout=BETWEEN_QUESTIONS).stdout
    except (OSError, subprocess.SubprocessError):
        return ""
    partitions = dict.fromkeys(line.replace("(null)", "no GPUs").strip() for line in listed.splitlines())
    shown = ", ".join("{} ({})".format(*line.split("|", 1)) for line in partitions)
    return f"Partitions here: {shown}."


def begin_sweep(name: str, arguments: list[str]) -> Sweep:
    """Checks every job of a sweep, notes them in its folder, and sets the variables by which jobs know their sweep.

    Raises:
        CommandLineError: an override names no key or choice, or the launcher has no settings here.
        PolyprobeError: another process works on the sweep, or its folder cannot be written.
    """
    overrides = overrides_of(arguments)
    hydra = of_hydra(arguments)
    if any(key_of(one).startswith(_PARAMETERS) for one in arguments):  # +hydra.sweeper.params.seed cannot be composed
        raise CommandLineError(NO_PARAMETERS)
    with composing():
        jobs = jobs_of(overrides)
        keys = [one.key_or_group for one in parsed(overrides) if one.is_sweep_override()]
        for of_another_sweep in (SWEEP, LEFT_OVER):
            os.environ.pop(of_another_sweep, None)
        configs = [_composed(name, job, keys, hydra) for job in _of_different_shape(jobs)]
    for config in configs:
        if config.hydra.sweeper.get("params"):
            raise CommandLineError(NO_PARAMETERS)
        _check_launcher(config)
    if name == "probe":
        _check_seeds(configs, jobs)
    sweep = Sweep(Path(configs[0].hydra.sweep.dir).absolute() / sweep_name(name, keys, jobs))
    sweep.begin(keys, jobs)
    _tell_processes_to_come(sweep)
    SweeperOfHydra.validate_batch_is_legal = lambda sweeper, batch: None  # ten minutes for 2,000 jobs, checked above
    watch_queue()
    print(f"sweep of {plural(len(jobs), 'job')}   {sweep.folder}", flush=True)
    return sweep


def end_sweep(sweep: Sweep, is_whole: bool, report: Report) -> int:
    """Waits for jobs that are still at work, then reports the sweep.

    Afterwards another process may begin the sweep.

    Args:
        sweep: from `begin_sweep`.
        is_whole: whether the sweep has finished; an interrupted one first ends the jobs of this machine.
        report: prints and writes the tables of the sweep in a folder.

    Returns:
        How many jobs are neither finished nor skipped.
    """
    if not is_whole:
        sweep.call_off()
        cancel_jobs()
        _end_jobs(sweep.records())
    for job, record in zip(sweep.jobs, sweep.records(), strict=True):
        if record is not None and record.status in (RUNNING, WAITING):
            _settle(sweep, job, is_whole)
    report(sweep.folder)
    sweep.end()
    return sum(record is None or record.status not in DONE for record in sweep.records())


def check_not_refused(error: Exception) -> None:
    """Tells the end of a launcher that SLURM has taken no job of.

    Raises:
        JobsRefused: `sbatch` has refused them.
    """
    if isinstance(error, FailedJobError) and not SlurmJob.watcher.has_jobs:
        raise JobsRefused(str(error)) from error


def wait_for_jobs_in_queue(sweep: Sweep) -> None:
    """Waits until SLURM's queue has no job of the sweep, and notes which of them left it before their end.

    Does nothing without SLURM's jobs: those that a launcher of this machine did not begin may still begin.
    """
    if not wait_for_queue():
        return
    for job, record in zip(sweep.jobs, sweep.records(), strict=True):
        if record is None or record.status == WAITING or (record.status == INTERRUPTED and not record.reason):
            write_record_of_free_job(sweep.record_path(job), job, INTERRUPTED, LET_GO)


def _tell_processes_to_come(sweep: Sweep) -> None:
    """Sets the variables by which jobs know their sweep, find this program from any folder, and no module there."""
    os.environ[SWEEP] = str(sweep.folder)
    os.environ["PYTHONSAFEPATH"] = "1"  # launchers start `python -m`
    os.environ.setdefault(W_AND_B_GROUP, sweep.name)
    folders = os.environ.get(IMPORTED_FROM, "").split(os.pathsep)
    place = str(PACKAGE.parent)
    if PACKAGE.name != "polyprobe" and place not in folders:  # a checkout; what is installed is found without it
        os.environ[IMPORTED_FROM] = os.pathsep.join([place, *filter(None, folders)])


def _of_different_shape(jobs: Iterable[Sequence[str]]) -> list[Sequence[str]]:
    """Skips jobs that differ from an earlier one in values alone: they compose alike."""
    shapes = {}
    for job in jobs:
        shape = tuple(one for one in job if is_group(key_of(one)) or key_of(one).startswith("trainer."))
        shapes.setdefault(shape, job)
    return list(shapes.values())


def _composed(name: str, job: Sequence[str], keys: Sequence[str], hydra: Sequence[str]) -> Any:
    try:
        return composed(name, job, hydra)
    except CommandLineError as error:
        swept = " ".join(one for one in job if key_of(one) in keys)
        raise CommandLineError(f"{error} (So in the job {swept}.)") from error


def _check_seeds(configs: Iterable[Any], jobs: Iterable[Sequence[str]]) -> None:
    """Refuses jobs that share seeds: a mean over them would count the same results twice.

    Args:
        configs: compositions, one for each shape of jobs: an experiment may have its own `seeds`.
        jobs: what each job types.
    """
    typed = [dict(one.split("=", 1) for one in job if "=" in one) for job in jobs]
    seeds = sorted({int(one["seed"]) for one in typed if one.get("seed", "").isdecimal()})
    of_jobs = {*(one["seeds"] for one in typed if "seeds" in one), *(str(one.seeds) for one in configs)}
    n_seeds = max((int(one) for one in of_jobs if one.isdecimal()), default=1)
    if any(later - one < n_seeds for one, later in pairwise(seeds)):
        apart = ",".join(str(seeds[0] + number * n_seeds) for number in range(len(seeds)))
        raise CommandLineError(
            f"seed={','.join(map(str, seeds))} with seeds={n_seeds} share seeds: each job takes seed, seed+1, … "
            f"Expected seed={apart}, or one run with seed={seeds[0]} seeds={seeds[-1] + n_seeds - seeds[0]}."
        )


def _check_launcher(config: Any) -> None:
    launcher = config.hydra.runtime.choices["hydra/launcher"]
    trainer = OmegaConf.to_container(config).get("trainer") or {}
    settings = OmegaConf.to_container(config.hydra.launcher)
    _check_processes(launcher, settings, trainer)
    if launcher in CANNOT_START_PROCESSES and runs_several_processes(trainer):
        raise CommandLineError(
            f"hydra/launcher={launcher} runs its jobs side by side, each in one process; trainer.devices="
            f"{trainer['devices']} asks for more. Use trainer.devices=1, or no launcher."
        )
    if settings.get("_target_", "").endswith(_SLURM) and shutil.which("sbatch") is None:
        raise CommandLineError(
            f"hydra/launcher={launcher}: no sbatch here. Expected a login node of a SLURM cluster; on this machine "
            "hydra/launcher=submitit_local or joblib."
        )


def _check_processes(launcher: str, settings: Mapping[str, Any], trainer: Mapping[str, Any]) -> None:
    """Checks that a launcher starts as many processes for each job as the section `trainer` expects of it."""
    of_launcher = {f"hydra.launcher.{key}": settings.get(key, 1) for key in ("nodes", "tasks_per_node")}
    of_trainer = {"trainer.num_nodes": trainer.get("num_nodes", 1), "trainer.devices": n_devices(trainer)}
    if set(of_launcher.values()) == {1} and of_trainer["trainer.num_nodes"] == 1:
        return
    if not settings.get("_target_", "").endswith(_SLURM):
        several = _typed(
            {key: value for key, value in {**of_launcher, **of_trainer}.items() if "node" in key and value != 1}
        )
        raise CommandLineError(
            f"{several}: hydra/launcher={launcher} starts one process for each job, on this machine. Expected "
            "hydra/launcher=submitit_slurm on a cluster; here trainer.devices alone."
        )
    if list(map(str, of_launcher.values())) != list(map(str, of_trainer.values())):
        raise CommandLineError(
            f"{_typed(of_launcher)} with {_typed(of_trainer)}: on several nodes SLURM starts all processes. Expected "
            "hydra.launcher.nodes equal to trainer.num_nodes, and hydra.launcher.tasks_per_node to trainer.devices."
        )


def _typed(values: Mapping[str, Any]) -> str:
    return " ".join(f"{key}={value}" for key, value in values.items())


def _end_jobs(records: Iterable[JobRecord | None]) -> None:
    for record in records:
        is_here = record is not None and record.host == socket.gethostname() and record.process != os.getpid()
        if is_here and record.status == RUNNING:
            with suppress(ProcessLookupError):
                os.kill(record.process, signal.SIGTERM)


def _settle(sweep: Sweep, job: Sequence[str], is_whole: bool) -> None:
    """Waits until nobody works on a job that was running; if its process recorded nothing, it was killed."""
    path = sweep.record_path(job)
    with lock_of(path).acquire():
        status = read_job_record(path).status
        if status == RUNNING and is_whole:
            write_job_record(path, job, FAILED, "its process was killed")
        elif status in (RUNNING, WAITING):
            write_job_record(path, job, INTERRUPTED)


GONE = "GONE"
BETWEEN_QUESTIONS = 30  # seconds at most; a cluster is not to be queried all the time
BETWEEN_LOOKS = 1  # seconds in which a sweep that is to end notices it


class QueueWatcher(SlurmInfoWatcher):
    """Reports to submitit by SLURM's queue which jobs have ended: those that are no longer listed.

    submitit itself queries `sacct`, which fails on clusters without accounting: a job that was cancelled there would be
    waited for without end. As long as `squeue` fails, too, no job counts as ended.
    """

    def __init__(self) -> None:
        super().__init__(delay_s=BETWEEN_QUESTIONS)

    def _make_command(self) -> list[str] | None:
        if self._registered <= self._finished:
            return None
        return ["squeue", f"--user={os.getuid()}", "--array", "--noheader", "--format=%i|%T"]

    def read_info(self, string: bytes | str) -> dict[str, dict[str, str]]:
        """Reads the output of `squeue`: a line for each job that has not ended, "12_3|PENDING"."""
        text = string if isinstance(string, str) else string.decode()
        states = dict(line.strip().split("|", 1) for line in text.splitlines() if "|" in line)
        return {job: {"State": states.get(job, GONE)} for job in self._registered}

    @property
    def has_jobs(self) -> bool:
        """Whether SLURM has taken any job of this process's sweep."""
        return bool(self._registered)

    def is_done(self, job_id: str, mode: str = "standard") -> bool:
        """Says whether a job is no longer in SLURM's queue; one that is to be started again still is."""
        return self.get_state(job_id, mode) == GONE

    def wait(self) -> bool:
        """Waits until none of the jobs is in SLURM's queue. Says whether there were any."""
        self._finished.clear()  # a job that seemed gone may be about to be started again
        self.update()
        while not self._registered <= self._finished:
            time.sleep(BETWEEN_LOOKS)
            self.update_if_long_enough("standard")
        return self.has_jobs

    def cancel(self) -> None:
        """Cancels the jobs that may still be in SLURM's queue."""
        if held := sorted(self._registered - self._finished):
            subprocess.run(["scancel", *held], check=False)


class QuietCommand(CommandFunction):
    """A command of submitit, whose error says what it has printed: once is enough."""

    def __call__(self, *arguments: Any, **options: Any) -> str:
        with redirect_stderr(StringIO()):
            return super().__call__(*arguments, **options)


def watch_queue() -> None:
    """Lets submitit query SLURM's queue from now on, and forgets the jobs of an earlier sweep of this process.

    Jobs see the variables of this process on every cluster: these say which sweep they belong to. Where one of several
    processes of a job fails, SLURM ends the others.
    """
    SlurmJob.watcher, submitit_utils.CommandFunction = QueueWatcher(), QuietCommand
    os.environ |= {"SBATCH_EXPORT": "ALL", "SLURM_KILL_BAD_EXIT": "1"}


def wait_for_queue() -> bool:
    """Waits until SLURM's queue has no job of this process's sweep. Says whether it ever had one."""
    return SlurmJob.watcher.wait()


def cancel_jobs() -> None:
    """Cancels the jobs of this process's sweep that are in SLURM's queue."""
    if isinstance(SlurmJob.watcher, QueueWatcher):  # else no sweep of this process has begun
        SlurmJob.watcher.cancel()
