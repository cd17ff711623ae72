"""Tables on the terminal: what stands in a cell is seen, and does nothing."""

import pytest

from src.analysis.layout import FoldedTable, TitledTable, new_table, show

HOSTILE = [
    "\x1b[2J\x1b]0;owned\x07",
    "[red]loss[/]",
    "[/]",
    ":smile:",
    "\u202egpj.exe",
    "\x9b31m",
    "\ud800",
    "[link=x]y",
]
AS_SEEN = {"\x1b[2J\x1b]0;owned\x07": "\\x1b[2J\\x1b]0;owned\\x07", "\u202egpj.exe": "\\u202egpj.exe"}
AS_SEEN |= {"\x9b31m": "\\x9b31m", "\ud800": "\\ud800"}


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_any_kind_is_seen_in_titles_headers_cells_and_notes(capsys, text):
    table = new_table(["test", text], ["score"])
    table.add_row(text, "a", "50.0")
    show(TitledTable(text, table, [text]), TitledTable("t", FoldedTable(text, [text], [[text, text]])))
    out = capsys.readouterr().out
    assert out.count(AS_SEEN.get(text, text)) == 8
    assert not set(out) & set("\x1b\x07\x9b\u202e")


def test_headers_of_several_lines_stay_so(capsys):
    table = new_table(["test"], ["fi\nepoch 8"])
    table.add_row("Case", "50.0")
    show(TitledTable("t", table))
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines[2:4]] == [["fi"], ["test", "epoch", "8"]]
