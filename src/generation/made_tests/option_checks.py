"""What the options of all kinds of tests may be."""

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any

from annotated_types import Predicate

from src.errors import BadValue, check_choice
from src.generation.made_tests.labels import FEWEST_ITEMS
from src.section import AboveZero, Count, Expected, check_values
from src.splits import SPLITS


def _has_every_split(of_splits: Mapping[str, Any]) -> bool:
    return set(of_splits) == set(SPLITS)


_OF_SPLITS = Predicate(_has_every_split), Expected("a number for train, dev and test")
Items = Annotated[Mapping[str, Count], *_OF_SPLITS]
"""How many items each split has, in whatever order."""
Shares = Annotated[Mapping[str, AboveZero], *_OF_SPLITS]
"""Of each split."""
Names = Annotated[Sequence[str], Expected("a list of names", of_parts=True)]
NamesOfFeatures = Annotated[
    Mapping[str, Names], Expected("a list of names for each feature, such as {Case: [Participle]}")
]


def check_enough_items(group: str, values: Mapping[str, Any]) -> None:
    """Checks that a test of so many items as a group of the configuration says would be one."""
    check_values(group, {"items": Items}, values)
    if sum(values["items"].values()) < FEWEST_ITEMS:
        raise BadValue(f"{group}.items", values["items"], f"at least {FEWEST_ITEMS} items in all")


def check_known_parts(key: str, of_features: Mapping[str, Sequence[str]], known: Collection[str]) -> None:
    """Checks that parts of speech named for features are such; several may be joined by `+`, as a bundle has them.

    Args:
        key: of the configuration, for the message.
        of_features: features, and the names for each.
        known: the parts of speech of the schema.
    """
    for feature, names in of_features.items():
        for part in (part for name in names for part in name.split("+")):
            check_choice(f"{key}.{feature}", part, known)
