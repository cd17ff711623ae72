import pytest

from polyprobe.errors import PolyprobeError
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.record.held_folder import RunIsBusy
from polyprobe.runs.results import ResultRow
from polyprobe.runs.study import Study, Work, done, in_a_line
from polyprobe.runs.workspace import Workspace

ROW = ResultRow(stage="test", lang="mini", suite="srl", metric="role_f1", value=0.5, n=10, split="test", epoch=3)
DATA = {"train.txt": "digest"}


class Once(Study, Work):
    """A study of one row, which notes when it works."""

    command, name, config = "train", "run", {"seed": 1}

    def __init__(self, folder, data=DATA, done=None, prepare=None):
        self.workspace = Workspace(folder, folder, None)
        self._data, self._done, self._prepare = data, [] if done is None else done, prepare

    @property
    def outcome(self):
        return [self.run.path / "outcome"]

    def versions(self):
        return self._data

    def prepare(self):
        if self._prepare is not None:
            self._prepare()
        return self

    def work(self, run):
        (run.path / "outcome").write_text("x")
        self._done.append("worked")
        return [ROW], {}


def never():
    pytest.fail("prepared")


def test_a_finished_run_is_said_and_neither_prepared_nor_done_again(tmp_path, capsys):
    worked = []
    run = done(Once(tmp_path, done=worked))
    assert run.configuration() == {"seed": 1}
    assert done(Once(tmp_path, done=worked, prepare=never)).path == run.path
    assert worked == ["worked"]
    assert "is finished; its results" in capsys.readouterr().out


def test_a_run_that_another_command_finishes_meanwhile_is_not_done_again(tmp_path, capsys):
    worked = []
    done(Once(tmp_path, done=worked, prepare=lambda: done(Once(tmp_path))))
    assert not worked
    assert "is finished; its results" in capsys.readouterr().out


def test_a_run_that_lost_what_it_came_to_is_made_anew(tmp_path):
    worked = []
    (done(Once(tmp_path)).path / "outcome").unlink()
    done(Once(tmp_path, done=worked))
    assert worked == ["worked"]


def test_where_reading_fails_nothing_is_written(tmp_path):
    def prepare():
        raise PolyprobeError("the corpus is damaged")

    with pytest.raises(PolyprobeError, match="the corpus is damaged"):
        done(Once(tmp_path, prepare=prepare))
    assert not list(tmp_path.iterdir())


def test_a_finished_run_over_other_data_is_refused(tmp_path):
    done(Once(tmp_path))
    with pytest.raises(PolyprobeError, match=r"train\.txt changed"):
        done(Once(tmp_path, {"train.txt": "another"}, prepare=never))


def test_a_run_on_which_another_process_works_is_refused_before_anything_is_read(tmp_path):
    study = Once(tmp_path, prepare=never)
    with RunDirectory(study.run.path).opened("seed: 1\n"), pytest.raises(RunIsBusy, match="is in use by process"):
        done(study)


@pytest.mark.parametrize("begins_anew", [False, True])
def test_a_start_says_where_the_results_will_be_and_what_there_is_to_do(begins_anew, tmp_path, capsys):
    class Counting(Once):
        def start(self):
            return [in_a_line({"tests": 7, "items": 12000})]

        def work(self, run):
            raise PolyprobeError("cut off")

    Counting.begins_anew = begins_anew
    study = Counting(tmp_path)
    study.run.path.mkdir(parents=True)
    for _ in range(2):
        with pytest.raises(PolyprobeError, match="cut off"):
            done(study)
    again = "beginning anew" if begins_anew else "resuming"
    counts = "  tests: 7, items: 12,000"
    said = [line for line in capsys.readouterr().out.splitlines() if "resumed" not in line]
    assert said == [f"starting {study.run.path}", counts, f"{again} {study.run.path}", counts]
