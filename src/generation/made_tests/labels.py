"""The items and the labels of a test: how many items it has, how many of each label are drawn, which part they go to.

A test has as many items as published, or as many as there are; at least two labels. Lemmas, sentences and documents go
to parts in the order in which they are dealt out. Forms are as long as they have characters (code points).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated

import numpy as np
from annotated_types import Predicate

from polyprobe.display.shown import plural
from polyprobe.generation.made_tests.row_statistics import TooFew
from polyprobe.section import AboveZero, Count, Expected
from polyprobe.splits import SPLITS

BOUNDS = (4, 8, 12, 16, 20)  # the longest form of each bin but the last (article and released program)
FEWEST_ITEMS = 300
SIZES = ("published", "scaled")
_UNIT = 100  # items by which a scaled test grows
_OF_SPLITS = (
    Predicate(lambda of_splits: set(of_splits) == set(SPLITS)),
    Expected("a number for train, dev and test"),
)
Items = Annotated[Mapping[str, Count], *_OF_SPLITS]
"""How many items each split has, in whatever order."""
Shares = Annotated[Mapping[str, AboveZero], *_OF_SPLITS]
"""Of each split."""


def lengths(forms: Sequence[str]) -> np.ndarray:
    """Counts the characters of each form, `[forms]`, int32."""
    return np.fromiter(map(len, forms), np.int32, len(forms))


def length_bins(forms: Sequence[str], bounds: Sequence[int] = BOUNDS) -> np.ndarray:
    """Returns the bin of each form, from 1, `[forms]`; `bounds` are the longest form of each bin but the last."""
    return 1 + np.searchsorted(bounds, lengths(forms), side="left")


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
    found = f"{found}, enough for {f'{scaled:,} items{which}' if scaled else 'no test'}"
    if sizes == "published":
        hint = "" if scaled < FEWEST_ITEMS else f" For the largest possible test: {key}=scaled"
        raise TooFew(f"{found}; {sum(published):,} are requested.{hint}")
    if scaled < FEWEST_ITEMS:
        raise TooFew(f"{found} (minimum {FEWEST_ITEMS}).")
    return _scaled(published, scaled)


def _scaled(published: Sequence[int], n_items: int) -> list[int]:
    """Cuts so many items in the proportions of the published sizes; what is over goes to the last split."""
    sizes = [n_items * size // sum(published) for size in published]
    return [*sizes[:-1], n_items - sum(sizes[:-1])]


def parts_by_weight(sizes: np.ndarray, weights: Sequence[float]) -> np.ndarray:
    """Deals things out so that each part has its share of their sizes, as nearly as whole things allow.

    The middle of a thing, on a line of the sizes of all of them, says where it goes.

    Args:
        sizes: of the things, in the order in which they are dealt, `[things]`.
        weights: of the parts; what they are in sum is all.

    Returns:
        The part of each thing, from 0, `[things]`, int8.
    """
    middles = (np.cumsum(sizes) - sizes / 2) / max(sizes.sum(), 1)
    bounds = np.cumsum(weights)
    return np.searchsorted(bounds[:-1] / bounds[-1], middles, side="right").astype(np.int8)


def check_labels(test: str, labels: Sequence[str]) -> None:
    """Checks that there is something to tell apart."""
    if len(labels) < 2:
        found = f" ({labels[0]})" if labels else ""
        raise TooFew(f"{test}: {plural(len(labels), 'label')} left{found}. A test needs 2.")


def check_train(test: str, labels: Iterable[str]) -> None:
    """Checks that a probe can learn from train.

    Args:
        labels: of the items that are drawn for train.
    """
    different = sorted(set(labels))
    if len(different) < 2:
        found = f"all items sampled for train have the label {different[0]}" if different else "train has no item"
        raise TooFew(f"{test}: {found}. A test needs 2 labels there.")


def label_quotas(counts: np.ndarray, weights: np.ndarray, n_items: int) -> np.ndarray:
    """Shares items out among labels: each gets its weight's share, or all that it has; the others share what is over.

    Args:
        counts: items of each label, `[labels]`; together at least `n_items`.
        weights: at least 0, `[labels]`. Labels of weight 0 are drawn where nothing else is left.

    Returns:
        `[labels]`, in sum `n_items`; of what cannot be divided the first labels get one more each.
    """
    quotas = np.zeros(len(counts), np.int64)
    while (left := n_items - int(quotas.sum())) > 0:
        is_open = quotas < counts
        of_open = np.where(is_open, weights, 0)
        of_open = of_open if of_open.sum() else is_open.astype(float)
        more = np.floor(left * of_open / of_open.sum()).astype(np.int64)
        if not more.any():
            more[np.flatnonzero(of_open)[:left]] = 1
        quotas = np.minimum(quotas + more, counts)
    return quotas
