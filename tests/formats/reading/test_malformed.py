import pytest

from polyprobe.errors import MalformedLine, UnknownChoice
from polyprobe.formats.reading.malformed import MOST_LOGGED, handler_named


def place(line):
    return MalformedLine("corpus.conllu", line, "it has 9 columns", "10")


def test_what_skips_lines_lists_each_once_and_what_refuses_them_lists_none():
    skipping, refusing = handler_named("skip"), handler_named("refuse")
    for line in (3, 8, 3):
        skipping(place(line))
    assert [one.line for one in skipping.places] == [3, 8]
    with pytest.raises(MalformedLine, match=r"To count and leave out such places: data\.on_malformed=skip"):
        refusing(place(3))
    assert list(refusing.places) == []


def test_each_reading_begins_with_no_line_left_out():
    handler_named("skip")(place(3))
    assert list(handler_named("skip").places) == []


def test_another_name_is_refused_with_those_that_there_are():
    with pytest.raises(UnknownChoice, match=r'data\.on_malformed "skipp" is unknown\. Did you mean skip\?'):
        handler_named("skipp")


def test_of_many_skipped_lines_the_first_are_logged_and_all_are_collected(caplog):
    skipping = handler_named("skip")
    for line in range(1, 3 * MOST_LOGGED):
        skipping(place(line))
    assert len(skipping.places) == 3 * MOST_LOGGED - 1
    assert f"line {MOST_LOGGED}:" in caplog.messages[MOST_LOGGED - 1]
    assert caplog.messages[MOST_LOGGED:] == ["Skipped: more lines, counted but not shown."]
