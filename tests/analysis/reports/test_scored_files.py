import pytest

from src.analysis.reports.scored_files import show_scores
from src.errors import PolyprobeError


@pytest.mark.parametrize("is_one_file", [True, False], ids=["one file", "two files"])
def test_spans_of_one_file_or_two_are_scored_as_conlleval_does(is_one_file, tmp_path, capsys):
    (tmp_path / "gold").write_text("Ali B-PER\ngeldi O\nKars B-LOC\n\n")
    (tmp_path / "system").write_text("Ali B-PER B-PER\ngeldi O O\nKars B-LOC B-ORG\n\n")
    system = tmp_path / "system"
    show_scores("spans", str(system if is_one_file else tmp_path / "gold"), str(system))
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["all", "types", "50.00", "50.00", "50.00", "1", "2", "2"] in lines
    assert ["LOC", "0.00", "0.00", "0.00", "0", "1", "0"] in lines


def test_a_folder_in_place_of_a_file_is_named(tmp_path):
    with pytest.raises(PolyprobeError, match=rf"gold: {tmp_path} is a folder\. Expected a file\."):
        show_scores("ud", str(tmp_path), str(tmp_path))
