"""The labels of a test: that there are two of them, how many items of each are drawn, and which part things go to.

Lemmas, sentences and documents go to parts in the order in which they are dealt out.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from src.display.plural import plural
from src.generation.made_tests.row_statistics import TooFew


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
        raise TooFew(f"{test}: what is left has {plural(len(labels), 'label')}{found}. A test needs 2.")


def check_train(test: str, labels: Iterable[str]) -> None:
    """Checks that a probe can learn from train.

    Args:
        labels: of the items that are drawn for train.
    """
    different = sorted(set(labels))
    if len(different) < 2:
        found = f"every item drawn for train has the label {different[0]}" if different else "train has no item"
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
