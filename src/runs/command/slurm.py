"""The jobs that a sweep has given to SLURM: which of them it still holds, whether it keeps accounts or not."""

import os
import subprocess
import time

from submitit.slurm.slurm import SlurmInfoWatcher, SlurmJob

GONE = "GONE"
BETWEEN_QUESTIONS = 30  # seconds at most; a cluster is not to be asked all the time
BETWEEN_LOOKS = 1  # seconds in which a sweep that is to end notices it


class QueueWatcher(SlurmInfoWatcher):
    """Tells submitit by SLURM's queue which jobs have come to an end: those that it lists no more.

    submitit itself asks `sacct`, which fails where a cluster keeps no accounts: a job that was cancelled there would be
    waited for without end. As long as `squeue` fails, too, no job counts as ended.
    """

    def __init__(self) -> None:
        super().__init__(delay_s=BETWEEN_QUESTIONS)

    def _make_command(self) -> list[str] | None:
        if self._registered <= self._finished:
            return None
        return ["squeue", f"--user={os.getuid()}", "--array", "--noheader", "--format=%i|%T"]

    def read_info(self, string: bytes | str) -> dict[str, dict[str, str]]:
        """Reads what `squeue` prints: a line for each job that is not at its end, "12_3|PENDING"."""
        text = string if isinstance(string, str) else string.decode()
        states = dict(line.strip().split("|", 1) for line in text.splitlines() if "|" in line)
        return {job: {"State": states.get(job, GONE)} for job in self._registered}

    def is_done(self, job_id: str, mode: str = "standard") -> bool:
        """Says whether SLURM holds a job no more; one that it is to start again is held."""
        return self.get_state(job_id, mode) == GONE

    def wait(self) -> bool:
        """Waits until SLURM holds none of the jobs any more. Says whether there were any."""
        self._finished.clear()  # one that seemed gone may be about to be started again
        self.update()
        while not self._registered <= self._finished:
            time.sleep(BETWEEN_LOOKS)
            self.update_if_long_enough("standard")
        return bool(self._registered)

    def cancel(self) -> None:
        """Tells SLURM to end the jobs that it may still hold."""
        if held := sorted(self._registered - self._finished):
            subprocess.run(["scancel", *held], check=False)


def watch_queue() -> None:
    """Lets submitit ask SLURM's queue from now on, and forgets the jobs of an earlier sweep of this process.

    Jobs see the variables of this process, whatever the cluster's own habit: by them they know which sweep they are of.
    """
    SlurmJob.watcher = QueueWatcher()
    os.environ["SBATCH_EXPORT"] = "ALL"


def wait_for_queue() -> bool:
    """Waits until SLURM holds no job of this process's sweep. Says whether it ever had one."""
    return SlurmJob.watcher.wait()


def cancel_jobs() -> None:
    """Ends the jobs of this process's sweep that SLURM holds."""
    SlurmJob.watcher.cancel()

