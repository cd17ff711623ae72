import json

import pytest

from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.malformed import Skipped, refuse
from polyprobe.formats.texts.plain_text import Passage, block_passages, line_passages
from polyprobe.formats.texts.wikipedia_text import wikipedia_passages

DOCUMENT = (
    '<doc id="12" url="https://xx.wikipedia.org/wiki?curid=12" title="A "B" C">\nA "B" C\n\nIt is.\nA "B" C\n</doc>\n'
)


def passages(path, text, on_malformed=refuse):
    path.write_text(text, encoding="utf-8")
    return [(one.text, one.line) for one in wikipedia_passages(path, on_malformed)]


def test_a_title_is_no_passage_where_it_begins_the_document(tmp_path):
    assert passages(tmp_path / "wiki_00", DOCUMENT) == [("It is.", 4), ('A "B" C', 5)]


def test_headings_and_items_of_lists_are_passed_over_where_they_are_marked(tmp_path):
    text = "<doc>\nSection::::History.\nBULLET::::- One\nIt was.\n</doc>\n"
    assert passages(tmp_path / "wiki_00", text) == [("It was.", 4)]


def test_documents_may_be_json(tmp_path):
    lines = ({"id": "1", "title": "T", "text": "T\n\nOne. Two.\nThree."}, {"id": "2", "text": "Four."})
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    assert passages(tmp_path / "wiki_00", text) == [("One. Two.", 1), ("Three.", 1), ("Four.", 2)]


BAD = {  # a place, its line, what is found
    "no end": ("<doc>\nx\n" + DOCUMENT, 1, "the document has no end"),
    "no end at the end of the file": (DOCUMENT + "<doc>\nx\n", 7, "the document has no end; the file may be truncated"),
    "no beginning": (DOCUMENT + "</doc>\n", 7, "a document ends that has not begun"),
    "text between documents": (DOCUMENT + "x\ny\n" + DOCUMENT, 7, "text stands outside of a document"),
    "json without text": ('{"title": "T"}\n{"text": "It is."}\n', 1, "the line has no text of a document"),
    "json that is cut off": ('{"text": "It is."}\n{"text": "It', 2, "the line is no JSON"),
    "json of another kind": ('{"text": "It is."}\n["It"]\n', 2, "the line has no text of a document"),
    "a carriage return in json": ('{"text": "It is."}\n{"text": "I\\rt"}\n', 2, "the text has a carriage return"),
}


@pytest.mark.parametrize(("text", "line", "found"), BAD.values(), ids=BAD)
def test_a_bad_document_is_told_and_left_out(text, line, found, tmp_path):
    with pytest.raises(MalformedLine, match=f"line {line}: {found}"):
        passages(tmp_path / "wiki_00", text)
    skipped = Skipped()
    kept = passages(tmp_path / "wiki_00", text, skipped)
    assert [place.line for place in skipped.places] == [line]
    assert {text for text, _ in kept} <= {"It is.", 'A "B" C'}
    assert ("It is.") in {text for text, _ in kept}


def test_a_bad_line_costs_its_document(tmp_path):
    (tmp_path / "wiki_00").write_bytes(b"<doc>\nx\n\xff\ny\n</doc>\n<doc>\nz\n</doc>\n")
    skipped = Skipped()
    assert list(wikipedia_passages(tmp_path / "wiki_00", skipped)) == [Passage("z", 7)]
    assert [place.line for place in skipped.places] == [3]


def test_lines_and_blocks_of_plain_text(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("\nIt is\n late. \n\n \nYes.", encoding="utf-8")
    assert list(line_passages(path, refuse)) == [Passage("It is", 2), Passage(" late. ", 3), Passage("Yes.", 6)]
    assert list(block_passages(path, refuse)) == [Passage("It is late.", 2), Passage("Yes.", 6)]
