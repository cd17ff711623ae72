"""How many items a test has, as published or as many as there are; how long forms are, in characters (code points)."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from src.generation.made_tests.row_statistics import TooFew
from src.splits import SPLITS

BOUNDS = (4, 8, 12, 16, 20)  # the longest form of each bin but the last (article and released program)
FEWEST_ITEMS = 300
SIZES = ("published", "scaled")
_UNIT = 100  # items by which a scaled test grows


def lengths(forms: Sequence[str]) -> np.ndarray:
    """Counts the characters of each form, `[forms]`, int32."""
    return np.fromiter(map(len, forms), np.int32, len(forms))


def length_bins(forms: Sequence[str]) -> np.ndarray:
    """Returns the bin of each form, from 1, `[forms]`."""
    return 1 + np.searchsorted(BOUNDS, lengths(forms), side="left")


def sizes_of(
    found: str,
    asked: Mapping[str, int],
    sizes: str,
    key: str,
    are_enough: Callable[[Sequence[int]], bool],
    which: str = "",
) -> list[int]:
    """Finds how many items each split of a test has.

    Args:
        found: which test, and what is left for it: "Case: 4,100 items are left".
        asked: the published sizes, by split.
        sizes: "published": as many as are asked for; "scaled": where there are too few, the largest test of whole
            hundreds, in the same proportions.
        key: of the configuration that says `sizes`, for the message.
        are_enough: says whether there are items for splits of such sizes.
        which: what the items of two splits may not have in common, for the message.
    """
    published = [asked[split] for split in SPLITS]
    if are_enough(published):
        return published
    scaled = sum(published) // _UNIT * _UNIT
    while scaled and not are_enough(_scaled(published, scaled)):
        scaled -= _UNIT
    found = f"{found}, enough for a test of {scaled:,}{which}"
    if sizes == "published":
        hint = "" if scaled < FEWEST_ITEMS else f" For the largest one that there are items for: {key}=scaled"
        raise TooFew(f"{found}; {sum(published):,} are asked for.{hint}")
    if scaled < FEWEST_ITEMS:
        raise TooFew(f"{found}. A test needs at least {FEWEST_ITEMS}.")
    return _scaled(published, scaled)


def _scaled(published: Sequence[int], n_items: int) -> list[int]:
    """Cuts so many items in the proportions of the published sizes; what is over goes to the last split."""
    sizes = [n_items * size // sum(published) for size in published]
    return [*sizes[:-1], n_items - sum(sizes[:-1])]
