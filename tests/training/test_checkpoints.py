"""Checkpoints of old epochs are light, and whatever of the newest is damaged, a run goes on exactly."""

import json
import os
import shutil

import pytest
import torch

from src.models.saved import load_model
from src.runs.directory import RunDirectory
from src.training.checkpoints import newest_checkpoint
from tests.training.five_tasks import trained
from tests.training.test_resume import assert_same

EPOCHS = "trainer.max_epochs=4"
RENAME = os.replace
RENAMES = range(2, 24, 3)  # every third: all of them take long


@pytest.fixture(scope="module")
def whole(small_data, tmp_path_factory):
    return trained("pos", small_data, tmp_path_factory.mktemp("whole"), EPOCHS)


def flipped(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def cut_off(path):
    path.write_bytes(path.read_bytes()[:-100])


DAMAGES = {
    "the newest epoch was not written yet": ("epochs/04.ckpt", lambda path: path.unlink()),
    "the newest epoch is damaged": ("epochs/04.ckpt", flipped),
    "its states are damaged": ("resume/04.ckpt", cut_off),
    "its states are gone": ("resume/04.ckpt", lambda path: path.unlink()),
    "its digest is gone": ("resume/04.ckpt.sha256", lambda path: path.unlink()),
}


def unfinished_copy(run, work):
    """Gives a copy of a run as it stood before its rows were written."""
    copy = shutil.copytree(run, work / "runs/train" / run.name, symlinks=True)
    (copy / "results.jsonl").unlink()
    record = json.loads((copy / "run.json").read_text(encoding="utf-8"))
    (copy / "run.json").write_text(json.dumps({**record, "status": "running"}), encoding="utf-8")
    return copy


def test_only_the_newest_two_epochs_keep_the_states_of_optimisers(whole):
    assert sorted(path.name for path in (whole / "resume").glob("*.ckpt")) == ["03.ckpt", "04.ckpt"]
    for epoch in range(5):
        path = whole / f"epochs/0{epoch}.ckpt"
        assert "optimizer_states" not in torch.load(path, weights_only=True)
        assert load_model(path)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_run_goes_on_exactly_from_the_epoch_before_a_damaged_one(whole, damage, small_data, tmp_path):
    copy = unfinished_copy(whole, tmp_path)
    name, harm = DAMAGES[damage]
    harm(copy / name)
    assert newest_checkpoint(RunDirectory(copy)) == copy / "epochs/03.ckpt"
    assert trained("pos", small_data, tmp_path, EPOCHS) == copy
    assert_same(copy, whole)


def test_a_run_that_lost_all_states_begins_anew_and_says_so(whole, small_data, tmp_path, caplog):
    copy = unfinished_copy(whole, tmp_path)
    shutil.rmtree(copy / "resume")
    trained("pos", small_data, tmp_path, EPOCHS)
    assert "resume/04.ckpt: there is no such file" in caplog.text
    assert_same(copy, whole)


class Killed(BaseException):
    """Ends a start at a rename, as a kill would."""


def killed_at(monkeypatch, n_renames, task, data, work):
    """Starts a run that ends at its n-th rename; says whether it came to its end before."""
    remaining = iter(range(n_renames))

    def rename(source, target):
        if next(remaining, None) is None:
            raise Killed
        return RENAME(source, target)

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", rename)
        try:
            trained(task, data, work, EPOCHS)
        except Killed:
            return True
    return False


def test_a_run_ended_at_one_rename_after_the_other_ends_with_the_same_numbers(whole, small_data, tmp_path, monkeypatch):
    n_kills = sum(killed_at(monkeypatch, n, "pos", small_data, tmp_path) for n in RENAMES)
    assert n_kills >= 0.5 * len(RENAMES)
    assert_same(trained("pos", small_data, tmp_path, EPOCHS), whole)
