"""Sweeps, started as a user starts them: what each launcher does with jobs that end well, badly or not at all."""

import csv
import shlex
import signal
import subprocess
import time
from pathlib import Path

import pytest

import polyprobe as pp
from polyprobe.formats.files.locks import FileLock
from tests.commands.forked import ended_by, run_script, started_until
from tests.commands.scripts import command_line, on_small_data, run_fresh_script, small_training
from tests.offline_dashboards import offline_run


def sweep(data: Path, work: Path, *more: str) -> list[str]:
    """A sweep of parts of speech whose jobs take a second or two each."""
    return ["-m", *small_training(data, work, "trainer.max_epochs=1", task="pos"), *more]


def sweep_folder(work: Path) -> Path:
    (folder,) = (work / "runs" / "sweeps").iterdir()
    return folder


def table(work: Path, name: str = "table") -> list[dict[str, str]]:
    with open(sweep_folder(work) / f"{name}.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def statuses(work: Path) -> list[str]:
    return [row["status"] for row in table(work)]


def test_jobs_that_cannot_be_are_skipped_and_finished_ones_are_not_repeated(small_data, work):
    swept = ["lang=mini,ar", "seed=1,2", "logger=wandb_offline"]
    first = run_script("train", *sweep(small_data, work, *swept))
    assert first.returncode == 0, first.stderr
    assert "Traceback" not in first.stderr
    assert statuses(work) == ["finished", "finished", "skipped", "skipped"]
    assert "skipped: lang=ar seed=1: task=pos has no corpus for lang=ar" in first.stdout
    assert [row["n"] for row in table(work, "means")] == ["2"]
    one, other = [offline_run(run) for run in (work / "runs" / "train").iterdir()]
    assert one.group == other.group == sweep_folder(work).name
    assert set(one.config) == set(other.config)
    assert {one.config["seed"], other.config["seed"]} == {1, 2}
    commands = [shlex.split(pp.open_run(run).command) for run in (work / "runs" / "train").iterdir()]
    assert all("-m" not in command and "lang=mini" in command for command in commands)
    assert sorted(word for command in commands for word in command if word.startswith("seed=")) == ["seed=1", "seed=2"]
    again = run_script("train", *sweep(small_data, work, *reversed(swept)))
    assert again.returncode == 0, again.stderr
    assert again.stdout.count("is finished; its results") == 2
    assert "starting" not in again.stdout


ENDLESS = "trainer.early_stopping=null"


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_the_sweep_and_the_same_command_goes_on(sent, small_data, work, tmp_path):
    arguments = sweep(small_data, work, "trainer.max_epochs=2,100000", ENDLESS)
    words = ["epoch  3"] if sent == signal.SIGTERM else ["is finished", "resuming", "epoch"]
    if sent == signal.SIGINT:
        ended_by(started_until("train", arguments, tmp_path / "before", "epoch  3"), signal.SIGTERM)
    process = started_until("train", arguments, tmp_path / "said", *words)
    code = ended_by(process, sent)
    assert (code, "Traceback" in process.said) == (143 if sent == signal.SIGTERM else 130, False), process.said
    assert statuses(work) == ["finished", "interrupted"]
    assert "interrupted: trainer.max_epochs=100000: its process was stopped before its end" in process.said


@pytest.mark.parametrize("launcher", [["joblib", "hydra.launcher.n_jobs=2"], ["submitit_local"]])
def test_other_launchers_end_with_the_same_table_in_whatever_folder_they_start(work, launcher, tmp_path):
    """Job 1 and job 3 have rows, equal jobs one run, and the second is refused."""
    name, *more = launcher
    for file, verb in (("hens.avg", "V[s]"), ("geese.avg", "V[s"), ("ducks.avg", "V[p]")):
        (tmp_path / file).write_text(f"vary: V[]\nS[] the hen {verb}\nV[s] eats\nV[p] eat\n", encoding="utf-8")
    swept = ["suite=own", "grammar=hens.avg,geese.avg,ducks.avg,hens.avg", f"paths.work={work}"]
    # its launchers start processes of their own
    done = run_fresh_script("generate", "-m", *swept, f"hydra/launcher={name}", *more, cwd=tmp_path)
    assert done.returncode == 1
    assert statuses(work) == ["finished", "failed", "finished"], done.stderr
    assert "failed: grammar=geese.avg: " in done.stdout
    assert len(list((work / "runs/generate").iterdir())) == 2


@pytest.mark.slurm  # whose jobs last as long
@pytest.mark.parametrize("name", ["joblib", "submitit_local"])
def test_a_sweep_of_another_launcher_that_is_terminated_ends_its_jobs(small_data, work, name, tmp_path):
    more = ["hydra.launcher.n_jobs=2"] if name == "joblib" else []
    endless = ["trainer.max_epochs=100000", ENDLESS]
    long = sweep(small_data, work, *endless, "seed=1,2", f"hydra/launcher={name}", *more)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    process = subprocess.Popen(command_line("train", *long), **pipes)
    while len(list((work / "runs/train").glob("*/epochs/03.ckpt"))) < 2:
        assert process.poll() is None, process.communicate()[0]
        time.sleep(0.1)
    process.terminate()
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 143, said
    assert statuses(work) == ["interrupted", "interrupted"]
    for run in (work / "runs/train").iterdir():
        FileLock(run / ".lock").acquire(timeout=30).close()  # nobody works on it any more


def test_failed_jobs_and_jobs_of_two_processes_do_not_stop_the_others(small_data, work):
    swept = ["trainer.devices=2", "monitor=dev/acuracy,dev/accuracy"]
    done = run_script(
        "train", *sweep(small_data, work, "trainer=ddp", "trainer.accelerator=cpu", "model.dropout=0", *swept)
    )
    assert done.returncode == 1
    assert statuses(work) == ["failed", "finished"], done.stderr
    assert "Did you mean dev/accuracy" in table(work)[0]["reason"]


def test_a_sweep_of_probes_has_a_line_for_each_job_and_layer(small_data, work):
    arguments = ["-m", *on_small_data(small_data, work), "tests=[Case]", "trainer.threads=1", "lang=mini,ja"]
    done = run_script("probe", *arguments)
    assert done.returncode == 0, done.stderr
    assert statuses(work) == ["finished", "skipped"]
    assert [row["n_tests"] for row in table(work)] == ["1", ""]


def test_an_experiment_makes_its_whole_table(work, tmp_path):
    items = ["A\ta b", "B\tb a a"] * 20
    lines = [f"{part}\t{item}\n" for part in ("tr", "va", "te") for item in items]
    (tmp_path / "Tense.txt").write_text("".join(lines), encoding="utf-8")
    (tmp_path / "two.vec").write_text("2 2\na 1 0\nb 0 1\n", encoding="utf-8")
    own = ["suite=own", f"suite.path={tmp_path / 'Tense.txt'}", "suite.format=senteval"]
    own += [f"paths.work={work}", "trainer.threads=1"]
    done = run_script("probe", "-m", "experiment=senteval_table4", *own, f"vectors={tmp_path / 'two.vec'}")
    assert done.returncode == 0, done.stderr
    assert statuses(work) == ["finished"] * 4
    said = " ".join(done.stdout.split())
    assert "length nb_unigrams nb_bigrams bov, logistic_regression naive_bayes senteval" in said
    alone = run_script("probe", "experiment=senteval_table4", *own)
    assert alone.returncode == 2
    assert "Add -m for all of them, or choose encoder=…" in alone.stderr
