import json
import math

import pytest

from polyprobe.analysis.reports.finished_sweep import report_sweep
from polyprobe.analysis.reports.result_kinds import Score
from polyprobe.analysis.reports.sweep_tables import _is_below, mean_lines, run_scores, sweep_lines
from polyprobe.runs.command.sweep import FAILED, FINISHED, SKIPPED, Sweep, write_job_record
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.results import ResultRow
from tests.analysis.handmade import write_finished_rows

JOBS = [[f"task={task}", f"seed={seed}"] for task in ("pos", "dep") for seed in (1, 2, 3)]
VALUES = {"pos": (0.9, 0.92, 0.97), "dep": (0.5, 0.7, None)}


def finished_run(folder, metric, value):
    """A trained model with a main metric, and another that must not be taken for it."""
    folder.mkdir(parents=True)
    shared = {"stage": "test", "lang": "mini", "suite": "x", "n": 10}
    rows = [
        ResultRow(**shared, metric="other", value=0.1, split="test"),
        ResultRow(**shared, metric=metric, value=0.2, split="dev"),
        ResultRow(**shared, metric=metric, value=0.3, split="test", test="a_part"),
        ResultRow(**shared, metric=metric, value=value, split="test"),
    ]
    write_finished_rows(folder, folder.name, rows)
    (folder / "config.yaml").write_text(f"monitor: dev/{metric}\n", encoding="utf-8")
    return folder


@pytest.fixture
def sweep(tmp_path):
    """Two tasks, three seeds; the last job failed."""
    sweep = Sweep(tmp_path / "sweeps" / "s")
    sweep.begin(["task", "seed"], JOBS)
    for job, value in zip(JOBS, [value for values in VALUES.values() for value in values], strict=True):
        path = sweep.record_path(job)
        if value is None:
            write_job_record(path, job, FAILED, "no space")
        else:
            write_job_record(path, job, FINISHED, run=finished_run(tmp_path / "train" / "-".join(job), "las", value))
    return sweep


def test_seeds_are_averaged_over_the_jobs_that_finished(sweep):
    means = {line.values["task"]: line for line in mean_lines(sweep_lines(sweep))}
    assert (means["pos"].n, means["dep"].n) == (3, 2)
    assert means["pos"].score.value == pytest.approx(0.93)
    assert means["dep"].deviation == pytest.approx(0.1 * math.sqrt(2))


def test_a_run_that_two_jobs_name_counts_once(tmp_path):
    sweep = Sweep(tmp_path / "sweeps" / "s")
    jobs = [["task=pos", "seed=1"], ["task=pos", "seed=01"]]
    sweep.begin(["task", "seed"], jobs)
    run = finished_run(tmp_path / "train" / "pos-1", "las", 0.9)
    for job in jobs:
        write_job_record(sweep.record_path(job), job, FINISHED, run=run)
    (line,) = mean_lines(sweep_lines(sweep))
    assert (line.n, line.deviation) == (1, None)


def test_the_tables_are_made_anew_from_records_and_results(sweep, capsys):
    assert report_sweep(sweep.folder) == 1
    said = capsys.readouterr().out
    assert "Sweep s: 6 jobs, 5 finished, 1 failed\n  failed: task=dep seed=3: no space\n" in said
    table = (sweep.folder / "table.csv").read_text(encoding="utf-8").splitlines()
    assert table[0] == "task,seed,status,reason,metric,layer,n_tests,test,baseline,run"
    assert table[1].startswith("pos,1,finished,,las,,,0.9,,")
    assert table[6] == "dep,3,failed,no space,,,,,,"
    means = (sweep.folder / "means.csv").read_text(encoding="utf-8").splitlines()
    assert means[0] == "task,metric,layer,n_tests,mean,sd,n,baseline"
    assert "pos & las & 93.0 $\\pm$3.6 & 3 \\\\" in (sweep.folder / "means.tex").read_text(encoding="utf-8")


def test_without_a_finished_job_no_file_is_offered(tmp_path, capsys):
    sweep = Sweep(tmp_path / "sweeps" / "s")
    sweep.begin(["task"], [["task=pos"]])
    write_job_record(sweep.record_path(["task=pos"]), ["task=pos"], SKIPPED, "no corpus")
    assert report_sweep(sweep.folder) == 0
    assert capsys.readouterr().out == "\nSweep s: 1 job, 1 skipped\n  skipped: task=pos: no corpus\n"


def rewritten(sweep, job, *rows):
    """Puts other rows into the run of a job."""
    folder = sweep.folder / json.loads(sweep.record_path(job).read_text(encoding="utf-8"))["run"]
    write_finished_rows(folder, folder.name, rows)


SCORED = {"lang": "mini", "suite": "x", "n": 10, "split": "test", "metric": "las"}


def test_a_score_below_its_baseline_is_marked(sweep, capsys):
    values = {"a": 0.5, "b": 0.7}
    baselines = [ResultRow(stage="baseline", encoder=name, value=values[name], **SCORED) for name in values]
    dev = ResultRow(stage="baseline", encoder="a", value=0.9, **{**SCORED, "split": "dev"})
    for job in JOBS[:3]:
        rewritten(sweep, job, ResultRow(stage="test", value=0.6, **SCORED), *baselines, dev)
    report_sweep(sweep.folder)
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["pos", "las", "60.0↓", "±0.0", "3", "70.0"] in lines
    assert ["↓", "worse", "than", "its", "baseline."] in lines


@pytest.mark.parametrize(("value", "baseline", "is_below"), [(0.5, 0.6, True), (0.6, 0.5, False), (0.5, None, False)])
def test_a_perplexity_is_worse_where_it_is_larger(value, baseline, is_below):
    assert _is_below(Score("las", "", value, baseline=baseline)) == is_below
    other = None if baseline is None else 200 - 100 * baseline
    assert _is_below(Score("perplexity", "", 200 - 100 * value, baseline=other)) == is_below


def test_probing_has_the_mean_of_the_memorisers(tmp_path):
    shared = {"stage": "probing", "lang": "mini", "suite": "x", "n": 10, "split": "test", "metric": "accuracy"}
    shared |= {"layer": "static", "probe": "mlp"}
    rows = [
        ResultRow(**shared, test="Case", value=0.4, majority=0.1, memoriser=0.2),
        ResultRow(**shared, test="Mood", value=0.6, majority=0.3),
    ]
    run = RunDirectory(tmp_path)
    run.config.write_text("seed: 1\n", encoding="utf-8")
    write_finished_rows(run.path, "r", rows)
    assert run_scores(run) == [Score("accuracy", "static", 0.5, 2, 0.25)]


def test_a_run_of_minimal_sets_has_the_mean_over_constructions_of_each_epoch(tmp_path):
    shared = {"stage": "minimal_sets", "lang": "mini", "suite": "clams", "n": 10, "split": "test", "metric": "accuracy"}
    rows = [
        ResultRow(**shared, test="simple_agrmt", epoch=1, value=0.1),
        ResultRow(**shared, epoch=1, seed=1, value=0.2),
        ResultRow(**shared, epoch=1, value=0.3),
        ResultRow(**shared, epoch=2, value=0.4),
    ]
    run = RunDirectory(tmp_path)
    (tmp_path / "config.yaml").write_text("ties: wrong\n", encoding="utf-8")
    write_finished_rows(run.path, "r", rows)
    assert run_scores(run) == [Score("accuracy", "epoch 1", 0.3), Score("accuracy", "epoch 2", 0.4)]
    write_finished_rows(run.path, "r", rows[:3])
    assert run_scores(run) == [Score("accuracy", "", 0.3)]


def test_a_run_that_is_gone_is_told(sweep):
    record = json.loads(sweep.record_path(JOBS[0]).read_text(encoding="utf-8"))
    (sweep.folder / record["run"] / "results.jsonl").unlink()
    (line, *_) = sweep_lines(sweep)
    assert (line.status, "is not finished" in line.reason) == ("failed", True)
