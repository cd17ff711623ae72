"""Checks of the options that all kinds of tests have."""

import dataclasses
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from src.errors import BadValue, check_at_least, check_choice
from src.generation.made_tests.sizes import FEWEST_ITEMS
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


def check_enough_items(key: str, items: Any) -> None:
    """Checks that a test of so many items would be one; the arguments are those of `check_splits`.

    Raises:
        BadValue: see `check_items`; or they are fewer in all than the smallest test that is made.
    """
    check_items(key, items)
    if sum(items.values()) < FEWEST_ITEMS:
        raise BadValue(key, items, f"at least {FEWEST_ITEMS} items in all")


def check_names(key: str, names: Any) -> None:
    """Checks a list of names; the arguments are those of `check_splits`.

    Raises:
        BadValue: it is none.
    """
    if not isinstance(names, Sequence) or isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise BadValue(key, names, "a list of names")


def check_names_of_features(key: str, of_features: Any) -> None:
    """Checks a list of names for each of some features; the arguments are those of `check_splits`.

    Raises:
        BadValue: it is no mapping from features to lists of names.
    """
    if not isinstance(of_features, Mapping):
        raise BadValue(key, of_features, "a list of names for each feature, such as {Case: [Participle]}")
    for feature, names in of_features.items():
        check_names(f"{key}.{feature}", names)


def check_known_parts(key: str, of_features: Mapping[str, Sequence[str]], known: Collection[str]) -> None:
    """Checks that parts of speech named for features are such; several may be joined by `+`, as a bundle has them.

    Args:
        key: of the configuration, for the message.
        of_features: as `check_names_of_features` takes it.
        known: the parts of speech of the schema.

    Raises:
        UnknownChoice: one is none.
    """
    for feature, names in of_features.items():
        for part in (part for name in names for part in name.split("+")):
            check_choice(f"{key}.{feature}", part, known)
