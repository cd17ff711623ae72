"""Files of published numbers are read, and damaged lines of them refused."""

import pytest

from polyprobe.analysis.published import published_cells as module
from polyprobe.analysis.published.published_cells import COLUMNS, published_cells
from polyprobe.errors import MalformedLine, UnknownChoice

HEADER = ",".join(COLUMNS) + "\n"
GIVEN = {
    **{"table": "10", "row": "POS de", "column": "MUSE", "experiment": "linspector_table10"},
    **{"choices": "task=pos lang=de", "stage": "test", "split": "test", "value": "91.82", "unit": "percent", "n": "20"},
    **{"tolerance": "5", "metric": "accuracy_all_items"},
}


def line(**given):
    return ",".join({**GIVEN, **given}.get(column, "") for column in COLUMNS) + "\n"


@pytest.fixture
def written(tmp_path, monkeypatch):
    def write(*lines, header=HEADER):
        (tmp_path / "clams.csv").write_text(header + "".join(lines), encoding="utf-8")
        monkeypatch.setattr(module, "FOLDER", tmp_path)
        published_cells.cache_clear()
        return published_cells("clams")

    yield write
    published_cells.cache_clear()


def test_a_cell_is_read_with_its_keys_choices_and_numbers(written):
    (cell,) = written(line())
    assert cell.place == "Table 10, POS de, MUSE"
    assert dict(cell.keys) == {"stage": "test", "test": "", "split": "test", "metric": "accuracy_all_items"}
    assert dict(cell.study.choices) == {"task": "pos", "lang": "de"}
    assert (cell.value, cell.text, cell.tolerance, cell.n, cell.of) == (91.82, "91.82", 5.0, 20, "value")


def test_numbers_are_equal_as_printed_and_near_within_the_tolerance(written):
    (cell,) = written(line(value="91.8", tolerance="0.5"))
    assert [cell.is_equal(found) for found in (91.849, 91.75, 91.86)] == [True, True, False]
    assert [cell.is_near(found) for found in (92.3, 91.3, 92.31)] == [True, True, False]
    assert cell.found_in(0.918) == pytest.approx(91.8)


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ([line(value="high")], 'clams.csv, line 2: value is "high"'),
        ([line(), line(value="nan")], 'line 3: value is "nan"'),
        ([line(unit="per mille")], 'the unit is "per mille"'),
        ([line(choices="task=pos lang")], 'the choice "lang"'),
        ([line(n="x")], 'n is "x"'),
        (["10,POS de\n"], "the line has 2 columns"),
    ],
)
def test_a_damaged_line_is_refused_by_its_place(written, lines, found):
    with pytest.raises(MalformedLine, match=found):
        written(*lines)


def test_a_file_with_other_columns_is_refused(written):
    with pytest.raises(MalformedLine, match="line 1"):
        written(header="table,value\n")


def test_a_paper_that_is_none_of_the_four_is_refused():
    with pytest.raises(UnknownChoice, match="linspector"):
        published_cells("linspektor")
