import pytest

from polyprobe.errors import BadValue
from polyprobe.generation.made_tests.labels import sizes_of
from polyprobe.generation.type_tests.type_level_options import options_of


def test_the_splits_of_items_may_stand_in_any_order():
    options = options_of("article", "xx", 1, items={"dev": 200, "test": 100, "train": 700})
    assert sizes_of("Case", options.items, options.sizes, "type_level.sizes", lambda sizes: True) == [700, 200, 100]


@pytest.mark.parametrize("items", [{"train": 7, "dev": 2}, {"train": 7, "dev": 2, "test": 1, "rest": 1}])
def test_items_of_other_splits_are_refused(items):
    with pytest.raises(BadValue, match=r"type_level\.items must be a number for train, dev and test"):
        options_of("article", "xx", 1, items=items)
