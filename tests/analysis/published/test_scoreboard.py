"""Published tables with ours beside."""

import shutil
from dataclasses import replace
from types import MappingProxyType

import pytest
import yaml

from polyprobe.analysis.output.tables import csv_text, show
from polyprobe.analysis.published.filled_cells import FilledCell, FinishedRun, State
from polyprobe.analysis.published.published_cells import PublishedCell, StudyCommand
from polyprobe.analysis.published.scoreboard import (
    cells_csv,
    paper_tables,
    published_numbers,
    published_of_runs,
    totals_table,
)
from polyprobe.errors import BadValue, UnknownChoice
from tests.analysis.handmade import as_read, probing

CELL = PublishedCell(
    **{"paper": "clams", "table": "1", "row": "de simple", "column": "mono", "training": None},
    **{
        "study": StudyCommand("", MappingProxyType({})),
        "keys": MappingProxyType({"test": ""}),
        "of": "value",
        "corpus": "",
        "n": None,
    },
    **{"text": "0.94", "value": 0.94, "unit": "fraction", "tolerance": 0.02, "why": ""},
    **{"cannot": "", "printed_by": "", "note": ""},
)
FILLED = [
    FilledCell(CELL, State.NEAR, 0.9278, ("one", "two")),
    FilledCell(replace(CELL, column="multi"), State.NOT_RUN),
    FilledCell(replace(CELL, row="ru simple", cannot="never released"), State.CANNOT),
    FilledCell(
        replace(CELL, row="ru simple", column="multi"), State.ELSEWHERE, 0.5, ("one",), ("corpus small, not big",)
    ),
    FilledCell(replace(CELL, table="figure 3", row="x", column=""), State.EQUAL, 0.94, ("one",)),
    FilledCell(replace(CELL, table="figure 3", row="y", column="", printed_by="python other.py"), State.PRINTED),
]


def test_a_table_has_the_layout_of_the_paper_with_ours_beside():
    first, second = paper_tables(FILLED)
    assert csv_text(first) == (",mono,multi\nde simple,0.94 0.93 ≈,0.94\nru simple,0.94 ×,0.94 0.50 †\n")
    assert first.title == "Table 1 (fraction), Mueller et al. 2020"
    assert first.notes == [
        "1 within tolerance, 1 other data or settings, 1 not run, 1 cannot be.",
        "Other data or settings: corpus small, not big",
        "No command yet: Table 1, de simple, multi",
        "Not reproducible: never released",
    ]
    assert second.title == "figure 3 (fraction), Mueller et al. 2020"
    assert second.notes == ["1 equal, 1 printed elsewhere.", "Printed by: python other.py"]


def test_the_totals_count_each_state():
    (row,) = totals_table({"clams": FILLED}).rows
    assert list(row) == ["Mueller et al. 2020", "1", "1", "0", "0", "1", "1", "1", "1", "6"]


def test_every_cell_is_a_line_of_the_file():
    lines = cells_csv(FILLED).splitlines()
    assert len(lines) == 7
    assert lines[1] == "clams,1,de simple,mono,within tolerance,0.94,0.93,-0.0122,0.02,fraction,,,one two,,,,"


def test_further_runs_of_a_number_stand_below_its_table_and_in_the_file():
    other = FilledCell(CELL, State.ELSEWHERE, 0.5, ("three",), ("corpus small, not big",))
    one = replace(FILLED[0], others=(other,))
    assert "Further runs: Table 1, de simple, mono: 0.50 † three" in paper_tables([one])[0].notes
    assert ",one two,0.50 † three," in cells_csv([one])


def majority(work, name, value):
    """A run of the study of Table 9 whose majority of Finnish Case is a value (the paper: 30.0)."""
    folder = work / "runs/probe" / name
    sources = {"vectors": {}, "data": {"Case": "UKPLab/linspector 46a7cca"}}
    as_read([probing("Case", 0.5, layer="char_ngrams", majority=value, n=1000)], folder, name, sources=sources)
    choices = {"lang": "fi", "suite": "linspector_type", "encoder": "char_ngrams", "probe": "mlp"}
    (folder / "config.yaml").write_text(yaml.safe_dump({"seed": 1, "choices": choices}), encoding="utf-8")
    return folder


def test_a_run_prints_its_published_numbers_at_its_end(tmp_path, capsys):
    show(published_of_runs([FinishedRun.read(majority(tmp_path, "one", 0.3))]))
    said = " ".join(capsys.readouterr().out.split())
    assert "Şahin et al. 2020 Table 9, Finnish Case, baseline 30.0 ±0.05 30.0 +0.0 =" in said
    assert "1 of 1 published numbers are reproduced." in said


def test_a_run_without_any_prints_nothing(tmp_path, capsys):
    folder = tmp_path / "runs/probe/one"
    as_read([probing("Case", 0.5, suite="own")], folder, "one")
    show(published_of_runs([FinishedRun.read(folder)]))
    assert capsys.readouterr().out == ""


def test_every_table_is_printed_and_written(tmp_path, capsys):
    majority(tmp_path, "one", 0.3)
    show(published_numbers(tmp_path, "linspector"))
    said = capsys.readouterr().out
    assert "Table 9 (percent), Şahin et al. 2020" in said
    assert "python probe.py experiment=linspector_table9 lang=fi encoder=muse encoder.path=<path>" in said
    lines = (tmp_path / "published/linspector_cells.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 1 + 1282
    assert [line for line in lines if ",equal," in line] == [
        "linspector,9,Finnish Case,baseline,equal,30.0,30.0,+0,0.05,percent,counted in the same files,,one,,"
        "python probe.py experiment=linspector_table9 lang=fi,,"
    ]
    assert (tmp_path / "published/linspector-table_9.csv").exists()


def test_a_copied_run_counts_once_and_a_damaged_one_is_named(tmp_path, capsys):
    folder = majority(tmp_path, "one", 0.3)
    shutil.copytree(folder, folder.with_name("two"))
    (majority(tmp_path, "three", 0.4) / "results.jsonl").write_text("{", encoding="utf-8")
    show(published_numbers(tmp_path, "linspector"))
    said = capsys.readouterr().out
    assert "two is a copy of the run one" in said
    assert "Skipped:" in said
    assert "three" in said
    cells = (tmp_path / "published/linspector_cells.csv").read_text(encoding="utf-8")
    assert ",one,,python" in cells


def test_a_paper_that_is_none_of_them_is_refused(tmp_path):
    with pytest.raises(UnknownChoice, match="all, clams, linspector"):
        show(published_numbers(tmp_path, "lispector"))


@pytest.mark.parametrize("asked", ["", []])
def test_where_no_paper_is_named_the_choices_are(asked, tmp_path):
    with pytest.raises(BadValue, match=r"^published must be one of linspector, senteval, rusenteval, clams, all, or a"):
        show(published_numbers(tmp_path, asked))


def test_a_paper_that_nobody_knows_is_refused_in_a_list_too(tmp_path):
    with pytest.raises(UnknownChoice, match=r'published "clam" is unknown\. Did you mean clams'):
        show(published_numbers(tmp_path, ["linspector", "clam"]))


def test_a_folder_without_runs_has_the_published_numbers_alone(tmp_path, capsys):
    show(published_numbers(tmp_path / "nowhere", "linspector"))
    said = " ".join(capsys.readouterr().out.split())
    assert f"No finished run below {tmp_path / 'nowhere' / 'runs'}: these are the published numbers alone." in said
    assert (tmp_path / "nowhere" / "published" / "linspector_cells.csv").is_file()


def test_several_papers_are_a_list(tmp_path, capsys):
    as_read([probing("Case", 0.5)], tmp_path / "runs" / "probe" / "one", "one")
    show(published_numbers(tmp_path, ["linspector", "clams"]))
    assert sorted(file.name for file in (tmp_path / "published").glob("*.csv") if "_cells" in file.name) == [
        "clams_cells.csv",
        "linspector_cells.csv",
    ]
