"""Checkpoints of old epochs are light, and whatever of the newest is damaged, a run goes on exactly."""

import os
import shutil

import pytest
import torch
from submitit.core.utils import UncompletedJobError

from polyprobe.errors import BadValue
from polyprobe.models.base.checkpoint_file import load_model
from polyprobe.runs.directory import RunDirectory
from polyprobe.training.callbacks.checkpoints import DigestedCheckpoints, newest_checkpoint
from tests.training.five_tasks import trained
from tests.training.same_runs import assert_same, unfinished_copy

EPOCHS = "trainer.max_epochs=4"
RENAME = os.replace
RENAMES = range(2, 24, 5)  # every fifth: all of them take long
BEST_IN_THE_MIDDLE = [EPOCHS, "model.optimizer.lr=0.2"]


@pytest.fixture(scope="module")
def whole(small_data, tmp_path_factory):
    return trained("pos", small_data, tmp_path_factory.mktemp("whole"), EPOCHS)


@pytest.fixture(scope="module")
def peaked(small_data, tmp_path_factory):
    """A run of four epochs; the second is the best with the locked versions, with others it may be another one."""
    return trained("pos", small_data, tmp_path_factory.mktemp("peaked"), *BEST_IN_THE_MIDDLE)


def with_best(run, *epochs):
    """Returns the epochs and the best one of a run, in order."""
    return sorted({*epochs, (run / "best").resolve().stem})


def epochs_in(folder):
    return [path.name.removesuffix(".ckpt") for path in sorted(folder.glob("*.ckpt"))]


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


def killed_at(monkeypatch, n_renames, task, data, work, *options):
    """Starts a run that ends at its n-th rename; says whether it did not come to its end before."""
    remaining = iter(range(n_renames))
    return killed_when(monkeypatch, lambda target: next(remaining, None) is None, task, data, work, *options)


def killed_when(monkeypatch, is_due, task, data, work, *options):
    def rename(source, target):
        if is_due(target):
            raise Killed
        return RENAME(source, target)

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", rename)
        try:
            trained(task, data, work, *(options or [EPOCHS]))
        except Killed:
            return True
    return False


def test_a_run_ended_at_one_rename_after_the_other_ends_with_the_same_numbers(whole, small_data, tmp_path, monkeypatch):
    n_kills = sum(killed_at(monkeypatch, n, "pos", small_data, tmp_path) for n in RENAMES)
    assert n_kills >= 0.5 * len(RENAMES)
    assert_same(trained("pos", small_data, tmp_path, EPOCHS), whole)


@pytest.mark.parametrize(("keep", "epochs"), [("best", ["04"]), ("[0,1]", ["00", "01", "04"])])
def test_the_epochs_asked_for_stay_and_no_number_changes(peaked, keep, epochs, small_data, tmp_path):
    run = trained("pos", small_data, tmp_path, *BEST_IN_THE_MIDDLE, f"trainer.keep={keep}")
    assert run.name == peaked.name
    epochs = with_best(peaked, *epochs)
    assert (epochs_in(run / "epochs"), epochs_in(run / "resume")) == (epochs, ["04"])
    assert len(list(run.rglob("*.ckpt.sha256"))) == len(epochs) + 1
    assert (run / "best").resolve().name == (peaked / "best").resolve().name
    assert_same(run, peaked)


def test_a_run_that_probes_each_epoch_and_keeps_its_best_alone_ends_the_same_when_it_is_cut_off(
    small_data, tmp_path, monkeypatch
):
    options = [*BEST_IN_THE_MIDDLE, "probe_each_epoch=[Case]", "probe.max_epochs=1"]
    whole = trained("pos", small_data, tmp_path / "whole", *options)
    kept = [*options, "trainer.keep=best"]
    assert sum(killed_at(monkeypatch, n, "pos", small_data, tmp_path, *kept) for n in range(11, 32, 8)) >= 2
    run = trained("pos", small_data, tmp_path, *kept)
    assert_same(run, whole)
    assert epochs_in(run / "epochs") == with_best(whole, "04")


def test_a_run_that_keeps_its_best_alone_goes_on_from_the_epoch_before_a_damaged_one(
    peaked, small_data, tmp_path, monkeypatch
):
    options, run = [*BEST_IN_THE_MIDDLE, "trainer.keep=best"], tmp_path / "runs/train" / peaked.name
    newest = run / "epochs/04.ckpt"
    assert killed_when(monkeypatch, lambda target: newest.exists(), "pos", small_data, tmp_path, *options)
    flipped(newest)
    assert trained("pos", small_data, tmp_path, *options) == run
    assert_same(run, peaked)


def test_after_a_kill_between_a_checkpoint_and_its_links_the_links_are_made(peaked, small_data, tmp_path, monkeypatch):
    newest = tmp_path / "runs/train" / peaked.name / "epochs/04.ckpt"
    assert killed_when(monkeypatch, lambda target: newest.exists(), "pos", small_data, tmp_path, *BEST_IN_THE_MIDDLE)
    run = trained("pos", small_data, tmp_path, *BEST_IN_THE_MIDDLE)
    assert (run / "last").resolve() == newest.resolve()


@pytest.mark.parametrize("end", [SystemExit(143), SystemExit(-1), UncompletedJobError("timed-out too many times")])
def test_a_signal_while_a_checkpoint_is_written_is_no_full_disk(end, tmp_path, monkeypatch):
    def broken_off(content, path):
        try:
            raise end
        finally:
            raise RuntimeError("unexpected pos 448 vs 342")  # as torch closes what is half written

    monkeypatch.setattr(torch, "save", broken_off)
    path = tmp_path / "epochs/00.ckpt"
    (tmp_path / "resume").mkdir()
    with pytest.raises(type(end)) as raised:
        DigestedCheckpoints().save_checkpoint({"optimizer_states": []}, path)
    assert raised.value is end


@pytest.mark.parametrize("keep", ["last", "[5]"])
def test_epochs_that_there_cannot_be_are_refused(keep, small_data, tmp_path):
    with pytest.raises(BadValue, match=r"trainer\.keep must be all, best, or a list of epochs from 0 to 4"):
        trained("pos", small_data, tmp_path, EPOCHS, f"trainer.keep={keep}")
    assert not (tmp_path / "runs").exists()
