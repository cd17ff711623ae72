from functools import partial

import pytest

from src.errors import PolyprobeError
from src.runs.directory import RunDirectory
from src.runs.lifecycle import run_once
from src.runs.record.held_folder import RunIsBusy
from src.runs.results import ResultRow

ROW = ResultRow(stage="test", lang="mini", suite="srl", metric="role_f1", value=0.5, n=10, split="test", epoch=3)
DATA = {"train.txt": "digest"}


def finish(directory, done=None):
    directory.begin(DATA)
    (directory.path / "outcome").write_text("x")
    directory.finish([ROW], {})
    if done is not None:
        done.append("worked")


def once(directory, prepare, data=DATA):
    return run_once(directory, {"seed": 1}, lambda: data, prepare, outcome=[directory.path / "outcome"])


def test_a_finished_run_is_said_and_neither_prepared_nor_done_again(tmp_path, capsys):
    directory, done = RunDirectory(tmp_path / "run"), []
    once(directory, lambda: partial(finish, directory, done))
    assert directory.configuration() == {"seed": 1}
    assert once(directory, lambda: pytest.fail("prepared again")) is directory
    assert done == ["worked"]
    assert "is finished; its results" in capsys.readouterr().out


def test_a_run_that_another_command_finishes_meanwhile_is_not_done_again(tmp_path, capsys):
    directory, done = RunDirectory(tmp_path / "run"), []

    def prepare():
        with RunDirectory(directory.path).opened("seed: 1\n"):
            finish(RunDirectory(directory.path))
        return partial(done.append, "worked")

    once(directory, prepare)
    assert not done
    assert "is finished; its results" in capsys.readouterr().out


def test_a_run_that_lost_what_it_came_to_is_made_anew(tmp_path):
    directory, done = RunDirectory(tmp_path / "run"), []
    once(directory, lambda: partial(finish, directory))
    (directory.path / "outcome").unlink()
    once(directory, lambda: partial(finish, directory, done))
    assert done == ["worked"]


def test_where_reading_fails_nothing_is_written(tmp_path):
    def prepare():
        raise PolyprobeError("the corpus is damaged")

    with pytest.raises(PolyprobeError, match="the corpus is damaged"):
        once(RunDirectory(tmp_path / "run"), prepare)
    assert not list(tmp_path.iterdir())


def test_a_finished_run_over_other_data_is_refused(tmp_path):
    directory = RunDirectory(tmp_path / "run")
    once(directory, lambda: partial(finish, directory))
    with pytest.raises(PolyprobeError, match=r"train\.txt changed"):
        once(directory, lambda: pytest.fail("prepared again"), {"train.txt": "another"})


def test_a_run_on_which_another_process_works_is_refused_before_anything_is_read(tmp_path):
    directory, other = RunDirectory(tmp_path / "run"), RunDirectory(tmp_path / "run")
    with other.opened("seed: 1\n"), pytest.raises(RunIsBusy, match="is in use by process"):
        once(directory, lambda: pytest.fail("prepared"))
