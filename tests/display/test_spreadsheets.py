"""Cells of tables: text is no formula to a spreadsheet, and is read back as it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyprobe.display.shown import cell_of, text_of_cell

TEXTS = st.text(st.sampled_from("=+-@\t\r'\"＝a1.e ")) | st.text()


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+1+1",
        "-1+1",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        '"=1+1"',
        "＝1",
        "-",
        "'=1",
    ],
)
def test_text_that_a_spreadsheet_computes_has_an_apostrophe(text):
    assert cell_of(text) == f"'{text}"


@pytest.mark.parametrize("value", ["Case", "", "a=b", "'s", "l'", "-0.5", "+3", "-1e-09", -0.5, 3, None, " =1"])
def test_numbers_and_other_text_stay_as_they_are(value):
    assert cell_of(value) == value


@given(TEXTS)
def test_a_cell_is_read_back_as_the_text_that_was_written(text):
    assert text_of_cell(cell_of(text)) == text
