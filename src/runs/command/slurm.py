"""The jobs of a sweep under SLURM: which of them are still in its queue, with or without accounting."""

import os
import subprocess
import time

from submitit.slurm.slurm import SlurmInfoWatcher, SlurmJob

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
        return bool(self._registered)

    def cancel(self) -> None:
        """Cancels the jobs that may still be in SLURM's queue."""
        if held := sorted(self._registered - self._finished):
            subprocess.run(["scancel", *held], check=False)


def watch_queue() -> None:
    """Lets submitit query SLURM's queue from now on, and forgets the jobs of an earlier sweep of this process.

    Jobs see the variables of this process on every cluster: these say which sweep they belong to.
    """
    SlurmJob.watcher = QueueWatcher()
    os.environ["SBATCH_EXPORT"] = "ALL"


def wait_for_queue() -> bool:
    """Waits until SLURM's queue has no job of this process's sweep. Says whether it ever had one."""
    return SlurmJob.watcher.wait()


def cancel_jobs() -> None:
    """Cancels the jobs of this process's sweep that are in SLURM's queue."""
    SlurmJob.watcher.cancel()
