"""Text from elsewhere is seen on a terminal and steers nothing."""

import logging
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyprobe.display.shown import show_logs_escaped, shown, shown_lines
from polyprobe.errors import MalformedLine, PolyprobeError

ANYTHING = st.text(st.characters(exclude_categories=()))
WRITTEN = {
    "\x1b[31mred\x1b[0m": "\\x1b[31mred\\x1b[0m",
    "\x1b]0;title\x07": "\\x1b]0;title\\x07",
    "a\x9b2Jb": "a\\x9b2Jb",
    "two\nlines\r\x0b\x0c\x85\u2028\u2029": "two\\nlines\\r\\x0b\\x0c\\x85\\u2028\\u2029",
    "tab\there\0": "tab\\there\\x00",
    "\u202egnp.exe\u202c": "\\u202egnp.exe\\u202c",
    "\u2066a\u2069\ufeff": "\\u2066a\\u2069\\ufeff",
    "\ud800": "\\ud800",
    "\U000e0041": "\\U000e0041",
}
UNCHANGED = [
    "Töölö",
    "می\u200cخواهم",
    "क्\u200dष",
    "e\u0301\u0323",
    "שלום\u200f",
    "ภาษา\u200bไทย",
    "👩\u200d👩\u200d👧",
    "格",
    "C:\\new\\x1b",
    "ﬁ \xa0",
]


@pytest.mark.parametrize("text", WRITTEN)
def test_what_a_terminal_would_obey_is_shown_escaped(text):
    assert shown(text) == WRITTEN[text]


@pytest.mark.parametrize("text", UNCHANGED)
def test_text_of_any_script_stays_as_it_is(text):
    assert shown(text) == text


@given(ANYTHING)
def test_nothing_that_is_shown_steers_or_cannot_be_written(text):
    assert not {unicodedata.category(one) for one in shown(text)} & {"Cc", "Cs", "Zl", "Zp"}
    shown(text).encode()
    assert shown(shown(text)) == shown(text)


@given(ANYTHING)
def test_lines_of_our_own_stay_lines(text):
    assert shown_lines(text).split("\n") == [shown(line) for line in text.split("\n")]


def test_a_message_shows_what_it_found_escaped():
    error = MalformedLine("a\x1b[2Jb.txt", 3, 'the label is "\x1b]0;x\x07"', "a word")
    assert str(error) == 'a\\x1b[2Jb.txt, line 3: the label is "\\x1b]0;x\\x07". Expected a word.'
    assert str(PolyprobeError("one\ntwo")) == "one\\ntwo"


def test_a_line_of_the_log_shows_what_it_found_escaped(caplog):
    usual = logging.getLogRecordFactory()
    try:
        show_logs_escaped()
        logging.getLogger("src").warning("%s left out", "a\x1b[2Jb")
    finally:
        logging.setLogRecordFactory(usual)
    assert caplog.messages == ["a\\x1b[2Jb left out"]
