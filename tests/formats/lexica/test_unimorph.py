from pathlib import Path

import pytest

from polyprobe.errors import MalformedLine
from polyprobe.formats.lexica.unimorph import read_rows
from polyprobe.formats.reading.malformed import Skipped, refuse


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_rows_of_the_second_version_have_no_segmentation(tmp_path):
    path = written(tmp_path / "tur", "ev\tevler\tN;NOM;PL\n\nev\tev de\tN;LOC;SG\n")
    assert list(read_rows(path, refuse)) == [(1, ["ev", "evler", "N;NOM;PL"]), (3, ["ev", "ev de", "N;LOC;SG"])]


def test_rows_of_the_fourth_version_may_have_a_segmentation(tmp_path):
    path = written(tmp_path / "eng", "eat\tate\tV;PST\t-\neat\teaten\tV|V.PTCP;PST\teat|en")
    assert [cells[2:] for _, cells in read_rows(path, refuse)] == [["V;PST", "-"], ["V|V.PTCP;PST", "eat|en"]]


def test_a_bundle_with_a_tab_is_no_segmentation(tmp_path):
    path = written(tmp_path / "tur", "ev\tevler\tN;NOM;PL\nev\tevi\tN;ACC\tSG\nev\tevde\tN;LOC;SG\n")
    with pytest.raises(
        MalformedLine, match=r"line 2: the row has 4 columns\. Expected 3 columns .* \(a bundle has no tab\)"
    ):
        list(read_rows(path, refuse))
    skipped = Skipped()
    assert [cells[1] for _, cells in read_rows(path, skipped)] == ["evler", "evde"]
    assert [place.line for place in skipped.places] == [2]


def test_a_row_without_segmentation_is_refused_among_rows_with_one(tmp_path):
    path = written(tmp_path / "eng", "eat\tate\tV;PST\t-\neat\teaten\tV;V.PTCP;PST\n")
    with pytest.raises(MalformedLine, match="line 2: the row has 3 columns"):
        list(read_rows(path, refuse))
