"""The main job as a user does it: train, probe by epoch, and the same commands again."""

import json

import pytest

from tests.commands.forked import run_script
from tests.commands.scripts import on_small_data, only_run, small_training
from tests.offline_dashboards import offline_run


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="module")
def training(small_data, work):
    done = run_script("train", *small_training(small_data, work, "logger=wandb_offline"))
    assert done.returncode == 0, done.stderr
    return done


def rows(run):
    return [json.loads(line) for line in (run / "results.jsonl").read_text(encoding="utf-8").splitlines()]


def test_training_leaves_a_checkpoint_for_every_epoch_and_all_that_belongs_to_it(training, work):
    run = only_run(work, "train")
    assert run.name.startswith("srl-mini-learned-s1-")
    assert sorted(path.name for path in (run / "epochs").glob("*.ckpt")) == [f"0{k}.ckpt" for k in range(5)]
    assert (run / "last").resolve() == (run / "epochs/04.ckpt").resolve()
    assert (run / "pictures/training.png").stat().st_size > 0
    record = json.loads((run / "run.json").read_text(encoding="utf-8"))
    assert record["status"] == "finished"
    assert set(record["data"]) == {f"srl/mini/mini-up-{split}.conllup" for split in ("train", "dev", "test")}
    assert record["sources"] == {"vectors": {}, "data": dict.fromkeys(record["data"], "")}


def test_a_dashboard_has_curves_by_epoch_and_all_of_the_finished_run(training, work):
    run = only_run(work, "train")
    found = offline_run(run)
    assert (found.job_type, found.tags) == ("training", ["mini", "srl", "role_labeller", "learned"])
    assert [found.axes[name] for name in ("*", "dev/role_f1")] == ["trainer/global_step", "epoch"]
    assert [row["epoch"] for row in found.history if "dev/role_f1" in row] == [0, 1, 2, 3, 4]
    (score,) = [row["value"] for row in rows(run) if on_test(row, "role_f1")]
    assert found.summary["test/role_f1/low"] < found.summary["test/role_f1"] == score
    assert {"training/_type", "report/_type"} <= set(found.summary)
    assert found.artifacts["eval_results"] == ["report.html", "results.jsonl", "run.json"]
    assert found.config["task"]["name"] == "srl"


def on_test(row, metric):
    return (row["stage"], row["split"], row["metric"], row.get("test", "")) == ("test", "test", metric, "")


def test_rows_have_scores_by_epoch_by_role_and_of_the_baseline(training, work):
    found = rows(only_run(work, "train"))
    by_epoch = [row["epoch"] for row in found if row["stage"] == "training" and row["metric"] == "role_f1"]
    assert by_epoch == [0, 1, 2, 3, 4]
    for stage in ("test", "baseline"):
        assert {row["split"] for row in found if row["stage"] == stage} == {"dev", "test"}
    assert {"A0", "A1"} <= {row["test"] for row in found if row["stage"] == "test"}


def test_the_same_training_again_says_that_it_is_finished(training, small_data, work):
    before = (only_run(work, "train") / "results.jsonl").read_bytes()
    again = run_script("train", *small_training(small_data, work, "logger=wandb_offline"))
    assert again.returncode == 0
    assert "is finished" in again.stdout
    assert "role F1" in again.stdout
    assert (only_run(work, "train") / "results.jsonl").read_bytes() == before


def test_probing_its_epochs_gives_rows_for_all_tests_and_a_picture(training, small_data, work):
    run = only_run(work, "train")
    arguments = ["encoder=checkpoint", f"encoder.run={run}", "encoder.epochs=[0,4]", "seeds=2", "probe.max_epochs=2"]
    done = run_script("probe", *on_small_data(small_data, work), *arguments)
    assert done.returncode == 0, done.stderr
    probing = only_run(work, "probe")
    found = rows(probing)
    scores = [row for row in found if row["stage"] == "probing" and "seed" not in row]
    assert len({row["test"] for row in scores}) == 11
    assert {(row["layer"], row["epoch"]) for row in scores} == {("encoding", 0), ("encoding", 4)}
    assert all(row["n_seeds"] == 2 and row["interval_low"] <= row["value"] <= row["interval_high"] for row in scores)
    assert all({"majority", "memoriser", "leakage", "macro_f1"} <= row.keys() for row in scores)
    assert [row["epoch"] for row in found if row["stage"] == "downstream"] == [0, 4]
    assert (probing / "pictures/probing.png").stat().st_size > 0
    assert "Case" in done.stdout


def test_tests_are_listed_with_sizes_and_files(small_data, work):
    done = run_script("probe", *on_small_data(small_data, work), "list=true", "suite=linspector_token")
    assert done.returncode == 0, done.stderr
    assert "Case" in done.stdout
    assert "160" in done.stdout
    assert "present" in done.stdout
