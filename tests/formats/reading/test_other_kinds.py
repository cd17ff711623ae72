"""Tables of cells in the place of tests: CSV and JSON are named."""

import re

import pytest

from polyprobe.errors import MalformedLine
from polyprobe.formats.probing_sets import linspector, senteval
from polyprobe.formats.reading.malformed import refuse


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("hestr,Sing\n", "the row has 1 column; it looks like CSV, with commas between cells"),
        ("hestr;Sing\n", "the row has 1 column; it looks like CSV, with semicolons between cells"),
        ('{"form": "hestr"}\n', "the row has 1 column; it looks like JSON"),
        ('["hestr", "Sing"]\n', "the row has 1 column; it looks like JSON"),
        ("hestr Sing\n", "the row has 1 column. "),
    ],
)
def test_a_table_of_another_kind_is_named(text, found, tmp_path):
    (tmp_path / "train.txt").write_text(text, encoding="utf-8")
    with pytest.raises(MalformedLine, match=re.escape(found)):
        list(linspector.read_forms(tmp_path / "train.txt", refuse))


def test_a_sentence_with_a_comma_is_no_row_of_three_cells(tmp_path):
    (tmp_path / "a.txt").write_text("Hann ser, hon etr.\n", encoding="utf-8")
    with pytest.raises(MalformedLine, match=r"the row has 1 column\. "):
        list(senteval.read(tmp_path / "a.txt", refuse))
