import pytest

from polyprobe.errors import BadValue
from polyprobe.formats.reading.case import case_rule, lower_cased


@pytest.mark.parametrize(
    ("lowercase", "dotless_i", "expected"),
    [(False, True, "IŞIK İL"), (True, True, "ışık il"), (True, False, "işik i̇l"), ("python", True, "işik i̇l")],
)
def test_a_word_is_lower_cased_as_the_language_or_as_the_released_code_does(lowercase, dotless_i, expected):
    assert lower_cased("IŞIK İL", case_rule(lowercase, dotless_i)) == expected


def test_another_value_is_refused_with_the_choices():
    with pytest.raises(BadValue, match=r"encoder\.lowercase.*true, false or python"):
        case_rule("yes", False)
