import errno

import pytest

from polyprobe.analysis.output.tables import show
from polyprobe.analysis.reports import finished_run
from polyprobe.analysis.reports.finished_run import draw_run, report_run
from polyprobe.errors import PolyprobeError
from tests.analysis.finished_runs import predicted
from tests.analysis.handmade import (
    PROBING,
    TRAINING,
    as_read,
    predicted_run,
    predictions,
    probing,
    training_run,
    work_folder,
)


def files_of(stem: str) -> list[str]:
    """The picture and the tables of a run beside it."""
    return [f"{stem}.{ending}" for ending in ("csv", "md", "pdf", "png", "tex")]


def names(folder) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def test_a_probing_run_is_printed_drawn_and_located(tmp_path, capsys):
    run = work_folder(tmp_path) / "runs" / "probe" / PROBING
    show(report_run(run))
    output = capsys.readouterr().out
    assert "CharacterBin" in output
    assert names(run / "pictures") == files_of("probing")
    assert f"table     {run / 'pictures' / 'probing.csv'}, probing.md, probing.tex" in output.splitlines()
    assert output.splitlines()[-4:] == [
        f"results   {run / 'results.jsonl'}",
        f"run       {run / 'run.json'}",
        f"picture   {run / 'pictures' / 'probing.png'}",
        f"picture   {run / 'pictures' / 'probing.pdf'}",
    ]


def test_a_training_run_is_printed_and_drawn(tmp_path, capsys):
    run = work_folder(tmp_path) / "runs" / "train" / TRAINING
    show(report_run(run))
    output = capsys.readouterr().out
    assert "Probing" not in output
    assert names(run / "pictures") == files_of("training")


def test_a_training_run_that_probes_each_epoch_prints_the_first_the_best_and_the_last(tmp_path, capsys):
    probes = [probing("Case", 0.3 + epoch / 10, epoch=epoch, seed=1) for epoch in (0, 1, 2)]
    longer = [row for row in training_run() if row.stage == "training"]
    rows = [*training_run(), *probes, probing("Case", 0.8, epoch=3, seed=1), type(longer[2])(**_at(longer[2], 3))]
    as_read(rows, tmp_path, TRAINING)
    show(report_run(tmp_path))
    header = next(line for line in capsys.readouterr().out.splitlines() if "memoriser" in line)
    assert header.split()[4:] == ["epoch", "0", "epoch", "1", "epoch", "3"]
    assert names(tmp_path / "pictures") == [*files_of("probing"), *files_of("training")]


def test_a_run_in_a_read_only_folder_is_shown_and_its_files_left(tmp_path, capsys, monkeypatch):
    def refuse(*_):
        raise OSError(errno.EROFS, "Read-only file system")

    run = work_folder(tmp_path) / "runs" / "probe" / PROBING
    monkeypatch.setattr(finished_run, "write_tables", refuse)
    show(report_run(run))
    said = " ".join(capsys.readouterr().out.split())
    assert "cannot be written (Read-only file system): the tables and pictures of the run stay as they are." in said
    monkeypatch.setattr(finished_run, "_drawn", refuse)
    with pytest.raises(PolyprobeError, match="pictures belong in their run"):
        show(draw_run(run))


def _at(row, epoch: int) -> dict:
    return {name: getattr(row, name) for name in row.__slots__} | {"epoch": epoch}


def test_a_run_with_predictions_gets_its_errors_and_labels(tmp_path, capsys):
    run = predicted_run(tmp_path, "run", predictions("Case", {"0": [[1, 0, 1]]}))
    show(report_run(run))
    assert names(run / "errors") == ["Case.confusion.csv", "Case.tsv"]
    lines = capsys.readouterr().out.splitlines()
    assert f"details   {run / 'errors'}" in lines
    assert f"details   {run / 'labels.csv'}" in lines


@pytest.mark.parametrize("name", ["labels.csv", "errors/Case.tsv", "errors/Case.confusion.csv", "pictures/probing.csv"])
def test_a_derived_table_that_was_changed_is_made_again(name, tmp_path):
    run = predicted(tmp_path, PROBING, [[1, 0, 1, 1]])
    show(report_run(run.path))
    table = run.path / name
    as_made = table.read_bytes()
    table.write_bytes(as_made[:-4])
    show(report_run(run.path))
    assert table.read_bytes() == as_made
