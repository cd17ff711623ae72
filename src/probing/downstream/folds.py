"""Examples dealt into folds, each label evenly."""

import numpy as np
from sklearn.model_selection import StratifiedKFold

from src.errors import PolyprobeError


def stratified_folds(
    label_ids: np.ndarray, n_folds: int, seed: int, of_what: str
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Deals the examples as scikit-learn's StratifiedKFold with shuffling does, which SentEval uses.

    Args:
        label_ids: int64 `[examples]`.
        of_what: what is dealt, for the message ("all examples").

    Returns:
        For each fold the rows outside of it and those inside, both rising: int64 `[examples]`.

    Raises:
        PolyprobeError: a label has fewer examples than there are folds.
    """
    labels, counts = np.unique(label_ids, return_counts=True)
    rarest = counts.argmin()
    if counts[rarest] < n_folds:
        raise PolyprobeError(
            f"Label {labels[rarest]} has {counts[rarest]} of {len(label_ids)} examples in {of_what}, but there are "
            f"{n_folds} folds. Expected at least one of each label in each fold: take fewer folds."
        )
    dealing = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    return list(dealing.split(np.zeros(len(label_ids)), label_ids))


def dev_drawn(rows: np.ndarray, share: float, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draws a part of the rows, at least one, whatever their labels; returns the others and the drawn ones."""
    n_dev = max(1, int(share * len(rows)))
    shuffled = random.permutation(rows)
    return shuffled[n_dev:], shuffled[:n_dev]
