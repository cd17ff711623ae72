"""What a sweep of many tiny jobs costs beside its work: CPU seconds and wall time a job, memory of the parent, tables.

A job is a probe of `encoder=length` on one test of lang=mini. The sweep runs twice: the first time half of its jobs,
killed (SIGKILL) as soon as they are done; the second time all of them, those that are finished are shown and not done
again. Its table must be that of a sweep that nobody killed, which `--check` runs, too, in another folder.

Run: python -m benchmarks.sweep_of_many --jobs 50 --work /tmp/many
     python -m benchmarks.sweep_of_many --jobs 2000 --launcher joblib --work /tmp/many      (hours on two cores)
"""

import argparse
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOOK_AGAIN = 0.2  # seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=50)
    parser.add_argument("--work", type=Path, required=True, help="a folder that is not there yet")
    parser.add_argument("--launcher", choices=("basic", "joblib", "submitit_local"), default="basic")
    parser.add_argument("--check", action="store_true", help="compare with a sweep that is not killed")
    arguments = parser.parse_args()
    work = arguments.work / "killed"
    started = _start(arguments, work)
    n_done = _wait_until_half_is_done(started, work, arguments.jobs)
    print(f"killed with {n_done} of {arguments.jobs} jobs done", flush=True)
    kept = {path: path.stat().st_mtime_ns for path in work.glob("runs/probe/*/results.jsonl")}
    _report("the same command again", arguments, work, arguments.jobs - n_done)
    assert all(path.stat().st_mtime_ns == kept[path] for path in kept), "a finished job was done again"
    _report("once more, all finished", arguments, work, 0)
    if arguments.check:
        whole = arguments.work / "whole"
        _report("not killed", arguments, whole, arguments.jobs)
        assert _table(work).replace(str(work), "") == _table(whole).replace(str(whole), ""), "other tables"
        print("tables of the killed sweep and of the other one are equal")


def _start(arguments: argparse.Namespace, work: Path) -> subprocess.Popen:
    typed = [f"seed=range(1,{arguments.jobs + 1})", "lang=mini", "encoder=length", "tests=[Case]", "trainer.threads=1"]
    own = [f"paths.work={work}", f"hydra/launcher={arguments.launcher}"]
    command = [sys.executable, str(ROOT / "probe.py"), "-m", *typed, *own]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)


def _wait_until_half_is_done(started: subprocess.Popen, work: Path, n_jobs: int) -> int:
    """Kills the sweep and its processes when half of its jobs are done; returns how many are."""
    while len(list(work.glob("runs/probe/*/results.jsonl"))) < n_jobs // 2:
        assert started.poll() is None, "the sweep has ended by itself"
        time.sleep(LOOK_AGAIN)
    os.killpg(started.pid, signal.SIGKILL)
    started.wait()
    return len(list(work.glob("runs/probe/*/results.jsonl")))


def _report(name: str, arguments: argparse.Namespace, work: Path, n_new: int) -> None:
    """Runs the sweep to its end, and prints what it took."""
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    process = _start(arguments, work)
    peak = 0
    while process.poll() is None:
        peak = max(peak, _resident(process.pid))
        time.sleep(LOOK_AGAIN)
    assert process.returncode == 0, f"the sweep ended with {process.returncode}"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    wall = time.perf_counter() - began
    per_job = f"{cpu / arguments.jobs:.2f} s of CPU time and {wall / arguments.jobs:.2f} s for each job of the sweep"
    print(
        f"{name}: {n_new} jobs to do, {cpu:.0f} s of CPU time, {wall:.0f} s; {per_job}; parent {peak} MiB", flush=True
    )


def _resident(process: int) -> int:
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    except OSError:
        return 0
    return next((int(line.split()[1]) // 1024 for line in status.splitlines() if line.startswith("VmRSS")), 0)


def _table(work: Path) -> str:
    (path,) = work.glob("runs/sweeps/*/table.csv")
    return path.read_text(encoding="utf-8")


if __name__ == "__main__":
    main()
