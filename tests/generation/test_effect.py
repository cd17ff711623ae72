"""What is typed for generate.py has an effect, or is refused."""

import pytest

from polyprobe.errors import PolyprobeError
from polyprobe.generation.door import check_effect


@pytest.mark.parametrize(
    ("suite", "typed"),
    [
        ("linspector_type", "capitalise=true"),
        ("pseudowords", "grammar=hens.avg"),
        ("clams", "made_from.treebanks=[x]"),
        ("own", "+rules=released"),
    ],
)
def test_a_key_of_other_suites_is_refused(suite, typed):
    with pytest.raises(PolyprobeError) as refused:
        check_effect({"choices": {"suite": suite}}, ["lang=mini", typed])
    assert str(refused.value).startswith(f"{typed} has no effect: suite={suite} makes ")


@pytest.mark.parametrize(
    ("suite", "typed"),
    [("clams", ["capitalise=true"]), ("linspector_type", ["rules=released", "token_level.sizes=scaled"])],
)
def test_keys_of_the_suite_and_groups_of_others_are_taken(suite, typed):
    assert check_effect({"choices": {"suite": suite}}, typed) is None
