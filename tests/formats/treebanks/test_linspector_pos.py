"""LINSPECTOR's lines of tagged words: where an item is split, and what is no item."""

import pytest

from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.malformed import Skipped, refuse
from polyprobe.formats.treebanks import labelled_words
from polyprobe.formats.treebanks.labelled_words import LabelledWords

GERMAN = "zum##_ zu##ADP dem##DET Standard##NOUN ###SYM Dxe4###SYM a\u00a0b##X\nJa##INTJ\n"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "train.pos"


def test_items_are_split_at_their_last_separator(path):
    path.write_text(GERMAN, encoding="utf-8")
    first, second = labelled_words.linspector_pos_sentences(path, refuse)
    assert first.words == ("zum", "zu", "dem", "Standard", "#", "Dxe4#", "a\u00a0b")
    assert first.labels == ("_", "ADP", "DET", "NOUN", "SYM", "SYM", "X")
    assert second == LabelledWords(("Ja",), ("INTJ",), 2)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("Ja", 'item 1 is "Ja"'),
        ("a##X b##", 'item 2 is "b##"'),
        ("a##X ##NOUN", 'item 2 is "##NOUN"'),
        ("a##X  b##X", 'item 2 is ""'),
        ("", 'item 1 is ""'),
    ],
)
def test_an_item_without_form_or_tag_is_refused_with_its_line_and_number(path, line, found):
    path.write_text(f"Ja##INTJ\n{line}\n", encoding="utf-8")
    with pytest.raises(MalformedLine) as error:
        list(labelled_words.linspector_pos_sentences(path, refuse))
    assert (error.value.line, error.value.found) == (2, found)


def test_a_bad_line_can_be_counted_and_left_out(path):
    path.write_bytes("Ja##INTJ\nsch\u00f6n##ADJ\n".encode("latin-1") + b"Nein##INTJ\n")
    skipped = Skipped()
    assert [one.words for one in labelled_words.linspector_pos_sentences(path, skipped)] == [("Ja",), ("Nein",)]
    (place,) = skipped.places
    assert "not UTF-8" in place.found
