"""Lines in an encoding that is named."""

import pytest

from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.lines import text_in


def test_a_byte_is_another_character_in_another_encoding():
    assert text_in("reviews", 1, b"caf\xe9 \x96 wow\x85\n", "cp1252") == "café – wow…"
    assert text_in("reviews", 1, b"caf\xe9 \x96 wow\x85\n", "latin-1") == "caf\xe9 \x96 wow\x85"


@pytest.mark.parametrize(
    ("content", "encoding", "found"),
    [
        (b"caf\xe9\n", "utf-8", "byte 4 of the line (0xe9) is not UTF-8. Expected text in UTF-8."),
        (b"a \x81 b\n", "cp1252", "byte 3 of the line (0x81) is not cp1252. Expected text in cp1252."),
        (b"a\0b\n", "cp1252", "NUL character"),
    ],
)
def test_what_the_encoding_does_not_have_is_named_with_its_byte(content, encoding, found):
    with pytest.raises(MalformedLine) as told:
        text_in("reviews", 7, content, encoding)
    assert str(told.value).startswith("reviews, line 7: ")
    assert found in str(told.value)
