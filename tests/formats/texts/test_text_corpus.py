import pytest

from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.malformed import Skipped, refuse
from polyprobe.formats.texts.text_corpus import MOST_TOKENS, corpus_sentences


def written(folder, content):
    path = folder / "corpus.txt"
    path.write_bytes(content)
    return path


def test_tokens_are_what_stands_between_blanks(tmp_path):
    path = written(tmp_path, "İyi günler .\nNew\u00a0York'ta\u2028 7.30\n".encode())
    assert list(corpus_sentences(path, refuse)) == [("İyi", "günler", "."), ("New\u00a0York'ta\u2028", "7.30")]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (b"\n", "the line is empty"),
        (b"iyi  ki\n", "a token is empty"),
        (b" iyi\n", "a token is empty"),
        (b"iyi \n", "a token is empty"),
        (b"iyi\rki\n", "carriage return"),
        (b"iyi \xff\n", "not UTF-8"),
        (b"iyi\0 ki\n", "NUL"),
        (b"iyi\t" + b"a " * MOST_TOKENS + b"b\n", "10,001 tokens"),
    ],
)
def test_a_bad_line_is_refused_or_left_out_and_listed(line, found, tmp_path):
    path = written(tmp_path, b"bir\n" + line)
    with pytest.raises(MalformedLine, match=rf"corpus.txt, line 2: .*{found}"):
        list(corpus_sentences(path, refuse))
    skipped = Skipped()
    assert list(corpus_sentences(path, skipped)) == [("bir",)]
    assert [place.line for place in skipped.places] == [2]


@pytest.mark.parametrize("on_malformed", [refuse, Skipped()], ids=["refuse", "skip"])
def test_an_empty_file_is_refused_in_either_mode(on_malformed, tmp_path):
    with pytest.raises(MalformedLine, match="the file is empty"):
        list(corpus_sentences(written(tmp_path, b""), on_malformed))
