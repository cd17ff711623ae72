"""Checks of the options that all kinds of tests have."""

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from src.errors import BadValue, check_at_least, check_choice
from src.splits import SPLITS


def check_option_names(options: type, names: Iterable[str]) -> None:
    """Checks the names of options that are changed.

    Args:
        options: the data class that has them.
        names: of options.

    Raises:
        UnknownChoice: there is none of a name.
    """
    known = sorted(field.name for field in dataclasses.fields(options))
    for name in names:
        check_choice("The option", name, known)


def check_splits(key: str, value: Any) -> None:
    """Checks that a value has something for every split, in whatever order.

    Args:
        key: of the configuration, for the message.
        value: what it is set to.

    Raises:
        BadValue: a split is missing, or there is something else.
    """
    if not isinstance(value, Mapping) or set(value) != set(SPLITS):
        raise BadValue(key, value, "a number for train, dev and test")


def check_items(key: str, items: Any) -> None:
    """Checks how many items each split is to have; the arguments are those of `check_splits`.

    Raises:
        BadValue: a split is missing, or its number is not one of at least 1.
    """
    check_splits(key, items)
    for split in SPLITS:
        check_at_least(f"{key}.{split}", items[split], 1)
