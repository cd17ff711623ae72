import gzip
import lzma

import pytest

from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.cells import blocks
from polyprobe.formats.reading.lines import numbered_lines
from polyprobe.formats.reading.malformed import Skipped

TEXT = "ev\tevler\n\n"
OTHER_KINDS = {
    "gzip": (gzip.compress(TEXT.encode()), "packed by gzip.*gunzip"),
    "xz": (lzma.compress(TEXT.encode()), "packed by xz.*unxz"),
    "zip": (b"PK\x03\x04\x14", "a zip archive.*unzip"),
    "UTF-16, little end first": (b"\xff\xfe" + TEXT.encode("utf-16-le"), "text in UTF-16.*iconv"),
    "UTF-16, big end first": (b"\xfe\xff" + TEXT.encode("utf-16-be"), "text in UTF-16.*iconv"),
}


@pytest.mark.parametrize(("content", "message"), OTHER_KINDS.values(), ids=OTHER_KINDS)
def test_a_file_of_another_kind_is_told_by_its_first_bytes_even_where_malformed_lines_are_skipped(
    content, message, tmp_path
):
    path = tmp_path / "words.txt"
    path.write_bytes(content)
    for read in (lambda: list(numbered_lines(path)), lambda: list(blocks(path, Skipped()))):
        with pytest.raises(MalformedLine, match=f"words.txt, line 1: the file is {message}"):
            read()


def test_a_file_shorter_than_such_first_bytes_is_read(tmp_path):
    (tmp_path / "words.txt").write_bytes(b"a\n")
    assert list(numbered_lines(tmp_path / "words.txt")) == [(1, "a")]
