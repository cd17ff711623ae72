"""Line ends and byte order marks are left out by every reader."""

import pytest

from polyprobe.formats.grammars import avg
from polyprobe.formats.minimal_sets import clams, json_sets
from polyprobe.formats.minimal_sets.pair_rows import read_blimp
from polyprobe.formats.pairs import labelled_pairs
from polyprobe.formats.reading.malformed import refuse
from polyprobe.formats.texts import text_corpus, word_list
from polyprobe.formats.treebanks import labelled_words
from polyprobe.formats.vectors import vector_table

PAIR = b'{"premise": "a", "hypothesis": "b"}\n'
# Each: a reader of what the table of contracts has not, and two lines of its files.
OTHERS = {
    "grammar": (avg.read, b"S[] the N[]\nN[] hen\n"),
    "BLiMP": (lambda path: read_blimp(path, refuse), b'{"sentence_good": "a b", "sentence_bad": "a c"}\n' * 2),
    "pairs of JSON": (lambda path: labelled_pairs.object_pairs(path, refuse, {}), PAIR * 2),
    "FORM##UPOS": (lambda path: labelled_words.linspector_pos_sentences(path, refuse), b"a##X\nb##X\n"),
    "CLAMS": (lambda path: clams.read_published(path, refuse), b"True\ta b\nFalse\ta c\n"),
    "sets of JSON": (
        lambda path: json_sets.read(path, refuse),
        b'{"set": 1, "label": true, "sentence": "a"}\n{"set": 1, "label": false, "sentence": "b"}\n',
    ),
    "text": (lambda path: text_corpus.corpus_sentences(path, refuse), b"a b\nc\n"),
    "table of vectors": (vector_table.read, b"a\t1 2\nb\t3 4\n"),
    "word list": (word_list.read, b"a\nb\n"),
}


def said(read: object) -> object:
    """What was read, as a list where it comes one by one."""
    return list(read) if hasattr(read, "__next__") else read


@pytest.mark.parametrize(("reader", "content"), OTHERS.values(), ids=OTHERS)
def test_line_ends_and_a_byte_order_mark_change_nothing_of_what_is_read(reader, content, tmp_path):
    path = tmp_path / "file.avg"
    path.write_bytes(content)
    plain = said(reader(path))
    crlf = content.replace(b"\n", b"\r\n")
    for spelt in (crlf, b"\xef\xbb\xbf" + content, content.replace(b"\n", b"\r\n", 1), b"\xef\xbb\xbf" + crlf):
        path.write_bytes(spelt)
        assert said(reader(path)) == plain
