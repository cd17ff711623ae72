"""Minimal pairs as JSON lines."""

import json
import re

import pytest

from polyprobe.errors import MalformedLine
from polyprobe.formats.minimal_sets.pair_rows import read_blimp
from polyprobe.formats.reading.malformed import Skipped, refuse


def pair(good="A hen eats.", bad="A hen eat.", **more):
    return json.dumps({"sentence_good": good, "sentence_bad": bad, "pairID": "0", **more}, ensure_ascii=False)


@pytest.fixture
def file(tmp_path):
    def written(*lines, end="\n"):
        path = tmp_path / "pairs.jsonl"
        path.write_bytes(("\n".join(lines) + end).encode())
        return path

    return written


def test_a_pair_is_a_set_whose_words_blanks_separate(file):
    (first, second) = read_blimp(file(pair(), pair("Hens don't eat.", "Hens eat not."), end=""), refuse)
    assert [variant.sentence for variant in first.variants] == ["A hen eats.", "A hen eat."]
    assert first.focus == ((2, 3), (2, 3))
    assert (second.number, second.focus) == (2, ((1, 3), (1, 3)))


def test_identical_sentences_are_a_set_that_says_so(file):
    (one,) = read_blimp(file(pair("A hen eats.", "A hen eats.")), refuse)
    assert one.has_identical


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ('{"sentence_good": "A hen eats."}', "the line has no sentence_bad"),
        ('{"sentence_bad": 1}', "the line has no sentence_good and no sentence_bad"),
        ("[1, 2]", "the line has no sentence_good"),
        ("A hen eats.", "the line is no JSON"),
        ('{"pairID": ' + "7" * 5000 + "}", "the line is no JSON (Exceeds the limit"),
        ("[" * 100_000, "the line is no JSON"),
        ('{"sentence_good": "A hen \\ud800.", "sentence_bad": "A hen eat."}', "has half of a surrogate pair"),
        ("", "the line is empty"),
        (pair("A  hen eats."), "the sentence has a blank or a tab too many"),
        (pair("A\then eats."), "the sentence has a blank or a tab too many"),
        (pair(" "), "the sentence is empty"),
        (pair() + "\r\r", "the line has a carriage return"),
        ("\ufeff" * 2 + pair(), "the text starts with a byte order mark"),
    ],
)
def test_a_bad_line_is_refused_or_left_out(file, line, found):
    path = file(*([line, pair()] if "\ufeff" in line else [pair(), line, pair()]))
    with pytest.raises(MalformedLine, match=re.escape(found)):
        list(read_blimp(path, refuse))
    handler = Skipped()
    assert {one.number for one in read_blimp(path, handler)} == ({2} if "\ufeff" in line else {1, 3})
    assert len(handler.places) == 1
