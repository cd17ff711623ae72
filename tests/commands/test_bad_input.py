"""What a user sees when something is wrong: one paragraph with place and choices, an exit code, nothing left."""

import os
import pickle
import re
import shutil

import pytest

from polyprobe.formats.files.digest import file_digest
from polyprobe.models.base.checkpoint_file import write_digest
from tests.commands.forked import run_script
from tests.commands.scripts import on_small_data, only_run, small_training


@pytest.fixture(scope="module")
def trained(small_data, tmp_path_factory):
    """A finished training run of two epochs."""
    work = tmp_path_factory.mktemp("trained")
    done = run_script("train", *small_training(small_data, work, "trainer.max_epochs=2"))
    assert done.returncode == 0, done.stderr
    return only_run(work, "train")


def refused(script, *arguments, code=1):
    """Runs a command that must fail; returns what it says."""
    done = run_script(script, *arguments)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr


def copied(folder, target):
    shutil.copytree(folder, target, symlinks=True)
    return target


def test_a_misspelling_names_the_nearest_choice():
    assert 'trainer "gpuu" is unknown. Did you mean gpu?' in refused("train", "trainer=gpuu", code=2)


@pytest.mark.parametrize(
    ("argument", "words"),
    [
        ("model.dropout=x", "model=role_labeller cannot be built: '<=' not supported"),
        ("model.optimizer.lr=abc", "model=role_labeller cannot be built: '<' not supported"),
        ("model.rate_decay.factor=x", "model.rate_decay.factor must be a number above 0, got 'x'"),
        ("+task.datamodule.foo=1", "task.datamodule: .* does not take these options: .*foo"),
    ],
)
def test_a_value_of_another_type_is_one_line_before_a_run_begins(argument, words, small_data, work):
    said = refused("train", *small_training(small_data, work, argument))
    assert re.search(words, said), said
    assert not (work / "runs").exists()


def test_an_epoch_that_is_not_there_names_those_that_are(trained, small_data, work):
    arguments = ["encoder=checkpoint", f"encoder.run={trained}", "encoder.epochs=[99]"]
    said = refused("probe", *on_small_data(small_data, work), *arguments)
    assert "epoch 99" in said
    assert "0, 1, 2" in said


def test_a_run_that_must_be_named_is_asked_for(work):
    said = refused("probe", "encoder=checkpoint", f"paths.work={work}")
    assert "encoder.run must be given: directory of a run of train.py." in said


@pytest.mark.parametrize(
    ("task", "model", "known"),
    [("nli", "tagger", "esim, esim_small"), ("pos", "entity_tagger", "tagger"), ("srl", "word2vec", "role_labeller")],
)
def test_a_model_of_another_task_names_those_of_this_one(task, model, known, small_data, work):
    said = refused("train", f"task={task}", f"model={model}", *on_small_data(small_data, work))
    assert f"model={model} is not a model of task={task}. Known: {known}." in said
    assert not (work / "runs").exists()


def probe_damaged(trained, small_data, work, tmp_path, damage, digest=True):
    """Probes a copy of a run whose last checkpoint is something else."""
    run = copied(trained, tmp_path / "run")
    path = run / "epochs/02.ckpt"
    damage(path)
    if digest:
        write_digest(path, file_digest(path))
    arguments = ["encoder=checkpoint", f"encoder.run={run}", "encoder.epochs=[2]", "tests=[Case]"]
    said = refused("probe", *on_small_data(small_data, work), *arguments)
    assert "02.ckpt" in said
    return said


class Malicious:
    def __init__(self, marker):
        self.marker = marker

    def __reduce__(self):
        return os.system, (f"touch {self.marker}",)


def test_a_malicious_pickle_is_refused_and_nothing_in_it_runs(trained, small_data, work, tmp_path):
    marker = tmp_path / "it-ran"
    said = probe_damaged(
        trained, small_data, work, tmp_path, lambda path: path.write_bytes(pickle.dumps(Malicious(marker)))
    )
    assert "nothing in it was executed" in said
    assert not marker.exists()
