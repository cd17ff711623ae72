import json
import os
import signal
import subprocess
import sys
from dataclasses import replace

import pytest

from src.formats.errors import MalformedLine, PolyprobeError
from src.runs.directory import RunDirectory, RunIsBusy
from src.runs.results import ResultRow, read_rows, write_rows

ROW = ResultRow(stage="test", lang="mini", suite="srl", metric="role_f1", value=0.5, n=10, split="test", epoch=3)


def test_rows_that_were_written_are_read_without_empty_columns(tmp_path):
    write_rows(tmp_path / "results.jsonl", "a-run", [ROW])
    (row,) = read_rows(tmp_path / "results.jsonl")
    assert row["run"] == "a-run"
    assert row["value"] == 0.5
    assert "layer" not in row


def test_only_a_line_feed_ends_a_row(tmp_path):
    note = 'one label only ("a\u2028b\u0085c")'
    write_rows(tmp_path / "results.jsonl", "a-run", [replace(ROW, note=note), ROW])
    assert [row.get("note") for row in read_rows(tmp_path / "results.jsonl")] == [note, None]


def test_a_cut_row_is_refused_with_its_line(tmp_path):
    path = tmp_path / "results.jsonl"
    write_rows(path, "a-run", [ROW, ROW])
    path.write_text(path.read_text()[:-30])
    with pytest.raises(MalformedLine, match=r"results.jsonl, line 2"):
        read_rows(path)


def test_damaged_rows_of_a_run_are_told_with_what_to_do(tmp_path):
    run = RunDirectory(tmp_path)
    write_rows(run.results, "a-run", [ROW])
    run.results.write_text(run.results.read_text()[:-30])
    with pytest.raises(PolyprobeError, match=r"results.jsonl, line 1: .* Remove the file: the command of the run"):
        run.rows()


def test_a_run_is_new_then_resumed_then_finished(tmp_path):
    run = RunDirectory(tmp_path / "run")
    run.open("seed: 1\n")
    assert run.begin({"train.txt": "digest"}) is False
    assert run.begin({"train.txt": "digest"}) is True
    assert not run.is_finished
    run.finish([ROW], {"best_epoch": 3})
    assert run.is_finished
    assert json.loads((run.path / "run.json").read_text())["best_epoch"] == 3
    run.close()


def test_a_changed_corpus_is_named_when_a_run_is_resumed(tmp_path):
    run = RunDirectory(tmp_path / "run")
    run.open("")
    run.begin({"train.txt": "before"})
    with pytest.raises(PolyprobeError, match=r"train\.txt"):
        run.begin({"train.txt": "after"})
    run.close()


def test_a_second_process_is_told_who_holds_the_run(tmp_path):
    run = RunDirectory(tmp_path / "run")
    run.open("")
    with pytest.raises(RunIsBusy, match=f"process {os.getpid()}"):
        RunDirectory(tmp_path / "run").open("")
    run.close()
    RunDirectory(tmp_path / "run").open("")


KILLED_WHILE_WRITING = """
import os, signal, sys
from pathlib import Path
import src.formats.atomic as atomic
from src.runs.results import ResultRow, write_rows
row = ResultRow(stage="test", lang="mini", suite="srl", metric="role_f1", value=0.25, n=10, split="test")
step = int(sys.argv[2])
calls = [0]
def killing(function):
    def wrapped(*arguments, **options):
        calls[0] += 1
        if calls[0] > step:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*arguments, **options)
    return wrapped
Path.write_text = killing(Path.write_text)
atomic._flush_to_disk = killing(atomic._flush_to_disk)
os.replace = killing(os.replace)
write_rows(Path(sys.argv[1]), "a-run", [row] * 1000)
"""


@pytest.mark.parametrize("step", range(5))
def test_a_kill_at_any_step_of_writing_leaves_the_old_rows_or_the_new(tmp_path, step):
    path = tmp_path / "results.jsonl"
    write_rows(path, "a-run", [ROW])
    done = subprocess.run([sys.executable, "-c", KILLED_WHILE_WRITING, str(path), str(step)], check=False)
    assert done.returncode == (-signal.SIGKILL if step < 4 else 0)
    rows = read_rows(path)
    assert [row["value"] for row in rows] in ([0.5], [0.25] * 1000)


def test_what_a_killed_writer_left_is_cleared_when_the_run_is_opened(tmp_path):
    run = RunDirectory(tmp_path / "run")
    run.path.mkdir()
    (run.path / ".results.jsonl.0f.tmp").write_text("half a ro")
    run.open("")
    assert not list(run.path.glob(".*.tmp"))
    run.close()


def test_a_finished_run_is_tidied_too(tmp_path):
    run = RunDirectory(tmp_path / "run")
    run.open("")
    run.close()
    (run.pictures / ".training.pdf.0f.tmp").write_text("half a picture")
    run.tidy()
    assert not list(run.path.rglob(".*.tmp"))
    run.open("")


def test_a_folder_that_cannot_be_written_is_one_clear_line(tmp_path):
    (tmp_path / "runs").write_text("a file where the folder should be")
    with pytest.raises(PolyprobeError, match=r"paths\.work"):
        RunDirectory(tmp_path / "runs" / "run").open("")
