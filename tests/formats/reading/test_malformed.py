import pytest

from polyprobe.errors import MalformedLine, UnknownChoice
from polyprobe.formats.reading.malformed import MOST_LOGGED, handler_named, in_lines


def place(line, found="it has 9 columns"):
    return MalformedLine("corpus.conllu", line, found, "10")


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


def test_of_many_reasons_the_first_are_logged_and_all_lines_are_collected(caplog):
    skipping = handler_named("skip")
    for line in range(1, 3 * MOST_LOGGED):
        skipping(place(line, f"it has {line + 10} columns"))
    assert len(skipping.places) == 3 * MOST_LOGGED - 1
    assert f"line {MOST_LOGGED}:" in caplog.messages[MOST_LOGGED - 1]
    assert caplog.messages[MOST_LOGGED:] == ["Skipped: more lines, counted but not shown."]


def test_many_lines_with_one_reason_are_told_as_one(caplog):
    skipping = handler_named("skip")
    for line in range(3, 123):
        skipping(place(line))
    skipping(place(200, "it has 11 columns"))
    assert caplog.messages == [
        "Left out: corpus.conllu, line 3: it has 9 columns. Expected 10.",
        "Left out: more lines of corpus.conllu (it has 9 columns), counted but not shown.",
        "Left out: corpus.conllu, line 200: it has 11 columns. Expected 10.",
    ]
    assert in_lines(skipping.places) == [
        "corpus.conllu, 120 lines from 3 to 122: it has 9 columns. Expected 10.",
        "corpus.conllu, line 200: it has 11 columns. Expected 10.",
    ]
