import gzip

import pytest

from polyprobe.errors import PolyprobeError
from polyprobe.resources.assembled import unpacked_lines


def test_lines_of_packed_files_come_one_after_the_other(tmp_path):
    for name, text in (("a.gz", "Ein Hund .\na\x85b\n"), ("b.gz", "\nc\n")):
        (tmp_path / name).write_bytes(gzip.compress(text.encode()))
    assert list(unpacked_lines([tmp_path / "a.gz", tmp_path / "b.gz"])) == ["Ein Hund .", "a\x85b", "", "c"]


@pytest.mark.parametrize(
    "content",
    [b"Ein Hund .\n", gzip.compress(b"a\n" * 99)[:-9], gzip.compress(b"\xff\n")],
    ids=["plain", "cut off", "no UTF-8"],  # gzip writes the second into its header
)
def test_what_is_not_packed_text_is_refused_with_the_file(content, tmp_path):
    (tmp_path / "a.gz").write_bytes(content)
    with pytest.raises(PolyprobeError, match=r"a\.gz cannot be unpacked: .* Expected text in UTF-8, by gzip"):
        list(unpacked_lines([tmp_path / "a.gz"]))
