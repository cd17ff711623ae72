"""Checks of single values of a configuration."""

import pytest

from polyprobe.errors import BadValue, UnknownChoice, check_choice, check_flag


@pytest.mark.parametrize("value", ["kep", None, ["keep"], 1])
def test_a_word_that_is_no_choice_is_said_with_those_that_are(value):
    with pytest.raises(UnknownChoice, match=r'^encoder\.unknown ".*" is unknown\. .*Known: drop, keep\.$'):
        check_choice("encoder.unknown", value, {"keep": 1, "drop": 2})
    check_choice("encoder.unknown", "keep", ("keep", "drop"))


@pytest.mark.parametrize(("value", "got"), [(0, "0"), (1, "1"), ("true", "'true'"), (None, "null")])
def test_what_is_not_a_truth_value_is_said(value, got):
    with pytest.raises(BadValue, match=f"^encoder.tune must be true or false, got {got}"):
        check_flag("encoder.tune", value)
    check_flag("encoder.tune", False)
