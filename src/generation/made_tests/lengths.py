"""The length of a form in characters (code points), and the bin that it falls into."""

from collections.abc import Sequence

import numpy as np

BOUNDS = (4, 8, 12, 16, 20)  # the longest form of each bin but the last (article and released program)


def lengths(forms: Sequence[str]) -> np.ndarray:
    """Counts the characters of each form, `[forms]`, int32."""
    return np.fromiter(map(len, forms), np.int32, len(forms))


def length_bins(forms: Sequence[str]) -> np.ndarray:
    """Returns the bin of each form, from 1, `[forms]`."""
    return 1 + np.searchsorted(BOUNDS, lengths(forms), side="left")
