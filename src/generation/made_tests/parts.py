"""Which part each of some things goes to, in the order in which they are dealt out: lemmas, sentences, documents."""

from collections.abc import Sequence

import numpy as np


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
