"""Sweeps on the SLURM cluster that `sinfo` finds: what its users and its time limits do to jobs.

The options of POLYPROBE_SLURM, such as "hydra.launcher.partition=… hydra.launcher.account=…", are added to each sweep.
The folder of the tests (pytest's --basetemp) must be one that all nodes see. Where names of nodes do not resolve, as
with several slurmd on one machine, MASTER_ADDR=127.0.0.1 lets two nodes meet.
"""

import csv
import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from polyprobe.formats.files.locks import FileLock
from tests.commands.scripts import command_line, on_small_data, only_run, run_fresh_script, small_training
from tests.predictors.saved_run import WORDS, write_run
from tests.several_ranks import cached, files

pytestmark = [pytest.mark.slurm, pytest.mark.usefixtures("cluster")]
OPTIONS = os.environ.get("POLYPROBE_SLURM", "").split()
LOOK_AGAIN = 0.2  # seconds


@pytest.fixture(scope="session")
def cluster():
    """Skips where no cluster answers."""
    try:
        subprocess.run(["sinfo"], check=True, capture_output=True, timeout=30)
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"no SLURM cluster answers: {error}")


class ClusterSweep:
    """A sweep of parts of speech on the cluster, started in a folder of no meaning.

    Args:
        data: a small data folder.
        folder: new; the sweep's work folder is below it.
        more: further overrides.
    """

    def __init__(self, data: Path, folder: Path, *more: str):
        self.work = folder / "work"
        self.name = f"polyprobe-{os.getpid()}-{folder.name}"
        self.folder = folder / "elsewhere"
        self.folder.mkdir(parents=True)
        launcher = [
            "hydra/launcher=submitit_slurm",
            f"hydra.launcher.name={self.name}",
            "hydra.launcher.timeout_min=60",
        ]
        self.launcher = [*launcher, *OPTIONS]
        self.arguments = ["-m", *self.launcher, *small_training(data, self.work, *more, task="pos")]

    def run(self) -> subprocess.CompletedProcess[str]:
        return run_fresh_script("train", *self.arguments, cwd=self.folder)

    def started_until(self, *files: str) -> subprocess.Popen:
        """Starts the sweep and waits until its runs have files of these patterns."""
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        process = subprocess.Popen(command_line("train", *self.arguments), cwd=self.folder, **pipes)
        while not all(any((self.work / "runs/train").glob(pattern)) for pattern in files):
            with suppress(subprocess.TimeoutExpired):
                raise AssertionError(process.communicate(timeout=LOOK_AGAIN)[0])
        return process

    def job_ids(self) -> list[str]:
        """Returns SLURM's names of the jobs that it holds, in the order of the sweep."""
        asked = ["squeue", f"--name={self.name}", "--array", "--noheader", "--format=%i"]
        return sorted(subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split())

    def table(self) -> list[dict[str, str]]:
        (path,) = (self.work / "runs/sweeps").glob("*/table.csv")
        with open(path, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def statuses(self) -> list[str]:
        return [row["status"] for row in self.table()]

    def logs(self) -> str:
        return "".join(path.read_text(encoding="utf-8") for path in sorted(self.work.rglob("*_log.out")))


@pytest.fixture
def cluster_sweep(small_data, tmp_path):
    """Makes a sweep; what the cluster still holds of it at the end of the test is cancelled."""
    sweeps = []

    def make(*more):
        sweeps.append(ClusterSweep(small_data, tmp_path / f"sweep{len(sweeps)}", *more))
        return sweeps[-1]

    yield make
    for sweep in sweeps:
        subprocess.run(["scancel", f"--name={sweep.name}"], check=True)


@pytest.fixture(scope="module")
def undisturbed(small_data, tmp_path_factory):
    """The run of LONG, done at once on this machine."""
    work = tmp_path_factory.mktemp("undisturbed")
    done = run_fresh_script("train", *small_training(small_data, work, *LONG, task="pos"))
    assert done.returncode == 0, done.stderr
    return only_run(work, "train")


LONG = ["trainer.max_epochs=60"]
# USR2 is what SLURM sends before a job's time is over; below ten minutes submitit takes any for that.
NINE_MINUTES = "hydra.launcher.timeout_min=9"


def test_a_sweep_starts_in_any_folder(cluster_sweep):
    sweep = cluster_sweep("seed=1,2", "trainer.max_epochs=1")
    done = sweep.run()
    assert done.returncode == 0, done.stderr
    assert sweep.statuses() == ["finished", "finished"]


def test_a_job_that_is_cancelled_does_not_stop_the_other_and_the_same_command_finishes_both(cluster_sweep):
    sweep = cluster_sweep("seed=1,2", *LONG)
    process = sweep.started_until("*s1*/epochs/02.ckpt", "*s2*/epochs/02.ckpt")
    subprocess.run(["scancel", sweep.job_ids()[1]], check=True)
    said = process.communicate()[0]
    assert process.returncode == 1, said
    assert sweep.statuses() == ["finished", "interrupted"], said
    assert "SLURM ended job" in sweep.table()[1]["reason"]
    again = sweep.run()
    assert again.returncode == 0, again.stderr
    assert sweep.statuses() == ["finished", "finished"]
    assert "resuming" in sweep.logs()


@pytest.mark.parametrize("again", [["scancel", "--signal=USR2"], ["scontrol", "requeue"]], ids=["time-out", "requeue"])
def test_a_job_that_slurm_starts_again_goes_on_and_ends_with_the_same_rows(cluster_sweep, undisturbed, again):
    sweep = cluster_sweep("seed=1", *LONG, NINE_MINUTES, "hydra.launcher.max_num_timeout=1")
    process = sweep.started_until("*s1*/epochs/03.ckpt")
    subprocess.run([*again, *sweep.job_ids()], check=True)
    said = process.communicate()[0]
    assert process.returncode == 0, said
    assert sweep.statuses() == ["finished"], said
    assert "resuming" in sweep.logs()
    run = only_run(sweep.work, "train")
    assert (run / "results.jsonl").read_bytes() == (undisturbed / "results.jsonl").read_bytes()
    assert (run / "metrics.csv").read_bytes() == (undisturbed / "metrics.csv").read_bytes()


def test_a_job_that_slurm_does_not_start_again_says_which_keys_let_it_go_on(cluster_sweep):
    sweep = cluster_sweep("seed=1", *LONG, NINE_MINUTES)
    process = sweep.started_until("*s1*/epochs/03.ckpt")
    subprocess.run(["scancel", "--signal=USR2", *sweep.job_ids()], check=True)
    said = process.communicate()[0]
    assert process.returncode == 1, said
    assert sweep.statuses() == ["failed"], said
    assert "hydra.launcher.max_num_timeout" in sweep.table()[0]["reason"]


def test_a_sweep_that_is_interrupted_ends_its_jobs(cluster_sweep):
    sweep = cluster_sweep("seed=1", "trainer.max_epochs=100000")
    process = sweep.started_until("*s1*/epochs/03.ckpt")
    process.terminate()
    said = process.communicate()[0]
    assert process.returncode == 143, said
    assert sweep.statuses() == ["interrupted"], said


def test_jobs_of_two_processes_work(cluster_sweep):
    processes = ["trainer=ddp", "trainer.accelerator=cpu", "trainer.devices=2", "hydra.launcher.cpus_per_task=2"]
    sweep = cluster_sweep("seed=1,2", "trainer.max_epochs=1", *processes)
    done = sweep.run()
    assert done.returncode == 0, done.stderr
    assert sweep.statuses() == ["finished", "finished"]


TWO_NODES = [
    "trainer=ddp",
    "trainer.accelerator=cpu",
    "trainer.devices=1",
    "trainer.num_nodes=2",
    "model.dropout=0.0",
    "hydra.launcher.nodes=2",
    "seed=1",
]


@pytest.fixture
def needs_two_nodes():
    """Skips where the cluster has one node."""
    listed = subprocess.run(
        ["sinfo", "--noheader", "--Node", "--format=%N"], capture_output=True, text=True, check=True
    )
    if len(set(listed.stdout.split())) < 2:
        pytest.skip("the cluster has one node")


@pytest.fixture(scope="module")
def two_processes(small_data, tmp_path_factory):
    """The run of LONG without dropout, done by two processes of this machine."""
    work = tmp_path_factory.mktemp("two_processes")
    processes = ["trainer=ddp", "trainer.accelerator=cpu", "trainer.devices=2", "model.dropout=0.0"]
    done = run_fresh_script("train", *small_training(small_data, work, *LONG, *processes, task="pos"))
    assert done.returncode == 0, done.stderr
    return only_run(work, "train")


def assert_equal_rows(run, other):
    for name in ("results.jsonl", "metrics.csv"):
        assert (run / name).read_bytes() == (other / name).read_bytes()


@pytest.mark.usefixtures("needs_two_nodes")
def test_two_nodes_end_with_the_rows_of_two_processes_and_show_them_again(cluster_sweep, two_processes):
    sweep = cluster_sweep(*LONG, *TWO_NODES)
    done = sweep.run()
    assert (done.returncode, sweep.statuses()) == (0, ["finished"]), done.stderr
    assert_equal_rows(only_run(sweep.work, "train"), two_processes)
    again = sweep.run()
    assert (again.returncode, sweep.statuses()) == (0, ["finished"]), again.stderr


KILL = """
import os, pathlib, signal
job = "SLURM_JOB_ID=" + os.environ["SLURM_JOB_ID"]
wanted = {job.encode(), b"SLURM_PROCID=1", b"SUBMITIT_EXECUTOR=slurm", b"SLURM_STEP_ID=0"}
for folder in pathlib.Path("/proc").glob("[0-9]*"):
    try:
        found = wanted <= set((folder / "environ").read_bytes().split(bytes(1)))
    except OSError:
        continue
    if found:
        os.kill(int(folder.name), signal.SIGKILL)
"""


@pytest.mark.usefixtures("needs_two_nodes")
def test_a_process_that_is_lost_ends_those_of_all_nodes_and_the_same_command_goes_on(cluster_sweep, two_processes):
    sweep = cluster_sweep(*LONG, *TWO_NODES)
    process = sweep.started_until("*s1*/epochs/03.ckpt")
    (job,) = sweep.job_ids()
    everywhere = ["srun", f"--jobid={job}", "--overlap", "--nodes=2", "--ntasks-per-node=1"]
    subprocess.run([*everywhere, sys.executable, "-c", KILL], check=False)
    said = process.communicate()[0]
    (row,) = sweep.table()
    assert process.returncode == 1, said
    assert row["status"] in ("failed", "interrupted"), said  # by who notices it first: this process or SLURM
    again = sweep.run()
    assert (again.returncode, sweep.statuses()) == (0, ["finished"]), again.stderr
    assert "resuming" in sweep.logs()
    assert_equal_rows(only_run(sweep.work, "train"), two_processes)


@pytest.mark.usefixtures("needs_two_nodes")
def test_a_job_that_fails_in_its_first_process_ends_the_other(cluster_sweep, two_processes):
    """A run that another process works on is refused by the first one alone; the other would wait for it."""
    sweep = cluster_sweep(*LONG, *TWO_NODES)
    run = sweep.work / "runs/train" / two_processes.name
    run.mkdir(parents=True)
    with FileLock(run / ".lock").acquire(timeout=0):
        done = sweep.run()
    assert (done.returncode, sweep.statuses()) == (1, ["failed"]), done.stderr


def probes(small_data, folder):
    return ["lang.generator=null", f"paths.data={small_data}", "tests=[Case,Person]", "probe.max_epochs=2", "seeds=2"]


def pairs_of_sentences(small_data, folder):
    pairs = [json.dumps({"sentence_good": f"the dogs {one}", "sentence_bad": f"the dog {one}"}) for one in WORDS]
    (folder / "dogs.jsonl").write_text("\n".join(pairs) + "\n", encoding="utf-8")
    suite = ["suite=own", f"suite.path={folder / 'dogs.jsonl'}", "suite.format=blimp", "suite.end_of_sentence=."]
    return [*suite, "lang=en", "predictor=lstm", f"predictor.run={write_run(folder)}"]


@pytest.mark.usefixtures("needs_two_nodes")
@pytest.mark.parametrize("asked", [probes, pairs_of_sentences])
def test_two_nodes_find_and_keep_together_what_one_process_does(cluster_sweep, small_data, tmp_path, asked):
    launcher = [*cluster_sweep().launcher, "hydra.launcher.nodes=2"]
    nodes = ["trainer=ddp", "trainer.accelerator=cpu", "trainer.devices=1", "trainer.num_nodes=2"]
    typed = [*asked(small_data, tmp_path), "trainer.threads=1"]
    for work, more in (("one", ()), ("two", ("-m", *nodes, *launcher))):
        done = run_fresh_script("probe", *more, *typed, f"paths.work={tmp_path / work}", cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
    alone, together = (only_run(tmp_path / work, "probe") for work in ("one", "two"))
    assert together.name == alone.name
    assert files(together) == files(alone)
    assert cached(tmp_path / "two") == cached(tmp_path / "one")
    assert json.loads((together / "run.json").read_text(encoding="utf-8"))["starts"][0]["devices"] == 2


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("hydra.launcher.partition=no_such_one", "invalid partition specified: no_such_one"),
        ("hydra.launcher.gres=gpu:no_such_one:1", "Invalid generic resource (gres) specification"),
    ],
)
def test_what_the_cluster_refuses_is_said_in_a_line(cluster_sweep, asked, expected):
    sweep = cluster_sweep("seed=1,2", asked)
    done = sweep.run()
    (last,) = done.stderr.strip().splitlines()
    assert done.returncode == 1
    assert last.startswith("SLURM refuses the jobs: ")
    assert expected in last
    assert not list((sweep.work / "runs/sweeps").glob("*/table.csv"))


def test_a_sweep_that_does_not_wait_is_submitted_once_and_shown_by_the_same_command(cluster_sweep):
    sweep = cluster_sweep("monitor=dev/accuracy,dev/acuracy", "trainer.max_epochs=1", "hydra.launcher.wait=false")
    first = sweep.run()
    assert (first.returncode, "submitted 2 jobs" in first.stdout) == (0, True), first.stdout + first.stderr
    assert len(sweep.job_ids()) + len([one for one in sweep.statuses() if one in ("finished", "failed")]) >= 2
    second = sweep.run()
    assert "submitted" not in second.stdout.replace(sweep.name, "")
    while sweep.job_ids():
        time.sleep(LOOK_AGAIN)
    third = sweep.run()
    assert (third.returncode, sweep.statuses()) == (1, ["finished", "failed"]), third.stdout
    assert "failed: monitor=dev/acuracy: " in third.stdout
    assert "1 job did not finish; hydra.launcher.again=true submits them again" in third.stdout
    assert not sweep.job_ids()
    sweep.arguments.append("hydra.launcher.again=true")
    assert "submitted 1 job" in sweep.run().stdout


SLOW_ENCODER = """
import time
from pathlib import Path
import numpy as np
from polyprobe.encoders.base.encoder import Encoder, Layer
from polyprobe.items import Form


class Slow(Encoder):
    accepts = frozenset({Form})
    layers, fingerprint = (Layer("length", 1),), "slow"

    def encode(self, items):
        with open("diary", "a", encoding="utf-8") as diary:
            diary.writelines(f"{item.form}\\n" for item in items)
        time.sleep(20)  # so that the other jobs begin before the first has finished
        yield (np.array([[len(item.form)] for item in items], dtype=np.float32),)
"""


def test_four_jobs_on_one_empty_cache_encode_each_item_once(cluster_sweep, small_data, tmp_path):
    (tmp_path / "slow_encoder.py").write_text(SLOW_ENCODER, encoding="utf-8")
    launcher = cluster_sweep().launcher
    swept = ["seed=1,2,3,4", "tests=[Case,Person]", "trainer.threads=1", "probe.max_epochs=2"]
    own = ["encoder=own", "encoder._target_=slow_encoder.Slow"]
    arguments = ["-m", *on_small_data(small_data, tmp_path / "work"), *swept, *own, *launcher]
    done = run_fresh_script("probe", *arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    encoded = (tmp_path / "diary").read_text(encoding="utf-8").splitlines()
    assert len(encoded) == len(set(encoded)) > 0
