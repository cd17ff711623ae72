"""Numbers in text are what `float` says, whatever way they are read."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from polyprobe.formats.vectors.word2vec_text import parsed

PLAIN = st.from_regex(r"-?[0-9]{0,12}\.[0-9]{0,12}", fullmatch=True).filter(lambda text: any(map(str.isdigit, text)))
REPR = st.floats(allow_nan=False, width=32).map(repr)


@given(st.lists(PLAIN, min_size=1) | st.lists(PLAIN | REPR | st.integers().map(str), min_size=1))
@example(["0.12345678901234567890123456789", "9007199254740993.0", "99999999999999999999.5", "-.5", "5."])
def test_every_number_is_the_float_of_its_text(numbers):
    with np.errstate(over="ignore"):
        expected = np.array([float(number) for number in numbers]).astype(np.float32)
        np.testing.assert_array_equal(parsed(" ".join(numbers).encode()), expected)


def test_not_a_number_and_infinity_are_numbers_here():
    np.testing.assert_array_equal(parsed(b"1.5 nan -inf"), np.float32([1.5, np.nan, -np.inf]))


@pytest.mark.parametrize(
    "text",
    [b"1.5 x", b"1.2.3 4", b". 1.5", b"-. 1.0 2.", b"1.5- 2.5", b"1.5 2.5-3.5", b"--1.5", b".-5 1.5", b"1.0 2.0,"],
)
def test_what_is_no_number_is_refused(text):
    with pytest.raises(ValueError, match="unmatched data"):
        parsed(text)


@pytest.mark.parametrize("text", [b"1.5  2.5 3.5", b""])
def test_a_wrong_blank_shows_in_the_count(text):
    assert len(parsed(text)) != len(text.split(b" "))
