"""A run is shown, collected, compared, tabled or drawn only where its files are as they were written."""

import json
import os
import re

import pytest

from polyprobe.analysis.comparisons.compare import compare
from polyprobe.analysis.door import summary
from polyprobe.analysis.output.tables import show
from polyprobe.analysis.reports.finished_run import draw_run, report_run
from polyprobe.analysis.reports.side_by_side import scores_side_by_side
from polyprobe.analysis.results.collection import collect
from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.digest import write_sealed
from polyprobe.probing.task_score_by_epoch import downstream_rows
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.record.run_record import DamagedRun
from polyprobe.runs.results import read_rows
from tests.analysis.finished_runs import predicted, probed, training
from tests.analysis.handmade import PROBING, TRAINING

RIGHT = [[1, 1, 0, 1, 0, 1, 1, 0], [1, 0, 0, 1, 1, 1, 1, 0]]


def a_digit_changed(content: bytes) -> bytes:
    return content.replace(b"0.64", b"0.94", 1) if b"0.64" in content else content.replace(b"0.5", b"0.6", 1)


DAMAGES = {
    "emptied": lambda content: b"",
    "a digit changed": a_digit_changed,
    "not UTF-8": lambda content: content + b"\xff",
    "a row lost": lambda content: content[: content.rindex(b"\n", 0, -1) + 1],
}


def damaged(path, change) -> str:
    """Changes a file; returns a pattern of its path."""
    before = path.read_bytes()
    path.write_bytes(change(before))
    assert path.read_bytes() != before
    return re.escape(str(path))


@pytest.mark.parametrize("change", DAMAGES.values(), ids=DAMAGES)
def test_damaged_results_are_not_shown_and_the_other_runs_are_collected(tmp_path, capsys, change):
    run, other = training(tmp_path), probed(tmp_path)
    words = damaged(run.results, change)
    for reading in (lambda: show(report_run(run.path)), lambda: show(draw_run(run.path)), run.rows):
        with pytest.raises(DamagedRun, match=rf"^{words}: .*Remove the run's results.jsonl") as error:
            reading()
        assert "\n" not in str(error.value)
    found = collect(tmp_path)
    assert {row["run"] for row in found.rows} == {PROBING}
    show(summary({"paths": {"work": tmp_path}}))
    assert f"Skipped: {run.results}: " in capsys.readouterr().out
    assert len(read_rows(other.results)) == len(found.rows)


def changed_record(run, change) -> None:
    path = run.path / "run.json"
    record = json.loads(path.read_text())
    path.write_text(json.dumps(change(record)))


RECORDS = {
    "nothing": (lambda record: {}, "does not say whether the run is finished"),
    "a number changed": (lambda record: {**record, "best_epoch": 2}, "differs from its digest"),
    "a lost digest": (lambda record: {k: v for k, v in record.items() if k != "sha256"}, "it has no digest"),
    "another type, no digests": (
        lambda record: {"status": "finished", "best_epoch": "1"},
        'best_epoch is "1": Input should be',
    ),
    "another type within": (lambda record: {"status": "finished", "data": [1]}, r"data is \[1\]: Input should be"),
}


@pytest.mark.parametrize(("change", "words"), RECORDS.values(), ids=RECORDS)
def test_a_changed_run_json_is_noticed(tmp_path, change, words):
    run = training(tmp_path)
    changed_record(run, change)
    for reading in (lambda: show(report_run(run.path)), run.rows, lambda: run.is_finished):
        with pytest.raises(DamagedRun, match=rf"^{re.escape(str(run.path / 'run.json'))}: .*{words}") as error:
            reading()
        assert "\n" not in str(error.value)
    assert len(collect(tmp_path).left_out) == 1


def of_its_start(record):
    return {key: value for key, value in record.items() if key not in ("files", "sha256")}


NOT_FINISHED = {
    "run.json removed": (lambda path: path.unlink(), "it is not there"),
    "begun again": (
        lambda path: write_sealed(path, {**said_by(path), "status": "running"}),
        'status is "running", not finished',
    ),
}


def said_by(path):
    return of_its_start(json.loads(path.read_text()))


@pytest.mark.parametrize(("change", "words"), NOT_FINISHED.values(), ids=NOT_FINISHED)
def test_rows_are_shown_only_where_run_json_says_finished_and_vouches_for_them(tmp_path, capsys, change, words):
    run = training(tmp_path)
    predicted(tmp_path, "first", RIGHT)
    run.results.write_text(run.results.read_text().replace("0.64", "0.999"))
    change(run.path / "run.json")
    words = rf"^{re.escape(str(run.path / 'run.json'))}: {words}. Give the run's command again"
    for reading in (lambda: show(report_run(run.path)), lambda: show(draw_run(run.path)), run.rows):
        with pytest.raises(DamagedRun, match=words):
            reading()
    with pytest.raises(DamagedRun, match=words):
        show(scores_side_by_side(tmp_path, ["first", TRAINING]))
    show(summary({"paths": {"work": tmp_path}}))
    assert f"Skipped: {run.path / 'run.json'}: " in capsys.readouterr().out
    assert "0.999" not in (tmp_path / "results.csv").read_text()


@pytest.mark.parametrize("name", ["config.yaml", "metrics.csv"])
def test_the_scores_of_a_probed_run_are_taken_from_files_as_they_were_written(tmp_path, name):
    run = training(tmp_path)
    words = damaged(run.path / name, lambda content: content.replace(b"0.64", b"0.94") + b" ")
    with pytest.raises(DamagedRun, match=words):
        downstream_rows(run.path, [0, 1])


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", ["run.json", "results.jsonl", "config.yaml", "predictions/Case.npz"])
def test_a_pipe_in_the_place_of_a_file_is_refused_and_not_waited_for(tmp_path, name):
    run = predicted(tmp_path, "first", RIGHT)
    predicted(tmp_path, "second", RIGHT)
    (run.path / name).unlink(missing_ok=True)
    os.mkfifo(run.path / name)
    for reading in (lambda: report_run(run.path), lambda: compare(tmp_path, ["second", "first"], None)):
        with pytest.raises(PolyprobeError, match=r"is a device or a pipe|has no results.jsonl"):
            show(reading())


def test_a_run_that_is_made_anew_names_its_new_files(tmp_path):
    run = training(tmp_path)
    run.results.unlink()
    damaged(run.config, lambda content: content + b" ")
    again = RunDirectory(run.path)
    again.open("seed: 1\n")
    again.begin({"train.txt": "digest"})
    assert "files" not in again.record()
    again.finish([], {})
    again.close()
    again.say_finished({"train.txt": "digest"})
    assert again.configuration() == {"seed": 1}


def test_an_equal_command_at_the_same_time_leaves_a_finished_run_as_it_is(tmp_path):
    run = training(tmp_path)
    run.open("monitor: another text of the same configuration\n")
    run.close()
    assert run.is_finished
    run.say_finished({"train.txt": "digest"})
