"""Minimal sets in both formats: what is read, what is kept, what is left out and said."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyprobe.errors import MalformedLine
from polyprobe.formats.minimal_sets import json_sets
from polyprobe.formats.minimal_sets.clams import (
    MinimalSet,
    Variant,
    differing_spans,
    read_published,
)
from polyprobe.formats.reading.malformed import Skipped, refuse
from tests.formats.written_units import published_lines

PAIR = MinimalSet(
    1,
    Variant("the author is old", (2,), ("is old",)),
    (Variant("the author are old", (2,), ("are old",)),),
    3,
    ("author", "is old"),
)
THREE = "True\tje pense\nFalse\tje penses\nFalse\tje pensons\n"


@pytest.fixture
def file_of(tmp_path):
    def write(text):
        path = tmp_path / "sets.txt"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


def json_line(number, label, sentence):
    return json.dumps({"set": number, "label": label, "sentence": sentence}) + "\n"


def test_a_set_reaches_to_the_next_grammatical_sentence(file_of):
    first, second = read_published(file_of(THREE + "True\til pense\nFalse\til penses"), refuse)
    assert [variant.sentence for variant in first.variants] == ["je pense", "je penses", "je pensons"]
    assert [variant.forms for variant in first.variants] == [("pense",), ("penses",), ("pensons",)]
    assert (second.number, second.grammatical.positions) == (2, (1,))


def test_a_sentence_of_one_word_is_a_sentence(file_of):
    (one,) = read_published(file_of("True\teats\nFalse\teat\n"), refuse)
    assert one.focus == ((0, 1), (0, 1))


def test_two_grammatical_sentences_in_a_row_are_a_set_without_variants(file_of):
    first, second = read_published(file_of("True\ta hen\nTrue\ta cow\nFalse\ta cows\n"), refuse)
    assert first.ungrammatical == ()
    assert len(second.ungrammatical) == 1


def test_identical_pairs_are_found_and_have_no_focus(file_of):
    (one,) = read_published(file_of("True\tone sheep waits\nFalse\tone sheep waits\n"), refuse)
    assert one.has_identical
    assert one.grammatical.positions == ()
    assert not PAIR.has_identical


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("False\ta cows\n" + THREE, 1, "no grammatical sentence"),
        (THREE + "\nTrue\tx\n", 4, "the line is empty"),
        (THREE + "True\ta\tb\n", 4, "3 columns"),
        (THREE + "True\n", 4, r"the line has 1 column\."),
        (THREE + "true\ta b\n", 4, 'the label is "true"'),
        (THREE + "True\t\n", 4, "the sentence is empty"),
        (THREE + "True\ta  b\n", 4, "a blank or a tab too many"),
        ("\ufeff" * 2 + THREE, 1, "byte order mark"),
        (THREE.replace("\n", "\r\r\n"), 1, "carriage return"),
        (THREE.encode() + b"True\t\xff\n", 4, "not UTF-8"),
        ("", 1, "the file is empty"),
    ],
)
def test_a_bad_line_names_file_and_line(file_of, text, line, words):
    with pytest.raises(MalformedLine, match=f"line {line}: .*{words}"):
        list(read_published(file_of(text), refuse))


def test_a_set_with_a_bad_line_is_left_out_as_a_whole_and_counted(file_of):
    text = THREE + "True\ta hen\nFalse\ta  hens\nFalse\tan hen\n" + "True\ta cow\nFalse\ta cows\n"
    skipped = Skipped()
    kept = [one.grammatical.sentence for one in read_published(file_of(text), skipped)]
    assert kept == ["je pense", "a cow"]
    assert [place.line for place in skipped.places] == [5]


@pytest.mark.parametrize(
    ("between", "second"),
    [
        ("\n", 2),
        ("True\ta  hen\nFalse\ta hens\n", 3),
        ("True\ta he\rn\nFalse\ta hens\n", 3),
        ("True\n", 3),
    ],
)
def test_the_set_before_an_empty_line_or_a_bad_first_line_is_kept_and_sets_keep_their_numbers(file_of, between, second):
    skipped = Skipped()
    sets = list(read_published(file_of(THREE + between + "True\ta cow\nFalse\ta cows\n" + between), skipped))
    assert [(one.number, len(one.variants)) for one in sets] == [(1, 3), (second, 2)]
    assert len(skipped.places) == 2


def test_variants_behind_an_empty_line_belong_to_no_set(file_of):
    skipped = Skipped()
    (one,) = read_published(file_of(THREE + "\nFalse\tje penser\nFalse\tje pensez\n"), skipped)
    assert len(one.variants) == 3
    assert [place.line for place in skipped.places] == [4, 5]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (json_line(1, False, "a b") + json_line(2, True, "a"), 1, "set 1 has no grammatical sentence"),
        (json_line(1, True, "a b") + json_line(1, True, "a"), 2, "set 1 has two grammatical sentences"),
        (json_line(2, True, "a b") + json_line(1, True, "a"), 2, "set 1 comes after set 2"),
        (json_line(1, "True", "a b"), 1, "neither true nor false"),
        (json_line("1", True, "a b"), 1, "no integer"),
        (json_line(1, True, 3), 1, "the sentence is not text"),
        (json_line(1, True, "a\tb"), 1, "a tab too many"),
        ('{"set": 1, "label": true}\n', 1, "no such object"),
        ("[1]\n", 1, "no such object"),
        ("{\n", 1, "no JSON"),
        ('{"set": ' + "7" * 5000 + "}\n", 1, "no JSON"),
        (json_line(1, True, "a \ud800"), 1, "half of a surrogate pair"),
        ("\n", 1, "the line is empty"),
    ],
)
def test_a_bad_line_of_json_names_file_and_line(file_of, text, line, words):
    with pytest.raises(MalformedLine, match=f"line {line}: .*{words}"):
        list(json_sets.read(file_of(text), refuse))


def test_json_sets_with_bad_lines_are_left_out_and_counted(file_of):
    text = (
        json_line(1, True, "a") + "x\n" + json_line(1, False, "b") + json_line(2, True, "c") + json_line(2, False, "d")
    )
    skipped = Skipped()
    assert [one.number for one in json_sets.read(file_of(text), skipped)] == [2]
    assert len(skipped.places) == 1


@pytest.mark.parametrize("between", ["\n", json_line(2, True, "a  b") + json_line(2, False, "b")])
def test_the_json_set_before_an_empty_line_or_a_bad_line_of_the_next_is_kept(file_of, between):
    first, third = ([json_line(n, True, "a"), json_line(n, False, "b")] for n in (1, 3))
    skipped = Skipped()
    sets = json_sets.read(file_of("".join([*first, between, *third])), skipped)
    assert [(one.number, len(one.variants)) for one in sets] == [(1, 2), (3, 2)]
    assert len(skipped.places) == 1


def test_json_lines_keep_slots_and_lexemes(tmp_path):
    path = tmp_path / "sets.jsonl"
    json_sets.write([PAIR], path)
    assert list(json_sets.read(path, refuse)) == [PAIR]
    assert json.loads(path.read_text().splitlines()[1])["forms"] == ["are old"]


sentences = st.lists(st.sampled_from("abc"), min_size=1, max_size=5)


@given(st.lists(st.lists(sentences.map(" ".join), min_size=1, max_size=4), min_size=1, max_size=5))
def test_what_is_read_is_written_byte_for_byte(tmp_path_factory, groups):
    path = tmp_path_factory.mktemp("sets") / "sets.txt"
    text = "".join(f"{n == 0}\t{sentence}\n" for group in groups for n, sentence in enumerate(group))
    path.write_text(text)
    read = list(read_published(path, refuse))
    assert "".join(line + "\n" for line in published_lines(read)) == text
    as_json = path.with_suffix(".jsonl")
    json_sets.write(read, as_json)
    assert list(json_sets.read(as_json, refuse)) == read


@given(st.lists(sentences, min_size=1, max_size=4))
def test_outside_the_differing_spans_all_is_common_and_no_shorter_spans_would_do(some):
    spans = differing_spans(some)
    outside = {(tuple(one[:start]), tuple(one[end:])) for one, (start, end) in zip(some, spans, strict=True)}
    assert len(outside) == 1
    inside = [one[start:end] for one, (start, end) in zip(some, spans, strict=True)]
    assert [] in inside or (len({one[0] for one in inside}) > 1 and len({one[-1] for one in inside}) > 1)
