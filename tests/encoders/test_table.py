"""Vectors from a table; the promises of every encoder stand in test_contract.py."""

import numpy as np
import pytest

from polyprobe.encoders.base.encoder import Layer
from polyprobe.encoders.table import Table
from polyprobe.errors import MalformedLine, PolyprobeError
from polyprobe.items import Form, Sentence, TokenInContext

LINES = "talo\t0.5 1\nTalo paloi .\t1\t2 -3e-1\nTalo paloi .\t4 5\n"


def table(folder, text):
    (folder / "table.tsv").write_text(text)
    return Table(folder / "table.tsv")


def test_forms_tokens_and_sentences_are_found(tmp_path):
    words = ("Talo", "paloi", ".")
    encoder = table(tmp_path, LINES)
    assert encoder.layers == (Layer("table", 2),)
    ((found,),) = encoder.encode([Sentence(words), Form("talo"), TokenInContext(words, 1)])
    np.testing.assert_array_equal(found, np.array([[4, 5], [0.5, 1], [2, -0.3]], np.float32))


def test_line_ends_change_no_vector(tmp_path):
    (tmp_path / "table.tsv").write_bytes(LINES.replace("\n", "\r\n").encode())
    ((found,),) = Table(tmp_path / "table.tsv").encode([Form("talo")])
    assert found.tolist() == [[0.5, 1]]


def test_items_that_are_not_there_are_counted_and_three_are_named(tmp_path):
    asked = [Form(form) for form in ("a", "talo", "b", "c", "Talo")]
    with pytest.raises(PolyprobeError, match=r"lacks 4 of 5 items: Form\(form='a'\), .*'b'\), .*'c'\) …"):
        list(table(tmp_path, LINES).encode(asked))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1: the file is empty"),
        ("talo 1 2\n", "line 1: the line has 1 column"),
        ("talo\t1 x\n", "line 1: the vector cannot be read"),
        ("talo\t1 nan\n", "line 1: a number is not finite"),
        ("auto\t1 2\ntalo\t1\n", "line 2: the vector has 1 numbers. Expected 2"),
        ("talo\t1 2\ntalo\t1 2\n", "line 2: the item is also in line 1"),
    ],
)
def test_a_line_that_is_no_item_with_its_vector_is_refused(tmp_path, text, words):
    with pytest.raises(MalformedLine, match=words):
        list(table(tmp_path, text).encode([Form("talo")]))
