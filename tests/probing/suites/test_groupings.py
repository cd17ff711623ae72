"""Which group a set belongs to, by the file's fields, the path or a list."""

import pytest

from polyprobe.errors import BadValue
from polyprobe.formats.minimal_sets.clams import MinimalSet, Variant
from polyprobe.probing.suites.groupings import groupings_of, means_there


def sets(*phenomena):
    return [
        MinimalSet(number, Variant("hen eats", (), ()), (), fields={} if one is None else {"phenomenon": one})
        for number, one in enumerate(phenomena, start=1)
    ]


def groups(said, test="a", of=(), folders=None, scored=("a", "b")):
    (grouping,) = groupings_of({"phenomenon": said})
    return grouping.groups_of(test, of, folders or {}, scored).tolist()


def test_a_column_names_the_group_of_each_set_whatever_blanks_it_has():
    found = groups({"field": "phenomenon", "same": {"y": "z"}}, of=sets("x  ", "y", "x", None))
    assert found == ["x", "z", "x", ""]


def test_a_folder_names_the_group_of_a_file():
    assert groups({"folder": "place"}, of=sets("x", "y"), folders={"place": "Aspect"}) == ["Aspect", "Aspect"]


def test_listed_constructions_are_a_group_where_all_of_them_are_scored():
    said = {"tests": {"prep": ["a", "b"], "other": ["c"]}}
    assert groups(said, "b", of=sets("x")) == ["prep"]
    assert groups(said, "b", of=sets("x"), scored=["b", "c"]) == [""]
    assert groups(said, "c", of=sets("x"), scored=["b", "c"]) == ["other"]


@pytest.mark.parametrize("said", ["phenomenon", {"field": "a", "folder": "b"}, {"field": "a", "smae": {}}])
def test_a_grouping_that_does_not_say_where_groups_come_from_is_refused(said):
    with pytest.raises(BadValue, match=r"suite\.groups\.phenomenon"):
        groupings_of({"phenomenon": said})


def test_a_mean_is_there_where_none_of_its_constructions_and_groups_is_missing():
    pooled = groupings_of({"animacy": {"tests": {"prep": ["a", "b"]}}})
    means = {"all": ["prep", "c"], "few": ["c"]}
    assert means_there(means, pooled, ["a", "b", "c"]) == means
    assert means_there(means, pooled, ["a", "c"]) == {"few": ["c"]}
    assert means_there({}, pooled, ["a"]) == {}
