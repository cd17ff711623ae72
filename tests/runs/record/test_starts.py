"""A run that was resumed under other versions or circumstances says so, when it starts and in its rows."""

import pytest

from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.names.typed_command import TYPED, keep_typed, typed_command
from polyprobe.runs.record.provenance import note_on
from polyprobe.runs.results import ResultRow

ROW = ResultRow(stage="test", lang="mini", suite="srl", metric="role_f1", value=0.5, n=10, split="test")
DATA = {"train.txt": "digest"}
SAME = {"threads": 1, "devices": 1, "accelerator": "cpu"}


def started(**changes):
    usual = {
        "polyprobe": {"commit": "0a1b2c3d4e5f", "clean": True},
        "python": "3.11.7",
        "libraries": {"torch": "2.13.0"},
    }
    return {"time": "2026-01-01T00:00:00+00:00", **usual, **SAME, **changes}


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        ({"libraries": {"torch": "2.12.0"}}, "torch: 2.12.0, 2.13.0"),
        ({"polyprobe": {"commit": "0a1b2c3d4e5f", "clean": False}}, "code: 0a1b2c3d with changes, 0a1b2c3d"),
        ({"threads": 2}, "thread count: 2, 1"),
    ],
)
def test_what_two_starts_differ_in_is_said(changes, note):
    assert note_on([started(**changes), started()]) == f"resumed under another {note}"


def test_times_and_processors_are_kept_and_not_compared():
    starts = [started(machine={"processor": "a"}), started(time="later", machine={"processor": "b"})]
    assert note_on(starts) is None


def test_a_run_remembers_what_an_earlier_start_differed_in():
    starts = [started(threads=2), started(), started()]
    assert note_on(starts) == "resumed under another thread count: 2, 1"


def test_a_resumed_run_says_so_when_it_starts_and_its_rows_carry_a_note(tmp_path, capsys):
    run = RunDirectory(tmp_path / "run")
    run.open("")
    run.begin(DATA, **SAME)
    assert not capsys.readouterr().out
    run.begin(DATA, **{**SAME, "threads": 4})
    assert capsys.readouterr().out == "resumed under another thread count: 1, 4\n"
    run.finish([ROW, ResultRow(**{**ROW_FIELDS, "note": "one seed"})], {})
    assert [row["note"] for row in run.rows()] == [
        "resumed under another thread count: 1, 4",
        "resumed under another thread count: 1, 4; one seed",
    ]
    first, second = run.record()["starts"]
    assert (first["threads"], second["threads"]) == (1, 4)
    assert {"time", "python", "libraries", "polyprobe", "machine", "devices", "accelerator"} <= set(first)
    run.close()


ROW_FIELDS = {name: getattr(ROW, name) for name in ("stage", "lang", "suite", "metric", "value", "n", "split")}


def test_a_run_that_is_resumed_under_the_same_says_nothing(tmp_path, capsys):
    run = RunDirectory(tmp_path / "run")
    run.open("")
    for _ in range(2):
        run.begin(DATA, **SAME)
    run.finish([ROW], {})
    assert not capsys.readouterr().out
    assert "note" not in run.rows()[0]
    run.close()


def test_a_run_that_begins_anew_forgets_earlier_starts(tmp_path, capsys):
    run = RunDirectory(tmp_path / "run")
    run.open("")
    assert run.begin_anew(DATA, **SAME) is False
    assert run.begin_anew(DATA, **{**SAME, "threads": 4}) is True
    assert not capsys.readouterr().out
    assert len(run.record()["starts"]) == 1
    run.close()


def test_a_start_keeps_its_command_as_it_was_typed(tmp_path, monkeypatch):
    monkeypatch.delenv(TYPED, raising=False)
    keep_typed("probe", ["lang=fi", "tests=[Case, Tense]"])
    keep_typed("probe", ["lang=fi"])  # of a process that the first one starts
    run = RunDirectory(tmp_path / "run")
    run.open("")
    run.begin(DATA, **SAME)
    assert run.record()["starts"][0]["command"] == "python probe.py lang=fi 'tests=[Case, Tense]'"
    run.close()


def test_a_command_that_the_locale_cannot_read_is_kept_as_utf8(monkeypatch):
    monkeypatch.setenv(TYPED, "paths.work=" + "ä".encode().decode("ascii", "surrogateescape"))
    assert typed_command() == "paths.work=ä"


def test_what_two_starts_were_called_by_is_no_difference_between_them():
    assert note_on([started(command="python probe.py"), started(command="python probe.py -m seed=1,2")]) is None
