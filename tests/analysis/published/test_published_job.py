"""`analyze.py published=…`, and what a run prints of published numbers at its end."""

import shutil

import pytest
import yaml

from src.analysis.published.published_job import show_published
from src.analysis.published.published_of_run import report_published
from src.errors import BadValue, UnknownChoice
from tests.analysis.handmade import as_read, probing


def majority(work, name, value):
    """A run of the study of Table 9 whose majority of Finnish Case is a value (the paper: 30.0)."""
    folder = work / "runs/probe" / name
    sources = {"vectors": {}, "data": {"Case": "UKPLab/linspector 46a7cca"}}
    as_read([probing("Case", 0.5, layer="char_ngrams", majority=value, n=1000)], folder, name, sources=sources)
    choices = {"lang": "fi", "suite": "linspector_type", "encoder": "char_ngrams", "probe": "mlp"}
    (folder / "config.yaml").write_text(yaml.safe_dump({"seed": 1, "choices": choices}), encoding="utf-8")
    return folder


def test_a_run_prints_its_published_numbers_at_its_end(tmp_path, capsys):
    report_published([majority(tmp_path, "one", 0.3)])
    said = " ".join(capsys.readouterr().out.split())
    assert "Şahin et al. 2020 Table 9, Finnish Case, baseline 30.0 ±0.05 30.0 +0.0 =" in said
    assert "1 of 1 published numbers are met." in said


def test_a_run_without_any_prints_nothing(tmp_path, capsys):
    folder = tmp_path / "runs/probe/one"
    as_read([probing("Case", 0.5, suite="own")], folder, "one")
    report_published([folder])
    assert capsys.readouterr().out == ""


def test_every_table_is_printed_and_written(tmp_path, capsys):
    majority(tmp_path, "one", 0.3)
    show_published(tmp_path, "linspector")
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
    show_published(tmp_path, "linspector")
    said = capsys.readouterr().out
    assert "two is a copy of the run one" in said
    assert "Left out:" in said
    assert "three" in said
    cells = (tmp_path / "published/linspector_cells.csv").read_text(encoding="utf-8")
    assert ",one,,python" in cells


def test_a_paper_that_is_none_of_them_is_refused(tmp_path):
    with pytest.raises(UnknownChoice, match="all, clams, linspector"):
        show_published(tmp_path, "lispector")


@pytest.mark.parametrize("asked", ["", []])
def test_where_no_paper_is_named_the_choices_are(asked, tmp_path):
    with pytest.raises(BadValue, match=r"^published must be one of linspector, senteval, rusenteval, clams, all, or a"):
        show_published(tmp_path, asked)


def test_a_paper_that_nobody_knows_is_refused_in_a_list_too(tmp_path):
    with pytest.raises(UnknownChoice, match=r'published "clam" is unknown\. Did you mean clams'):
        show_published(tmp_path, ["linspector", "clam"])


def test_a_folder_without_runs_has_the_published_numbers_alone(tmp_path, capsys):
    show_published(tmp_path / "nowhere", "linspector")
    said = " ".join(capsys.readouterr().out.split())
    assert f"No finished run below {tmp_path / 'nowhere' / 'runs'}: these are the published numbers alone." in said
    assert (tmp_path / "nowhere" / "published" / "linspector_cells.csv").is_file()


def test_several_papers_are_a_list(tmp_path, capsys):
    as_read([probing("Case", 0.5)], tmp_path / "runs" / "probe" / "one", "one")
    show_published(tmp_path, ["linspector", "clams"])
    assert sorted(file.name for file in (tmp_path / "published").glob("*.csv") if "_cells" in file.name) == [
        "clams_cells.csv",
        "linspector_cells.csv",
    ]
