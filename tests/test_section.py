from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

import pytest
from annotated_types import Ge, Gt, Le, Lt, MinLen

from polyprobe.errors import PolyprobeError
from polyprobe.section import (
    AboveZero,
    Count,
    Expected,
    Key,
    Number,
    Section,
    checked,
)

Portion = Annotated[Number, Gt(0), Le(1), Expected("a share above 0 and at most 1")]
Epochs = Annotated[Sequence[Annotated[int, Ge(0)]], MinLen(1), Expected("a list such as [0,8], or null", of_parts=True)]


class Fit(Section, key="fit"):
    """Values of every type that a section has."""

    folds: Count = 10
    chance: Literal["of_each_fit", "of_all_fits"] = "of_each_fit"
    shares: Annotated[Sequence[Portion], MinLen(1)] = (1,)
    items: Mapping[Literal["train", "dev"], Count] | None = None
    epochs: Epochs | None = None
    nested: bool = True
    least: Annotated[Number, Ge(0), Lt(1)] = 0
    words: Sequence[Literal["all", "none"]] = ()
    seed: str | int = 1


REFUSED = {
    "fit.folds must be an integer of at least 1, got 0.": {"folds": 0},
    "fit.folds must be an integer of at least 1, got true.": {"folds": True},
    "fit.folds must be an integer of at least 1, got 2.0.": {"folds": 2.0},
    "fit.folds must be an integer of at least 1, got 'two'.": {"folds": "two"},
    'fit.chance "of_all_fit" is unknown. Did you mean of_all_fits or of_each_fit?': {"chance": "of_all_fit"},
    "fit.shares must be a non-empty list, got [].": {"shares": []},
    "fit.shares must be a share above 0 and at most 1, got 2.": {"shares": [1, 2]},
    "fit.items.train must be an integer of at least 1, got 0.": {"items": {"train": 0}},
    'fit.items "trian" is unknown. Did you mean train?': {"items": {"trian": 1}},
    "fit.items must be a group of keys, got 3.": {"items": 3},
    "fit.epochs must be a list such as [0,8], or null, got [0, 'x'].": {"epochs": [0, "x"]},
    "fit.epochs must be a list such as [0,8], or null, got 4.": {"epochs": 4},
    "fit.nested must be true or false, got 'yes'.": {"nested": "yes"},
    "fit.least must be a number of at least 0, below 1, got 1.": {"least": 1},
    "fit.least must be a number of at least 0, below 1, got nan.": {"least": float("nan")},
    "fit.words must be a list, got 'all'.": {"words": "all"},
    'fit.words "some" is unknown.': {"words": ["all", "some"]},
    "fit.seed must be text or an integer, got 1.5.": {"seed": 1.5},
    'fit: the option "fold" is unknown. Did you mean folds?': {"fold": 2},
}


@pytest.mark.parametrize("message", REFUSED)
def test_a_value_that_is_not_as_its_field_says_is_refused(message):
    with pytest.raises(PolyprobeError) as raised:
        Fit.of(REFUSED[message])
    assert str(raised.value).startswith(message)


def test_values_stay_as_they_were_given():
    items, shares = {"dev": 2}, [1, 0.5]
    fit = Fit.of({"least": 0}, items=items, shares=shares)
    assert (fit.items is items, fit.shares is shares, type(fit.least)) == (True, True, int)


def test_a_value_cannot_be_changed():
    with pytest.raises(AttributeError):
        Fit().folds = 3


class Encoder:
    @checked("encoder")
    def __init__(self, width: Count, pooling: Literal["mean", "max"] = "mean", *, rate: AboveZero = 1, note: str = ""):
        self.given = (width, pooling, rate, note)


def test_arguments_of_a_constructor_are_checked_where_they_are_annotated_with_a_range():
    assert Encoder(3, rate=0.5, note=4).given == (3, "mean", 0.5, 4)
    with pytest.raises(PolyprobeError, match=r"encoder\.width must be an integer of at least 1, got 0"):
        Encoder(0)
    with pytest.raises(PolyprobeError, match=r"encoder\.pooling \"men\" is unknown\. Did you mean mean"):
        Encoder(1, "men")
    with pytest.raises(PolyprobeError, match=r"encoder\.rate must be a number above 0, got -1"):
        Encoder(width=1, rate=-1)


class Placed(Section, key="here"):
    tests: Annotated[Sequence[str], MinLen(1), Key("tests")] | None


def test_a_value_that_stands_elsewhere_is_told_by_its_own_key():
    assert Placed(tests=None).tests is None
    with pytest.raises(PolyprobeError, match=r"^tests must be a non-empty list, got \[\]"):
        Placed(tests=[])


def test_fields_that_the_program_fills_are_no_options():
    with pytest.raises(PolyprobeError, match=r'^fit: the option "seed" is unknown\..* Known: (?!.*seed)'):
        Fit.of({"seed": 1}, seed=2)
