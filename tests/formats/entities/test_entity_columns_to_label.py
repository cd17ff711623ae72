"""Predicted entities in columns: conlleval reads what is written, whatever the layout and the scheme."""

import pytest

from polyprobe.formats.entities.entity_columns import entity_column_sentences_to_label
from polyprobe.formats.entities.span_tags import Span, iob1, spans_of
from polyprobe.formats.reading.malformed import refuse
from polyprobe.metrics.official.conlleval import score_files

PREDICTED = [[Span(0, 1, "PER"), Span(1, 2, "PER")], [Span(0, 2, "LOC")]]
# Each: separator, columns, text, what is written.
LAYOUTS = {
    "tag last, IOB2": (
        "tab",
        ["token", "tag"],
        "Ali\tB-PER\nVeli\tO\n\nVan\tB-LOC\nGölü\tI-LOC\n\n",
        "Ali\tB-PER\tB-PER\nVeli\tO\tB-PER\n\nVan\tB-LOC\tB-LOC\nGölü\tI-LOC\tI-LOC\n\n",
    ),
    "IOB1": (
        "space",
        ["token", "xpos", "tag"],
        "Ali N I-PER\nVeli N O\n\nVan N I-LOC\nGölü N I-LOC\n",
        "Ali N I-PER I-PER\nVeli N O B-PER\n\nVan N I-LOC I-LOC\nGölü N I-LOC I-LOC\n",
    ),
    "tag not last, markup": (
        "tab",
        ["token", "tag", "nested"],
        "<BODY>\t\t\nAli\tB-PER\tO\nVeli\tO\tO\n\t\t\nVan\tB-LOC\tO\nGölü\tI-LOC\tO\n\t\t\n",
        "\nAli\tB-PER\tO\tB-PER\tB-PER\nVeli\tO\tO\tO\tB-PER\n\n"
        "Van\tB-LOC\tO\tB-LOC\tB-LOC\nGölü\tI-LOC\tO\tI-LOC\tI-LOC\n\n",
    ),
    "IOBES": (
        "tab",
        ["token", "tag"],
        "Ali\tS-PER\nVeli\tO\n\nVan\tB-LOC\nGölü\tE-LOC\n",
        "Ali\tS-PER\tB-PER\tB-PER\nVeli\tO\tO\tB-PER\n\nVan\tB-LOC\tB-LOC\tB-LOC\nGölü\tE-LOC\tI-LOC\tI-LOC\n",
    ),
    "comments": (
        "tab",
        ["number", "token", "tag"],
        "#\thttp\t[x]\t\n1\tAli\tB-PER\n2\tVeli\tO\n\n#\thttp\n1\tVan\tB-LOC\n2\tGölü\tI-LOC\n",
        "\n1\tAli\tB-PER\tB-PER\n2\tVeli\tO\tB-PER\n\n\n1\tVan\tB-LOC\tB-LOC\n2\tGölü\tI-LOC\tI-LOC\n",
    ),
}
UNTAGGED = {
    "one column": (
        "tab",
        ["token", "tag"],
        "Ali\nVeli\n\nVan\nGölü\n",
        "Ali\tB-PER\nVeli\tB-PER\n\nVan\tB-LOC\nGölü\tI-LOC\n",
    ),
    "in the middle": (
        "tab",
        ["token", "tag", "nested"],
        "<BODY>\t\nAli\tO\nVeli\tO\n\nVan\tO\nGölü\tO\n",
        "<BODY>\t\nAli\tB-PER\tO\nVeli\tB-PER\tO\n\nVan\tB-LOC\tO\nGölü\tI-LOC\tO\n",
    ),
}


def written(separator, columns, text, folder):
    (folder / "corpus").write_text(text, encoding="utf-8")
    file = entity_column_sentences_to_label(folder / "corpus", refuse, separator, columns)
    assert [one.words for one in file.examples] == [("Ali", "Veli"), ("Van", "Gölü")]
    file.write(PREDICTED, folder / "written")
    return (folder / "written").read_text(encoding="utf-8")


@pytest.mark.parametrize(("separator", "columns", "text", "expected"), LAYOUTS.values(), ids=LAYOUTS)
def test_gold_and_predicted_tags_are_the_last_two_columns(separator, columns, text, expected, tmp_path):
    assert written(separator, columns, text, tmp_path) == expected
    scores = score_files(tmp_path / "written")
    assert (scores["gold_phrases"], scores["found_phrases"], scores["correct_phrases"]) == (2, 3, 2)


@pytest.mark.parametrize(("separator", "columns", "text", "expected"), UNTAGGED.values(), ids=UNTAGGED)
def test_without_gold_tags_the_predicted_ones_stand_in_their_place(separator, columns, text, expected, tmp_path):
    assert written(separator, columns, text, tmp_path) == expected


def test_a_document_line_becomes_empty_so_that_no_scorer_counts_it(tmp_path):
    text = "-DOCSTART- -X- O\n\nAli N O\nVeli N O\n\nVan N B-LOC\nGölü N I-LOC\n"
    assert written("space", ["token", "xpos", "tag"], text, tmp_path).startswith("\n\nAli N O B-PER\n")


@pytest.mark.parametrize("spans", [[Span(0, 1, "A"), Span(1, 3, "A"), Span(3, 4, "B")], [Span(2, 4, "A")], []])
def test_iob1_is_read_back_as_it_was_written(spans):
    assert spans_of(iob1(spans, 4)) == spans


@pytest.mark.parametrize(("separator", "columns", "text", "expected"), {**LAYOUTS, **UNTAGGED}.values())
@pytest.mark.parametrize("n_crlf", [3, 100], ids=["mixed line ends", "CRLF"])
def test_line_ends_and_a_byte_order_mark_are_written_as_they_were(separator, columns, text, expected, n_crlf, tmp_path):
    def spelt(plain: str) -> bytes:
        return ("\ufeff" + plain.replace("\n", "\r\n", n_crlf)).encode()

    (tmp_path / "corpus").write_bytes(spelt(text))
    entity_column_sentences_to_label(tmp_path / "corpus", refuse, separator, columns).write(
        PREDICTED, tmp_path / "written"
    )
    assert (tmp_path / "written").read_bytes() == spelt(expected)
