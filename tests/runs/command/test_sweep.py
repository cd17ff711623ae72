import json
import os
import signal

import pytest
import torch
from submitit.core.utils import UncompletedJobError

from polyprobe.errors import BadValue, Impossible
from polyprobe.models.base.torch_process import _DEFAULT_THREADS, set_threads
from polyprobe.runs.command import sweep_job
from polyprobe.runs.command.compose import compose
from polyprobe.runs.command.overrides import CommandLineError
from polyprobe.runs.command.submitit_jobs import unfinished_jobs
from polyprobe.runs.command.sweep import (
    FAILED,
    FINISHED,
    INTERRUPTED,
    SKIPPED,
    JobRecord,
    Sweep,
    sweep_name,
    write_job_record,
)
from polyprobe.runs.command.sweep_job import do_job
from polyprobe.runs.command.sweep_start import begin_sweep
from polyprobe.runs.record.held_folder import RunIsBusy
from polyprobe.runs.trainer_settings import runs_several_processes

TWO = [("task=pos", "seed=1"), ("task=pos", "seed=2")]


@pytest.fixture(autouse=True)
def _handler_of_sigterm():
    handler = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, handler)


@pytest.fixture
def sweep(tmp_path):
    """A sweep of two jobs that has begun."""
    sweep = Sweep(tmp_path / "sweep")
    sweep.begin(["seed"], TWO)
    return sweep


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    """What a start tells the processes to come is forgotten afterwards."""
    for name in ("WANDB_RUN_GROUP", "PYTHONPATH", "PYTHONSAFEPATH", "HYDRA_FULL_ERROR"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)


def begun(tmp_path, *overrides, command="train"):
    return begin_sweep(command, ["-m", f"paths.work={tmp_path}", *overrides])[0]


@pytest.fixture
def own_experiments(tmp_path, monkeypatch):
    """A folder of own experiments; returns what writes one."""
    folder = tmp_path / "conf/experiment"
    folder.mkdir(parents=True)
    monkeypatch.setenv("POLYPROBE_CONF", str(tmp_path / "conf"))
    return lambda name, content: (folder / f"{name}.yaml").write_text(f"# @package _global_\n{content}\n")


@pytest.mark.parametrize("seeds", ["seeds=3", "seeds=1,3"])
def test_jobs_of_probes_that_share_seeds_are_refused(seeds, tmp_path):
    expected = r"seed=1,3 with seeds=3 share seeds: .* Expected seed=1,4, or one run with seed=1 seeds=5\."
    with pytest.raises(CommandLineError, match=expected):
        begun(tmp_path, "seed=3,1", seeds, command="probe")
    begun(tmp_path, "seed=1,4", seeds, command="probe")


def test_seeds_of_every_experiment_of_a_sweep_are_compared(tmp_path, own_experiments):
    for name, seeds in (("one", 1), ("three", 3)):
        own_experiments(name, f"seeds: {seeds}")
    with pytest.raises(CommandLineError, match="with seeds=3 share seeds"):
        begun(tmp_path, "experiment=one,three", "seed=1,2", command="probe")


def test_an_experiment_sweeps_over_what_is_not_typed_and_one_run_needs_all_of_it(tmp_path, own_experiments):
    own_experiments("rows", "hydra: {sweeper: {params: {encoder: 'length, bov', seed: '1,2'}}}")
    swept = begun(tmp_path, "experiment=rows", "encoder=char_ngrams", command="probe")
    assert swept.keys == ["seed"]
    assert [sorted(job)[-1] for job in swept.jobs] == ["seed=1", "seed=2"]
    assert len(begun(tmp_path, "experiment=rows", command="probe").jobs) == 4
    compose("probe", ["experiment=rows", "encoder=length", "seed=1"])
    with pytest.raises(CommandLineError, match="Add -m for all of them, or choose encoder=… seed=…"):
        compose("probe", ["experiment=rows"])


def test_the_order_of_typing_does_not_change_a_sweep_s_name():
    turned = [list(reversed(job)) for job in reversed(TWO)]
    name = sweep_name("train", ["task", "seed"], TWO)
    assert name == sweep_name("train", ["seed", "task"], turned)
    assert name != sweep_name("train", ["task", "seed"], [[*job, "data.corpus=x"] for job in TWO])


def test_the_jobs_are_all_combinations_whatever_way_they_are_typed_and_equal_ones_count_once(tmp_path):
    sweep = begun(tmp_path, "task=pos,ner", "seed=1,2,2", "data.corpus='a,b'")
    assert [job[1:3] for job in sweep.jobs] == [
        (f"task={task}", f"seed={seed}") for task in ("pos", "ner") for seed in (1, 2)
    ]
    assert sweep.keys == ["task", "seed"]


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (["task=pos,nre"], 'task "nre" is unknown. Did you mean ner'),
        (["task=pos,ner", "sed=1,2"], "Did you mean seed"),
        (["task=pos,srl", "model.char_widht=1,2"], "model.char_widht"),
        (["hydra/launcher=jobli", "seed=1,2"], "joblib"),
    ],
)
def test_a_sweep_with_a_wrong_value_anywhere_is_refused_before_it_begins(tmp_path, overrides, words):
    with pytest.raises(CommandLineError) as refused:
        begun(tmp_path, *overrides)
    assert words in str(refused.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (Impossible("no corpus"), SKIPPED, "no corpus"),
        (BadValue("seed", -1, "0"), FAILED, "seed must be 0, got -1"),
        (ValueError("x"), FAILED, "ValueError: x"),
        (SystemExit(2), FAILED, "SystemExit: 2"),  # of a library
        (UncompletedJobError("Job not requeued"), FAILED, "hydra.launcher.timeout_min"),
    ],
)
def test_what_goes_wrong_in_a_job_stays_in_it(sweep, error, status, words, capsys):
    def work():
        raise error

    do_job(sweep, TWO[0], work)
    assert sweep.records() == [JobRecord(status, sweep.records()[0].reason), None]
    assert words in sweep.records()[0].reason
    said = capsys.readouterr().err
    assert (said == "\nskipped\n") if status == SKIPPED else (said.count(f"{status}: ") == 1)


@pytest.mark.parametrize("end", [KeyboardInterrupt(), SystemExit(143), SystemExit(-1)])
def test_what_ends_the_whole_process_comes_out_of_a_job(sweep, end):
    def work():
        raise end

    with pytest.raises(type(end)):
        do_job(sweep, TWO[0], work)
    assert [record and record.status for record in sweep.records()] == [INTERRUPTED, None]


def test_a_job_leaves_nothing_to_the_next_one_in_its_process(sweep):
    do_job(sweep, TWO[0], lambda: set_threads(torch.get_num_threads() + 1))
    assert torch.get_num_threads() == _DEFAULT_THREADS


def test_a_job_whose_run_another_process_has_in_work_waits_for_it(sweep, tmp_path, monkeypatch):
    monkeypatch.setattr(sweep_job, "BETWEEN_LOOKS", 0)
    answers = iter([RunIsBusy("in use"), RunIsBusy("in use"), tmp_path / "run"])

    def work():
        if isinstance(answer := next(answers), Exception):
            raise answer
        return answer

    do_job(sweep, TWO[0], work)
    assert sweep.records()[0] == JobRecord(FINISHED, "", "../run")


@pytest.mark.parametrize(
    ("devices", "several"), [(1, False), ("1", False), ([1], False), (2, True), ([0, 1], True), ("auto", True)]
)
def test_several_devices_are_several_processes(devices, several):
    assert runs_several_processes({"devices": devices}) == several


def test_a_job_of_slurm_is_as_its_queue_says_until_it_has_ended(tmp_path, monkeypatch):
    jobs = [(f"seed={seed}",) for seed in range(5)]
    sweep = Sweep(tmp_path / "sweep")
    sweep.begin(["seed"], jobs)
    sweep.note_submitted({job: f"7_{number}" for number, job in enumerate(jobs[:4])})
    write_job_record(sweep.record_path(jobs[0]), jobs[0], FINISHED)
    write_job_record(sweep.record_path(jobs[1]), jobs[1], INTERRUPTED)
    queue = tmp_path / "bin/squeue"
    queue.parent.mkdir()
    queue.write_text("#!/bin/sh\necho '7_0|COMPLETING'\necho '7_1|RUNNING'\necho '7_2|PENDING'\n")
    queue.chmod(0o755)
    monkeypatch.setenv("PATH", f"{queue.parent}{os.pathsep}{os.environ['PATH']}")
    statuses = [record and record.status for record in sweep.records()]
    assert statuses == [FINISHED, "running", "pending", INTERRUPTED, None]
    assert "SLURM ended job 7_3" in sweep.records()[3].reason
    assert unfinished_jobs(sweep) == jobs[3:]
    queue.write_text("#!/bin/sh\nexit 1\n")
    statuses = [record and record.status for record in sweep.records()]
    assert statuses == [FINISHED, INTERRUPTED, "submitted", "submitted", None]


def test_a_job_that_is_submitted_again_has_no_earlier_outcome(sweep):
    for number in ("7", "8"):
        write_job_record(sweep.record_path(TWO[0]), TWO[0], FAILED, "no memory")
        sweep.note_submitted({TWO[0]: number})
        assert sweep.record(TWO[0]) is None
    assert json.loads((sweep.folder / "slurm.json").read_text()) == {sweep.record_path(TWO[0]).stem: "8"}


def test_keys_of_a_launcher_are_resolved_for_the_sweep_and_hydra_knows_those_for_jobs_that_are_not_waited_for(tmp_path):
    keys = ["hydra/launcher=submitit_slurm", "hydra.launcher.wait=false", "hydra.launcher.comment=${hydra.sweep.dir}"]
    sweep = begun(tmp_path, "task=pos", "seed=1,2", *keys, "hydra.sweeper.max_batch_size=7")
    launcher = sweep.launcher
    assert (launcher["wait"], launcher["again"], launcher["max_batch_size"]) == (False, False, 7)
    assert (launcher["name"], launcher["comment"]) == ("train", str(sweep.folder))
    assert launcher["submitit_folder"] == str(sweep.folder / ".submitit/%j")
