import pytest

from polyprobe.analysis.output.tables import show
from polyprobe.analysis.reports.scored_files import SCORERS, scores_of_files
from polyprobe.errors import MalformedLine, PolyprobeError


@pytest.mark.parametrize("is_one_file", [True, False], ids=["one file", "two files"])
def test_spans_of_one_file_or_two_are_scored_as_conlleval_does(is_one_file, tmp_path, capsys):
    (tmp_path / "gold").write_text("Ali B-PER\ngeldi O\nKars B-LOC\n\n")
    (tmp_path / "system").write_text("Ali B-PER B-PER\ngeldi O O\nKars B-LOC B-ORG\n\n")
    system = tmp_path / "system"
    show(scores_of_files(tmp_path, "spans", str(system if is_one_file else tmp_path / "gold"), str(system)))
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["all", "types", "50.00", "50.00", "50.00", "1", "2", "2"] in lines
    assert ["LOC", "0.00", "0.00", "0.00", "0", "1", "0"] in lines


def test_a_folder_in_place_of_a_file_is_named(tmp_path):
    with pytest.raises(PolyprobeError, match=rf"gold: {tmp_path} is a folder\. Expected a file\."):
        show(scores_of_files(tmp_path, "ud", str(tmp_path), str(tmp_path)))


@pytest.mark.parametrize("scorer", SCORERS)
@pytest.mark.parametrize(("text", "found"), [("", "the file is empty"), ("\n\n", "the file has blank lines alone")])
def test_files_without_a_sentence_are_refused(scorer, text, found, tmp_path):
    for name in ("gold", "system"):
        (tmp_path / name).write_text(text)
    with pytest.raises(MalformedLine, match=rf"gold, line 1: {found}\. Expected at least one sentence\."):
        show(scores_of_files(tmp_path, scorer, str(tmp_path / "gold"), str(tmp_path / "system")))


def test_an_empty_file_of_a_system_is_refused_as_such(tmp_path):
    (tmp_path / "gold").write_text("Ali B-PER\n\n")
    (tmp_path / "system").write_text("")
    with pytest.raises(MalformedLine, match=r"system, line 1: the file is empty\. Expected at least one sentence\."):
        show(scores_of_files(tmp_path, "spans", str(tmp_path / "gold"), str(tmp_path / "system")))


def test_treebanks_of_comments_alone_are_refused(tmp_path):
    (tmp_path / "gold").write_text("# newdoc\n")
    with pytest.raises(MalformedLine, match="gold, line 1: the file has comments and no sentence"):
        show(scores_of_files(tmp_path, "ud", str(tmp_path / "gold"), str(tmp_path / "gold")))
