import json
import os
import shutil
import signal
import subprocess
import sys
import tracemalloc
from dataclasses import replace

import pytest

from polyprobe.errors import MalformedLine, PolyprobeError
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.record.held_folder import RunIsBusy
from polyprobe.runs.results import ResultRow, read_rows, write_rows
from tests.analysis.handmade import write_finished_rows

ROW = ResultRow(stage="test", lang="mini", suite="srl", metric="role_f1", value=0.5, n=10, split="test", epoch=3)


def test_only_a_line_feed_ends_a_row(tmp_path):
    note = 'one label only ("a\u2028b\u0085c")'
    write_rows(tmp_path / "results.jsonl", "a-run", [replace(ROW, note=note), ROW])
    assert [row.get("note") for row in read_rows(tmp_path / "results.jsonl")] == [note, None]


def test_a_file_of_zeros_takes_no_memory_to_be_refused(tmp_path):
    path = tmp_path / "results.jsonl"
    path.touch()
    os.truncate(path, 3 << 30)
    tracemalloc.start()
    with pytest.raises(MalformedLine, match="line 1: the line has a NUL character"):
        read_rows(path)
    _, most_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most_bytes < 100 << 20


def test_damaged_rows_of_a_run_are_told_with_what_to_do(tmp_path):
    run = RunDirectory(tmp_path)
    write_finished_rows(run.path, "a-run", [ROW])
    run.results.write_text(run.results.read_text()[:-30])
    with pytest.raises(PolyprobeError, match=r"results.jsonl: line 1: .* Remove the run's results.jsonl: the command"):
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
import polyprobe.formats.files.atomic as atomic
from polyprobe.runs.results import ResultRow, write_rows
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


def test_what_another_process_writes_into_a_finished_run_is_left_to_it(tmp_path):
    """It reports the run that it has finished, for which it holds no lock."""
    run = RunDirectory(tmp_path / "run")
    run.open("")
    run.begin({})
    run.finish([ROW], {})
    run.close()
    young, old = (run.path / f".labels.csv.{age}.tmp" for age in ("young", "old"))
    young.write_text("half a tab")
    old.write_text("half a tab")
    os.utime(old, (0, 0))
    run.open("")
    assert young.is_file()
    assert not old.exists()
    run.close()


def test_a_folder_that_cannot_be_written_is_one_clear_line(tmp_path):
    (tmp_path / "runs").write_text("a file where the folder should be")
    with pytest.raises(PolyprobeError, match=r"paths\.work"):
        RunDirectory(tmp_path / "runs" / "run").open("")


def test_a_folder_that_is_removed_at_work_is_told_and_not_made_anew(tmp_path):
    run = RunDirectory(tmp_path / "run")
    with pytest.raises(PolyprobeError, match="was removed"), run.opened(""):
        run.begin({})
        shutil.rmtree(run.path)
        run.finish([ROW], {})
    assert not run.path.exists()


@pytest.mark.parametrize("end", [KeyboardInterrupt(), SystemExit(143), PolyprobeError("the disk is full")])
def test_a_start_that_ends_early_keeps_its_folder_and_frees_it(tmp_path, end):
    run = RunDirectory(tmp_path / "run")
    with pytest.raises(type(end)), run.opened(""):
        raise end
    assert run.config.is_file()
    run.open("")  # it is not locked


def test_the_checkpoints_that_are_there_are_known_by_their_epochs(tmp_path):
    run = RunDirectory(tmp_path)
    run.epochs.mkdir()
    for name in ("10.ckpt", "02.ckpt", "02.ckpt.sha256", "best.ckpt", ".03.ckpt.tmp"):
        (run.epochs / name).touch()
    assert run.checkpoints() == {2: run.checkpoint(2), 10: run.checkpoint(10)}


def test_a_run_without_a_configuration_has_none(tmp_path):
    assert RunDirectory(tmp_path).configuration_if_any() == {}
