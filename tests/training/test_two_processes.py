"""Two gloo processes give what one gives, for every task."""

import json

import pytest

from tests.commands.forked import run_script
from tests.training.five_tasks import SCORES, TASKS, settings, trained
from tests.training.same_runs import epochs

# Dropout draws differ from process to process; everything else must agree.
NO_DROPOUT = ["model.dropout=0.0", "trainer.max_epochs=3"]
TWO = ["trainer=ddp", "trainer.devices=2", "trainer.accelerator=cpu"]


@pytest.mark.parametrize("task", TASKS)
def test_two_processes_with_half_of_each_batch_learn_as_one(task, small_data, tmp_path):
    one = trained(task, small_data, tmp_path / "one", *NO_DROPOUT)
    done = run_script("train", *settings(task, small_data, tmp_path / "two", *NO_DROPOUT, *TWO))
    assert done.returncode == 0, done.stderr
    two = tmp_path / "two/runs/train" / one.name
    # Epoch 0 is one checkpoint, evaluated by one process and by two: the counts agree to the last digit.
    assert epochs(two)[0] == epochs(one)[0]
    assert max(row[f"dev/{SCORES[task]}"] for row in epochs(one)) > 0
    for single, double in zip(epochs(one)[1:], epochs(two)[1:], strict=True):
        assert double == pytest.approx(single, rel=1e-5)


def test_a_trained_model_of_every_task_is_counted_alike_by_two_and_three_processes(small_data, tmp_path):
    done = run_script("tests/training/evaluated_twice", str(small_data), str(tmp_path))
    assert done.returncode == 0, done.stderr
    outcomes = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert [outcome["task"] for outcome in outcomes] == list(TASKS)
    for outcome in outcomes:
        assert outcome["two"] == outcome["three"] == outcome["one"], outcome["task"]
        assert outcome["one"][f"dev/{SCORES[outcome['task']]}"] > 0
