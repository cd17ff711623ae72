"""Two gloo processes give what one gives."""

import csv

import pytest

from tests.commands.scripts import only_run, run_script, small_training

# Dropout draws differ from process to process; everything else must agree.
NO_DROPOUT = ["model.dropout=0.0", "trainer.max_epochs=3", "seed=4"]


def metrics(task, small_data, work, *more):
    done = run_script("train", *small_training(small_data, work, *NO_DROPOUT, *more, task=task))
    assert done.returncode == 0, done.stderr
    with open(only_run(work, "train") / "metrics.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(
    ("task", "score"),
    [
        ("srl", "dev/role_f1"),
        ("pos", "dev/accuracy"),
        ("ner", "dev/span_f1"),
        ("dep", "dev/uas"),
        ("nli", "dev/accuracy"),
    ],
)
def test_two_processes_count_and_learn_as_one(task, score, small_data, tmp_path):
    one = metrics(task, small_data, tmp_path / "one")
    two = metrics(task, small_data, tmp_path / "two", "trainer=ddp", "trainer.devices=2", "trainer.accelerator=cpu")
    assert only_run(tmp_path / "one", "train").name == only_run(tmp_path / "two", "train").name
    # Epoch 0 is one checkpoint, evaluated by one process and by two: the counts agree to the last digit.
    assert one[0] == two[0]
    assert max(float(row[score]) for row in one) > 0
    for single, double in zip(one[1:], two[1:], strict=True):
        assert float(double["train/loss"]) == pytest.approx(float(single["train/loss"]), rel=1e-4)
        assert float(double[score]) == pytest.approx(float(single[score]), abs=0.02)
