"""Published tables with ours beside."""

from dataclasses import replace
from types import MappingProxyType

from src.analysis.output.table_files import csv_text, plain_table
from src.analysis.published.filled_cells import FilledCell, State
from src.analysis.published.published_cells import PublishedCell
from src.analysis.published.scoreboard import cells_csv, paper_tables, totals_table

CELL = PublishedCell(
    **{"paper": "clams", "table": "1", "row": "de simple", "column": "mono", "experiment": "", "training": None},
    **{"choices": MappingProxyType({}), "keys": MappingProxyType({"test": ""}), "of": "value", "corpus": "", "n": None},
    **{"text": "0.94", "value": 0.94, "unit": "fraction", "tolerance": 0.02, "why": ""},
    **{"cannot": "", "printed_by": "", "note": ""},
)
FILLED = [
    FilledCell(CELL, State.NEAR, 0.9278, ("one", "two")),
    FilledCell(replace(CELL, column="multi"), State.NOT_RUN),
    FilledCell(replace(CELL, row="ru simple", cannot="never released"), State.CANNOT),
    FilledCell(
        replace(CELL, row="ru simple", column="multi"), State.ELSEWHERE, 0.5, ("one",), ("corpus small, not big",)
    ),
    FilledCell(replace(CELL, table="figure 3", row="x", column=""), State.EQUAL, 0.94, ("one",)),
    FilledCell(replace(CELL, table="figure 3", row="y", column="", printed_by="python other.py"), State.PRINTED),
]


def test_a_table_has_the_layout_of_the_paper_with_ours_beside():
    first, second = paper_tables(FILLED)
    assert csv_text(plain_table(first)) == (",mono,multi\nde simple,0.94 0.93 ≈,0.94\nru simple,0.94 ×,0.94 0.50 †\n")
    assert first.title == "Table 1 (fraction), Mueller et al. 2020"
    assert first.notes == [
        "1 within tolerance, 1 other data or settings, 1 not run, 1 cannot be.",
        "Other data or settings: corpus small, not big",
        "No command yet: Table 1, de simple, multi",
        "Cannot be: never released",
    ]
    assert second.title == "figure 3 (fraction), Mueller et al. 2020"
    assert second.notes == ["1 equal, 1 printed elsewhere.", "Prints it: python other.py"]


def test_the_totals_count_each_state():
    (row,) = plain_table(totals_table({"clams": FILLED})).rows
    assert [cell.text for cell in row] == ["Mueller et al. 2020", "1", "1", "0", "0", "1", "1", "1", "1", "6"]


def test_every_cell_is_a_line_of_the_file():
    lines = cells_csv(FILLED).splitlines()
    assert len(lines) == 7
    assert lines[1] == "clams,1,de simple,mono,within tolerance,0.94,0.93,-0.0122,0.02,fraction,,,one two,,,,"


def test_further_runs_of_a_number_stand_below_its_table_and_in_the_file():
    other = FilledCell(CELL, State.ELSEWHERE, 0.5, ("three",), ("corpus small, not big",))
    one = replace(FILLED[0], others=(other,))
    assert "Further runs: Table 1, de simple, mono: 0.50 † three" in paper_tables([one])[0].notes
    assert ",one two,0.50 † three," in cells_csv([one])
