"""Checks of single values of a configuration."""

import pytest

from polyprobe.errors import UnknownChoice, check_choice


@pytest.mark.parametrize("value", ["kep", None, ["keep"], 1])
def test_a_word_that_is_no_choice_is_said_with_those_that_are(value):
    with pytest.raises(UnknownChoice, match=r'^encoder\.unknown ".*" is unknown\. .*Known: drop, keep\.$'):
        check_choice("encoder.unknown", value, {"keep": 1, "drop": 2})
    check_choice("encoder.unknown", "keep", ("keep", "drop"))
