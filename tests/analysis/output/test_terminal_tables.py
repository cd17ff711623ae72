"""Tables on the terminal: what stands in a cell is seen, and does nothing."""

import pytest

from polyprobe.analysis.output.tables import Table, show
from polyprobe.analysis.reports.result_kinds import summary_table
from polyprobe.analysis.tables.minimal_sets import minimal_set_tables
from polyprobe.analysis.tables.score_tables import probing_tables
from polyprobe.analysis.tables.training import training_table

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
    table = Table(["test", text], ["score"])
    table.add_row(text, "a", "50.0")
    show([table.titled(text, [text]), Table([text], [text], [[text, text]], folds=True).titled("t")])
    out = capsys.readouterr().out
    assert out.count(AS_SEEN.get(text, text)) == 8
    assert not set(out) & set("\x1b\x07\x9b\u202e")


def test_headers_of_several_lines_stay_so(capsys):
    table = Table(["test"], ["fi\nepoch 8"])
    table.add_row("Case", "50.0")
    show([table.titled("t")])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines[2:4]] == [["fi"], ["test", "epoch", "8"]]


FORGED = "s\n\nLeft out: nothing\nresults   /etc/passwd"
SCORE = {
    "lang": FORGED,
    "suite": FORGED,
    "corpus": FORGED,
    "split": FORGED,
    "metric": "accuracy",
    "value": 0.5,
    "n": 50,
}
NAMES = ("test", "layer", "encoder", "predictor", "model", "options", "note")


def rows_of(stage: str, run: str) -> list[dict]:
    names = dict.fromkeys(NAMES, f"{FORGED}{run}")
    lang = FORGED + run if stage == "minimal_sets" else FORGED
    return [{**SCORE, **names, "run": run, "stage": stage, "lang": lang, "epoch": epoch}
            for epoch in (0, 1)]  # fmt: skip


def test_line_feeds_in_what_rows_say_begin_no_line(capsys):
    whole = [{**SCORE, "run": FORGED, "stage": "test"}]
    scored = [row | {"test": FORGED} for run in "ab" for row in rows_of("minimal_sets", run)]
    probed = [row | {"test": FORGED} for run in "ab" for row in rows_of("probing", run)]
    forged = Table([FORGED], ["score"], [[FORGED, "50.0"]]).titled(FORGED, [FORGED])
    of_rows = [training_table(whole), *probing_tables(probed), *minimal_set_tables(scored)]
    show([forged, *of_rows, summary_table([*whole, *probed])])
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert "\\n\\nLeft out: nothing\\n" in "".join(lines)
    assert [line for line in lines if line.startswith(("Left out", "results"))] == []
