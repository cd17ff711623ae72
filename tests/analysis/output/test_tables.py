"""Tables as CSV, Markdown and LaTeX: the same cells, each format's own characters escaped."""

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from polyprobe.analysis.output.tables import (
    Best,
    Table,
    csv_text,
    latex_text,
    markdown_text,
    write_tables,
)
from polyprobe.display.shown import shown, text_of_cell

SPECIAL = 'a|b & 5 % $x$ #1 _y_ {z} ~ ^ \\ <t> [l] *s* `c` "q" ± †'
text = st.text(st.characters(blacklist_categories=("Cs",)), min_size=1, max_size=12)


def scores() -> Table:
    """Two tests, the second encoder the better one on Case; Mood has no score of the first."""
    table = Table(["test"], ["n", "word2vec", "fasttext\nepoch 8"], folds=True)
    table.rows.append(["Case", "200", "50.0 ±1.2", Best("70.0")])
    table.rows.append(["Mood_x", "29", "-", "60.0*"])
    return table.titled("Accuracy (%): fi", ["* fewer than 30 test items.", "• best of its row."])


def table_of(cells: list[str]) -> Table:
    table = Table(["test"], [f"column {number}" for number in range(len(cells) - 1)], folds=True)
    table.rows.append(cells)
    return table.titled("title")


def read_csv(content: str) -> list[list[str]]:
    return [[text_of_cell(cell) for cell in row] for row in csv.reader(io.StringIO(content, newline=""))]


def read_markdown(content: str) -> list[list[str]]:
    """Returns the text of the cells of the first table, as a program reads Markdown."""
    rows: list[list[str]] = []
    for token in MarkdownIt("commonmark").enable("table").parse(content):
        if token.type == "tr_open":
            rows.append([])
        if token.type == "inline" and rows:
            rows[-1].append("".join(one.content for one in token.children if one.type == "text"))
    return rows


def test_cells_of_csv_are_numbers_and_what_stands_behind_them_has_columns_of_its_own():
    assert read_csv(csv_text(scores())) == [
        ["test", "n", "word2vec", "word2vec_plus_minus", "fasttext, epoch 8", "fasttext, epoch 8_marks"],
        ["Case", "200", "50.0", "1.2", "70.0", ""],
        ["Mood_x", "29", "", "", "60.0", "*"],
    ]


@pytest.mark.parametrize(
    ("cell", "columns"),
    [
        ("59.1↓† ±2.3", {"score": "59.1", "score_plus_minus": "2.3", "score_marks": "↓†"}),
        ("59.1+", {"score": "59.1", "score_marks": "better"}),
        (
            "79.3 ±1.2 (75.1 to 83.0)",
            {"score": "79.3", "score_plus_minus": "1.2", "score_low": "75.1", "score_high": "83.0"},
        ),
        ("47,820", {"score": "47820"}),
        ("-0.4", {"score": "-0.4"}),
        ("-†", {"score": "", "score_marks": "†"}),
        ("Case: 12", {"score": "Case: 12"}),
    ],
)
def test_what_a_cell_of_numbers_says_is_taken_apart_in_csv(cell, columns):
    table = Table(["test"], ["score"])
    table.add_row("50*", cell)
    header, row = read_csv(csv_text(table.titled("title")))
    assert dict(zip(header, row, strict=True)) == {"test": "50*", **columns}


def test_a_table_without_rows_has_its_header_in_csv():
    assert csv_text(Table(["test"], ["n"], folds=True).titled("title")) == "test,n\n"


def test_a_unit_below_a_header_stands_behind_it():
    assert Table(["test"], ["layer_1\nepoch 2", "OOV\n(%)"]).header == ["test", "layer_1, epoch 2", "OOV (%)"]


def test_markdown_has_text_at_the_left_numbers_at_the_right_and_the_best_in_bold():
    assert markdown_text(scores()).splitlines() == [
        "**Accuracy (%): fi**",
        "",
        "| test | n | word2vec | fasttext, epoch 8 |",
        "| :--- | ---: | ---: | ---: |",
        "| Case | 200 | 50.0 ±1.2 | **70.0** |",
        "| Mood\\_x | 29 | - | 60.0\\* |",
        "",
        "- \\* fewer than 30 test items.",
        "- Bold: best of its row.",
    ]


def test_latex_is_a_table_of_booktabs_with_its_caption_and_notes():
    assert latex_text(scores()).splitlines()[1:] == [
        "\\begin{table}",
        "  \\centering",
        "  \\caption{Accuracy (\\%): fi}",
        "  \\label{tab:accuracy-fi}",
        "  \\begin{tabular}{lrrr}",
        "    \\toprule",
        "    test & n & word2vec & fasttext, epoch 8 \\\\",
        "    \\midrule",
        "    Case & 200 & 50.0 $\\pm$1.2 & \\textbf{70.0} \\\\",
        "    Mood\\_x & 29 & - & 60.0{*} \\\\",
        "    \\bottomrule",
        "  \\end{tabular}",
        "",
        "  \\footnotesize",
        "  {*} fewer than 30 test items.\\par",
        "  Bold: best of its row.\\par",
        "\\end{table}",
    ]


@given(st.lists(text, min_size=1, max_size=4))
def test_text_of_any_kind_comes_back_from_csv(cells):
    table = Table(["test"], ["n"], [[cell, "1"] for cell in cells], folds=True)
    expected = [["" if cell == "-" else shown(", ".join(filter(None, cell.split("\n")))), "1"] for cell in cells]
    assert read_csv(csv_text(table.titled("title")))[1:] == expected


@pytest.mark.parametrize("cell", [SPECIAL, "|", "\\|", "**", "&amp;", "http://x.org/_a_", "![a](b)", "1. x"])
def test_special_characters_come_back_from_markdown(cell):
    assert read_markdown(markdown_text(table_of([cell, "1"])))[1][0] == cell


def test_every_special_character_of_latex_is_escaped():
    (line,) = [line for line in latex_text(table_of([SPECIAL, "1"])).splitlines() if "a|b" in line]
    bare = re.sub(r"\\[a-z]+(\{\})?|\\[&%$#_{}]|\{[\[\]*]\}|\$\\[a-z]+\$", "", line.removesuffix("\\\\"))
    assert bare.count("&") == 1  # between the two cells
    assert not set(bare) & set('%$#_{}~^\\<>[]*"')


def test_a_line_that_begins_with_a_bracket_is_no_option_of_the_one_before():
    table = Table(["test"], ["n"], folds=True)
    table.rows += [["Case", "1"], ["[Mood]", "2"]]
    assert "    {[}Mood{]} & 2 \\\\" in latex_text(table.titled("t")).splitlines()


def test_a_table_of_the_terminal_with_several_text_columns_is_written_too():
    table = Table(["task", "status"], ["test"])
    table.add_row("pos", "finished", "90.0")
    found = table.titled("Sweep")
    assert (found.header, found.sides) == (["task", "status", "test"], "llr")
    assert read_csv(csv_text(found))[1] == ["pos", "finished", "90.0"]


def test_several_tables_share_markdown_and_latex_and_have_csv_files_of_their_own(tmp_path):
    tables = [scores(), scores().titled("Macro-F1 (%)"), scores().titled("Macro-F1 (%)")]
    names = ["probing.csv", "probing-macro_f1.csv", "probing-macro_f1-3.csv", "probing.md", "probing.tex"]
    assert [file.name for file in write_tables(tmp_path / "new" / "probing", tables)] == names
    assert (tmp_path / "new" / "probing.md").read_text(encoding="utf-8").count("| Case |") == 3
    assert (tmp_path / "new" / "probing.tex").read_text(encoding="utf-8").count("\\toprule") == 3
    labels = re.findall(r"\\label{(.*)}", (tmp_path / "new" / "probing.tex").read_text(encoding="utf-8"))
    assert labels == ["tab:accuracy-fi", "tab:accuracy-fi-1-macro-f1", "tab:accuracy-fi-2-macro-f1"]
