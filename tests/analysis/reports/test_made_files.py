"""A run that is shown again is drawn again only where its results, its axis or a file of it is other than before."""

import json
import re

import pytest

from polyprobe.analysis.output.tables import show
from polyprobe.analysis.reports.finished_run import draw_run, report_run
from polyprobe.runs.directory import RunDirectory
from tests.analysis.finished_runs import predicted
from tests.analysis.handmade import PROBING, TRAINING, work_folder


def pictures(run: RunDirectory) -> dict[str, int]:
    return {file.name: file.stat().st_mtime_ns for file in run.pictures.glob("training.*")}


@pytest.fixture
def shown(tmp_path, capsys):
    run = RunDirectory(work_folder(tmp_path) / "runs" / "train" / TRAINING)
    show(report_run(run.path))
    return run, capsys.readouterr().out


def test_what_is_shown_again_is_said_again_and_not_drawn_again(shown, capsys):
    run, said = shown
    before = pictures(run)
    show(report_run(run.path))
    assert capsys.readouterr().out == said
    assert pictures(run) == before


@pytest.mark.parametrize("change", ["axis", "file", "digit", "results", "record", "foreign"])
def test_it_is_drawn_again_where_anything_is_other(change, shown):
    run, _ = shown
    before = pictures(run)
    axis = "full" if change == "axis" else "close"
    if change == "file":
        (run.pictures / "training.png").unlink()
    elif change == "digit":
        table = run.pictures / "training.csv"
        table.write_text(table.read_text(encoding="utf-8").replace("6", "9"), encoding="utf-8")
    elif change == "results":
        lines = run.results.read_text(encoding="utf-8").splitlines(keepends=True)
        run.results.write_text("".join(reversed(lines)), encoding="utf-8")
    elif change == "record":
        run.made_files.write_text(run.made_files.read_text(encoding="utf-8").replace("close", "shut"), encoding="utf-8")
    elif change == "foreign":
        record = json.loads(run.made_files.read_text(encoding="utf-8"))
        del record["sha256"]
        run.made_files.write_text(json.dumps({**record, "pictures": ["../../etc/passwd"]}), encoding="utf-8")
    show(report_run(run.path, axis))
    after = pictures(run)
    assert after.keys() == before.keys()
    assert all(after[name] != before[name] for name in before)


@pytest.mark.parametrize("name", ["labels.csv", "errors/Case.tsv", "errors/Case.confusion.csv", "pictures/probing.csv"])
def test_a_digit_lost_from_a_derived_table_is_told_and_the_table_made_again(name, tmp_path, capsys):
    run = predicted(tmp_path, PROBING, [[1, 0, 1, 1]])
    show(report_run(run.path))
    table = run.path / name
    as_made = table.read_bytes()
    changed = re.sub(rb"\d(?=\D*$)", b"", as_made)
    table.write_bytes(changed)
    capsys.readouterr()
    show(report_run(run.path))
    assert table.read_bytes() == as_made != changed
    assert f"{name} differs from what was written: recreated" in capsys.readouterr().out


def test_pictures_that_were_drawn_over_are_drawn_again(shown):
    run, _ = shown
    close = (run.pictures / "training.png").read_bytes()
    show(draw_run(run.path, "full"))
    assert (run.pictures / "training.png").read_bytes() != close
    show(report_run(run.path))
    assert (run.pictures / "training.png").read_bytes() == close
