import shutil
import signal
import sys

import pytest
from hydra.core.plugins import Plugins
from hydra.plugins.sweeper import Sweeper as SweeperOfHydra
from submitit.core.utils import UncompletedJobError

from polyprobe.analysis.reports.finished_sweep import report_sweep
from polyprobe.errors import BadValue, Impossible
from polyprobe.formats.files.digest import read_sealed, write_sealed
from polyprobe.runs.command.overrides import CommandLineError
from polyprobe.runs.command.sweep import (
    FAILED,
    FINISHED,
    INTERRUPTED,
    RUNNING,
    SKIPPED,
    WAITING,
    DamagedSweep,
    Sweep,
    SweepIsBusy,
    SweepRemoved,
    lock_of,
    read_job_record,
    sweep_name,
    write_job_record,
    write_record_of_free_job,
)
from polyprobe.runs.command.sweep_job import do_job
from polyprobe.runs.command.sweep_start import begin_sweep, end_sweep
from polyprobe.runs.trainer_settings import runs_several_processes

TWO = [["task=pos", "seed=1"], ["task=pos", "seed=2"]]


@pytest.fixture(autouse=True)
def _handler_of_sigterm():
    handler = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, handler)


@pytest.fixture
def sweep(tmp_path, monkeypatch):
    """A sweep of two jobs that has begun."""
    sweep = Sweep(tmp_path / "sweep")
    sweep.begin(["seed"], TWO)
    return sweep


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    """What a start tells the processes to come is forgotten afterwards."""
    monkeypatch.setattr(SweeperOfHydra, "validate_batch_is_legal", SweeperOfHydra.validate_batch_is_legal)
    for name in ("POLYPROBE_SWEEP", "WANDB_RUN_GROUP", "PYTHONPATH", "PYTHONSAFEPATH", "SBATCH_EXPORT"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)


def begun(tmp_path, *overrides):
    return begin_sweep("train", ["-m", f"paths.work={tmp_path}", *overrides])


@pytest.mark.parametrize("seeds", ["seeds=3", "seeds=1,3"])
def test_jobs_of_probes_that_share_seeds_are_refused(seeds, tmp_path):
    expected = r"seed=1,3 with seeds=3 share seeds: .* Expected seed=1,4, or one run with seed=1 seeds=5\."
    with pytest.raises(CommandLineError, match=expected):
        begin_sweep("probe", ["-m", f"paths.work={tmp_path}", "seed=3,1", seeds])
    begin_sweep("probe", ["-m", f"paths.work={tmp_path}", "seed=1,4", seeds]).end()


def test_seeds_of_every_experiment_of_a_sweep_are_compared(tmp_path, monkeypatch):
    (tmp_path / "conf/experiment").mkdir(parents=True)
    for name, seeds in (("one", 1), ("three", 3)):
        content = f"# @package _global_\nseeds: {seeds}\n"
        (tmp_path / f"conf/experiment/{name}.yaml").write_text(content, encoding="utf-8")
    monkeypatch.setenv("POLYPROBE_CONF", str(tmp_path / "conf"))
    with pytest.raises(CommandLineError, match="with seeds=3 share seeds"):
        begin_sweep("probe", ["-m", f"paths.work={tmp_path}", "experiment=one,three", "seed=1,2"])


def test_the_order_of_typing_does_not_change_a_sweep_s_name():
    turned = [list(reversed(job)) for job in reversed(TWO)]
    assert sweep_name("train", ["task", "seed"], TWO) == sweep_name("train", ["seed", "task"], turned)


@pytest.mark.parametrize(
    ("added", "is_another"),
    [
        ("paths.work=x", False),
        ("trainer.devices=2", False),
        ("cache.kept_words=all", False),
        ("cache.number=float16", True),
        ("data.corpus=x", True),
    ],
)
def test_what_changes_a_number_makes_another_sweep(added, is_another):
    more = [[*job, added] for job in TWO]
    assert (sweep_name("train", ["seed"], TWO) != sweep_name("train", ["seed"], more)) == is_another


def test_the_jobs_are_all_combinations_whatever_way_they_are_typed(tmp_path):
    sweep = begun(tmp_path, "task=pos,ner", "seed=range(1,3)", "data.corpus='a,b'")
    assert [job[1:3] for job in sweep.jobs] == [
        (f"task={task}", f"seed={seed}") for task in ("pos", "ner") for seed in (1, 2)
    ]
    assert sweep.keys == ["task", "seed"]


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (["task=pos,nre"], 'task "nre" is unknown. Did you mean ner'),
        (["task=pos,ner", "sed=1,2"], "Did you mean seed"),
        (["task=glob(pos)", "lang=mini,fii"], "Did you mean lang=fi"),
        (["task=pos,srl", "model.char_widht=1,2"], "model.char_widht"),
        (["hydra/launcher=jobli", "seed=1,2"], "joblib"),
        (["hydra/launcher=joblib", "trainer=ddp", "trainer.devices=1,2"], "trainer.devices=2 asks for more"),
        (
            ["hydra/launcher=submitit_slurm", "seed=1,2", "hydra.launcher.nodes=2"],
            "hydra.launcher.nodes=2 hydra.launcher.tasks_per_node=1 with trainer.num_nodes=1 trainer.devices=1",
        ),
        (
            ["hydra/launcher=submitit_slurm", "seed=1,2", "trainer=ddp", "trainer.num_nodes=2"],
            "hydra.launcher.nodes=1 hydra.launcher.tasks_per_node=1 with trainer.num_nodes=2 trainer.devices=2",
        ),
        (
            ["seed=1,2", "trainer=ddp", "trainer.num_nodes=2"],
            "trainer.num_nodes=2: hydra/launcher=basic starts one process for each job",
        ),
        (["hydra/launcher=submitit_slurm", "seed=1,2"], "no sbatch here. Expected a login node"),
    ],
)
def test_a_sweep_with_a_wrong_value_anywhere_is_refused_before_it_begins(tmp_path, overrides, words, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))  # a machine without SLURM
    with pytest.raises(CommandLineError) as refused:
        begun(tmp_path, *overrides)
    assert words in str(refused.value)
    assert not list(tmp_path.iterdir())


def test_checked_jobs_are_not_composed_once_more_before_the_first_one(tmp_path):
    begun(tmp_path, "task=pos", "seed=range(1,2001)")
    sweeper = Plugins.instance().class_name_to_class["hydra._internal.core_plugins.basic_sweeper.BasicSweeper"]
    needs_no_configuration = sweeper(max_batch_size=None).validate_batch_is_legal([["task=pos", "seed=1"]]) is None
    assert needs_no_configuration  # in which each job would be composed


@pytest.mark.parametrize(
    ("error", "status"),
    [(Impossible("no corpus"), SKIPPED), (BadValue("seed", -1, "0"), FAILED), (ValueError("x"), FAILED)],
)
def test_what_goes_wrong_in_a_job_stays_in_it(sweep, error, status):
    def work():
        raise error

    path = sweep.record_path(TWO[0])
    do_job(path, TWO[0], work)
    assert read_job_record(path).status == status
    assert str(error) in read_job_record(path).reason


@pytest.mark.parametrize("end", [KeyboardInterrupt(), SystemExit(143)])
def test_what_ends_the_whole_sweep_comes_out_of_a_job(sweep, end):
    def work():
        raise end

    with pytest.raises(type(end)):
        do_job(sweep.record_path(TWO[0]), TWO[0], work)
    assert [record and record.status for record in sweep.records()] == ["interrupted", None]


def test_a_job_that_is_put_back_into_the_queue_waits_and_leaves_its_process(sweep):
    def work():
        sys.exit(-1)  # as submitit does

    path = sweep.record_path(TWO[0])
    with pytest.raises(SystemExit):
        do_job(path, TWO[0], work)
    assert read_job_record(path).status == WAITING
    assert end_sweep(sweep, True, report_sweep) == 2
    assert [record and record.status for record in sweep.records()] == [INTERRUPTED, None]


def started_again(sweep, work, ended=SystemExit):
    """Starts a job that does some work until its time is over, as submitit does; returns the reason in its record."""
    path = sweep.record_path(TWO[0])

    def out_of_time():
        work()
        sys.exit(-1)

    with pytest.raises(ended):
        do_job(path, TWO[0], out_of_time)
    return read_job_record(path).reason


def test_the_second_requeue_without_a_finished_epoch_or_stage_says_that_more_time_is_needed(tmp_path, capsys):
    sweep = Sweep(tmp_path / "runs/sweeps/tiny")
    sweep.begin(["seed"], TWO)
    epochs, encodings = tmp_path / "runs/train/a/epochs", tmp_path / "cache/encodings/f"

    def begin_training():
        epochs.mkdir(parents=True, exist_ok=True)
        (epochs / "00.ckpt").touch()
        encodings.mkdir(parents=True, exist_ok=True)
        (encodings / "lock").touch()

    words = "no epoch or stage was finished, for the second time"
    assert words not in started_again(sweep, begin_training)
    reason = started_again(sweep, begin_training)
    assert words in reason
    assert "hydra.launcher.timeout_min" in reason
    assert words in capsys.readouterr().err
    assert words not in started_again(sweep, (epochs / "01.ckpt").touch)
    assert words not in started_again(sweep, begin_training)
    assert words not in started_again(sweep, (encodings / "1.block").touch)


def test_a_job_that_slurm_ends_while_it_is_put_back_counts_as_put_back(sweep):
    """SLURM sends SIGTERM as soon as submitit has asked for the requeue."""

    def work():
        try:
            sys.exit(-1)
        finally:
            sys.exit(143)

    path = sweep.record_path(TWO[0])
    for said in ("no epoch or stage was finished", "for the second time"):
        with pytest.raises(SystemExit):
            do_job(path, TWO[0], work)
        assert (read_job_record(path).status, said in read_job_record(path).reason) == (WAITING, True)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN


@pytest.mark.parametrize(("launcher", "is_named"), [("slurm", True), ("local", False)])
def test_a_job_out_of_time_says_which_keys_let_it_go_on(sweep, launcher, is_named, monkeypatch, capsys):
    def work():
        raise UncompletedJobError("Job not requeued because: timed-out too many times.")

    monkeypatch.setenv("SUBMITIT_EXECUTOR", launcher)
    path = sweep.record_path(TWO[0])
    do_job(path, TWO[0], work)
    record = read_job_record(path)
    assert record.status == INTERRUPTED
    assert "hydra.launcher.timeout_min" in record.reason
    assert ("hydra.launcher.max_num_timeout" in record.reason) == is_named
    assert "Traceback" not in capsys.readouterr().err


def test_a_new_start_remembers_finished_jobs_alone(sweep):
    for job, status in zip(TWO, (FINISHED, FAILED), strict=True):
        write_job_record(sweep.record_path(job), job, status)
    sweep.begin(["seed"], TWO)
    assert [record and record.status for record in sweep.records()] == [FINISHED, None]


def test_a_second_start_of_a_sweep_at_work_is_refused_and_forgets_nothing(sweep):
    write_job_record(sweep.record_path(TWO[0]), TWO[0], RUNNING)
    second = Sweep(sweep.folder)
    with pytest.raises(SweepIsBusy, match="running this sweep"):
        second.begin(["seed"], TWO)
    assert sweep.records()[0].status == RUNNING
    sweep.end()
    second.begin(["seed"], TWO)
    assert sweep.records() == [None, None]


def test_a_job_at_work_is_left_alone_by_whoever_does_not_hold_its_lock(sweep):
    path = sweep.record_path(TWO[0])
    with lock_of(path).acquire():
        write_job_record(path, TWO[0], RUNNING)
        sweep.begin(["seed"], TWO)
        write_record_of_free_job(path, TWO[0], FAILED)
        assert read_job_record(path).status == RUNNING
    write_record_of_free_job(path, TWO[0], FAILED)
    assert read_job_record(path).status == FAILED


@pytest.mark.parametrize(
    ("devices", "several"), [(1, False), ("1", False), ([1], False), (2, True), ([0, 1], True), ("auto", True)]
)
def test_several_devices_are_several_processes(devices, several):
    assert runs_several_processes({"devices": devices}) == several


def test_a_sweep_whose_folder_is_removed_says_so_and_does_not_make_it_anew(sweep):
    def work():
        shutil.rmtree(sweep.folder)

    with pytest.raises(SweepRemoved, match="was removed during the sweep"):
        do_job(sweep.record_path(TWO[0]), TWO[0], work)
    for told in (
        lambda: do_job(sweep.record_path(TWO[1]), TWO[1], lambda: None),
        lambda: write_record_of_free_job(sweep.record_path(TWO[1]), TWO[1], FAILED),
        lambda: end_sweep(sweep, True, report_sweep),
        lambda: end_sweep(sweep, False, report_sweep),
    ):
        with pytest.raises(SweepRemoved):
            told()
    assert not sweep.folder.exists()


def test_a_record_that_names_a_run_by_what_is_no_path_is_damaged(sweep):
    path = sweep.record_path(TWO[0])
    write_job_record(path, TWO[0], FINISHED)
    write_sealed(path, {**read_sealed(path), "run": "a\0b"})
    with pytest.raises(DamagedSweep, match=r"its run is .*, no path"):
        read_job_record(path)
