import pytest

from polyprobe.errors import MalformedLine
from polyprobe.formats.lexica.frequency_list import read
from polyprobe.formats.reading.malformed import refuse

LAYOUTS = {
    "words": ("bir\nbu\nne\n", [("bir", None), ("bu", None), ("ne", None)]),
    "words with counts": ("bir 603\nbu 35\n", [("bir", 603), ("bu", 35)]),
    "words and counts after a tab": ("bir\t603\nbu\t35\n", [("bir", 603), ("bu", 35)]),
    "table": ("Word\tSUBTLWF\tFREQcount\nbu\t0.1\t35\nbir\t2.5\t603\n", [("bu", 35), ("bir", 603)]),
    "vectors": ("2 5\nbir 0.1 -0.2 0.3 1e-5 0\nbu\u00a0ne 1 2 3 4 5 \n", [("bir", None), ("bu\u00a0ne", None)]),
    "numbers as words": ("2018 300\n1999 20\n", [("2018", 300), ("1999", 20)]),
    "one word": ("bir", [("bir", None)]),
}


@pytest.mark.parametrize(("text", "expected"), LAYOUTS.values(), ids=LAYOUTS)
def test_the_layout_is_told_from_the_first_lines(text, expected, tmp_path):
    (tmp_path / "list").write_text(text, encoding="utf-8")
    assert [(word.word, word.count) for word in read(tmp_path / "list", refuse)] == expected


BAD = {
    "two words": ("bir\nbu ne\n", 'line 2: the line has "bu ne"'),
    "a negative count": ("bir 603\nbu -3\n", 'line 2: the count is "-3"'),
    "a share": ("bir 603\nbu 3.5\n", 'line 2: the count is "3.5"'),
    "no vector": ("2 5\nbir 1 2 3 4 5\nbu\n", "line 3: the row has no vector"),
    "a short row": ("Word\tFREQcount\tCDcount\nbu\t35\n", "line 2: the row has 2 columns"),
    "no word": ("bir 603\n 3\n", "line 2: the word is empty"),
}


@pytest.mark.parametrize(("text", "message"), BAD.values(), ids=BAD)
def test_a_row_of_another_layout_is_refused(text, message, tmp_path):
    (tmp_path / "list").write_text(text, encoding="utf-8")
    with pytest.raises(MalformedLine, match=message):
        list(read(tmp_path / "list", refuse))
