"""Cells of CSV and TSV files as people have them: quotation marks, blanks at edges, empty last cells."""

import tracemalloc

import pytest

from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.malformed import refuse
from polyprobe.formats.reading.table_rows import TableLayout, object_rows, table_rows

DIALOGUE = 'text\tlabel\n"I know .\tpos\nIt is ."\tneg\n"So\tpos\nHe said "go" .\tneg\n"\tneg\n'


@pytest.fixture
def read(tmp_path):
    def rows(content, needed=("text", "label"), **layout):
        (tmp_path / "table").write_text(content, encoding="utf-8")
        found = table_rows(tmp_path / "table", refuse, TableLayout(needed, **layout))
        return [(row.line, *(row.cells[name] for name in needed)) for row in found]

    return rows


def test_a_quotation_mark_of_a_tab_separated_file_is_a_character(read):
    expected = [(2, '"I know .', "pos"), (3, 'It is ."', "neg"), (4, '"So', "pos"), (5, 'He said "go" .', "neg")]
    assert read(DIALOGUE) == [*expected, (6, '"', "neg")]


@pytest.mark.parametrize(
    ("row", "line"), [('"one\ntwo"\ta\n', 2), ('"one\ttwo"\ta\n', 2), ('b\t"one\ntwo"\n', 3)], ids=str
)
def test_a_quoted_cell_over_lines_or_with_a_tab_is_malformed_where_it_is_cut(row, line, read):
    with pytest.raises(MalformedLine, match=rf"line {line}: the row has \d column.*suite.quotes=always reads quoted"):
        read(f"text\tlabel\n{row}")


def test_quoted_cells_of_a_tab_separated_file_are_told_and_read_where_that_is_typed(read, caplog):
    content = 'text\tlabel\n"a ""b"""\tX\n"one\ntwo"\tY\n'
    assert read(content, quotes="always") == [(2, 'a "b"', "X"), (3, "one\ntwo", "Y")]
    assert read('text\tlabel\n"a ""b"""\tX\n') == [(2, '"a ""b"""', "X")]
    assert (
        "quotation marks around cells are text, suite.quotes=always removes them: 1, the first on line 2" in caplog.text
    )


@pytest.mark.parametrize("separator", [",", ";"])
def test_cells_between_commas_may_be_quoted_over_lines_also_after_a_blank(separator, read):
    content = 'text, label\n"one\ntwo", a\nx, "b, c; d"\n'.replace(", label", f"{separator} label")
    content = content.replace('", a', f'"{separator} a').replace("x, ", f"x{separator} ")
    assert read(content) == [(2, "one\ntwo", "a"), (4, "x", "b, c; d")]


def test_blanks_at_the_edges_of_cells_are_left_out_and_counted_in_one_line(read, caplog):
    content = "text\u00a0\tlabel \ncat\tA \n dog\tA\u3000\neel\tA\u00a0\n"
    for _ in range(3):
        assert read(content) == [(2, "cat", "A"), (3, "dog", "A"), (4, "eel", "A")]
    assert [record.getMessage().partition(": ")[2] for record in caplog.records] == [
        "blanks at the edges of cells are left out: 4, the first on line 2."
    ]


@pytest.mark.parametrize("header", ["text\tlabel", "text\tlabel\t\t"])
def test_empty_last_cells_of_all_rows_are_left_out(header, read, caplog):
    assert read(f"{header}\ncat\tA\t\t\ndog\tB\t\t\n") == [(2, "cat", "A"), (3, "dog", "B")]
    assert "empty last cells are left out: 4, the first on line 2." in caplog.text


@pytest.mark.parametrize("end", [";\n;\n", "\n\n", ";\r\n \n"])
def test_empty_rows_at_the_end_are_left_out(end, read, caplog):
    assert read(f"text;label\ncat;A\n{end}") == [(2, "cat", "A")]
    assert "empty rows at the end are left out: 2, the first on line 3." in caplog.text
    with pytest.raises(MalformedLine, match="line 3: the line is empty"):
        read(f"text;label\ncat;A\n{end}dog;B\n")


@pytest.mark.parametrize(("first", "sign"), [("sep=;", ";"), ('"sep=,"', ","), ("SEP=\t", "\t")])
def test_a_first_line_of_excel_names_the_separator(first, sign, read):
    for end in ("\n", "\r\n"):
        content = f"{first}\ntext;label\ncat;A\n".replace(";label", f"{sign}label").replace(";A", f"{sign}A")
        assert read(content.replace("\n", end)) == [(3, "cat", "A")]


def test_an_empty_last_cell_of_one_row_is_malformed(read):
    with pytest.raises(MalformedLine, match="line 3: the row has 3 columns"):
        read("text\tlabel\ncat\tA\ndog\tB\t\n")


def test_a_sentence_with_a_comma_is_to_be_quoted(read):
    with pytest.raises(MalformedLine, match=r"line 2: the row has 3 columns\. Expected 2 .* stands in quotation marks"):
        read("text,label\nyes, it is .,A\n")


@pytest.mark.parametrize(
    ("label", "found"), [('["plural"]', 'a list, ["plural"]'), ('{"Número": 1}', 'an object, {"Número": 1}')]
)
def test_a_list_or_an_object_is_no_cell_where_it_is_needed(label, found, tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text(f'{{"text": "a", "label": 1, "spans": []}}\n{{"text": "b", "label": {label}}}\n', encoding="utf-8")
    with pytest.raises(MalformedLine) as refused:
        list(object_rows(path, refuse, ["text", "label"]))
    assert (refused.value.line, refused.value.found) == (2, f"the value of label is {found}")
    assert refused.value.expected == "a text or a number"
    assert [row.cells["label"] for row in object_rows(path, lambda place: None, ["text", "label"])] == ["1"]


def test_a_table_is_read_in_a_stream(tmp_path):
    row = f"{'a word ' * 40},label\n"
    (tmp_path / "large.csv").write_text("text,label\n" + row * 10_000, encoding="utf-8")
    tracemalloc.start()
    n_rows = sum(1 for _ in table_rows(tmp_path / "large.csv", refuse, TableLayout(("text", "label"))))
    assert (n_rows, tracemalloc.get_traced_memory()[1] < 500_000) == (10_000, True)
    tracemalloc.stop()
