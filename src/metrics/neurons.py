"""Which neurons carry a property: selections and rankings by a probe's weights and by the vectors alone.

A ranking is int64 `[neurons]`, the best first. Everything by weights goes by |w|.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from polyprobe.errors import PolyprobeError

STRIDE = 100  # steps of the mass of weights by which neurons are ordered, as NeuroX has it by default
SILENT_BELOW = 0.05  # activations nearer to 0 count as 0 in `average_precisions`, as in NeuroX
SMALL_RANGE = 1e-7  # of a neuron's activations, added in `mean_select` as in NeuroX
VALUES_PER_BLOCK = 4_000_000  # of the vectors, that are sorted at a time


NeuronScores = tuple[np.ndarray, np.ndarray]
"""A score of each neuron over all labels, `[neurons]`, and for each label, `[labels, neurons]`; higher is better. Both
are float64; NaN where a label has no items, for it can tell nothing."""


def top_neurons(weights: np.ndarray, share: float) -> list[list[int]]:
    """Selects the fewest neurons of each class that hold a share of its weight mass (Dalvi et al. 2019; NeuroX).

    The neuron that reaches the share is included, so that a share of 0 still selects one. Sums are float32, as in the
    released code: near a share of 1 rounding decides which of the smallest weights are still counted. Among equal
    weights the last comes first; there the released code follows an unstable sort.

    Args:
        weights: `[classes, neurons]`, taken as float32.
        share: 0 to 1.

    Returns:
        The neurons of each class, the largest weight first.
    """
    assert 0 <= share <= 1, share
    masses = _masses(weights)
    order, sums = _heaviest_first(masses)
    totals = masses.sum(axis=1) * np.float32(share)
    lengths = [np.searchsorted(row, total) + 1 for row, total in zip(sums, totals, strict=True)]
    return [row[:length].tolist() for row, length in zip(order, lengths, strict=True)]


def union(selected: Sequence[Sequence[int]]) -> np.ndarray:
    """Returns the neurons that are selected for any class, in their own order: int64 `[selected neurons]`."""
    return np.unique(np.concatenate([np.asarray(row, dtype=np.int64) for row in selected]))


def ordering(weights: np.ndarray, stride: int) -> np.ndarray:
    """Ranks the neurons by when they enter `top_neurons` of any class, at shares 0, 1 / stride, ..., 1 (NeuroX).

    The released code leaves the order within a step to a Python set, and leaves out the neurons that no step selects,
    such as those of weight 0 in all classes. Here neurons of a step are ordered by the smallest share at which they
    enter, then by their largest weight, then by their number; neurons that are never selected stand at the end.

    Args: as for `top_neurons`; the stride is at least 1.
    """
    masses = _masses(weights)
    order, sums = _heaviest_first(masses)
    shares = (np.arange(stride + 1) / stride).astype(np.float32)

    n_neurons = masses.shape[1]
    steps = np.full(n_neurons, stride + 1)
    entered_at = np.full(n_neurons, np.inf)
    for row, running, total in zip(order, sums, masses.sum(axis=1), strict=True):
        lengths = np.searchsorted(running, shares * total) + 1
        steps[row] = np.minimum(steps[row], np.searchsorted(lengths, np.arange(n_neurons), side="right"))
        # A neuron enters as soon as the share exceeds what those before it hold; with no mass at all only the first.
        before = np.concatenate([[0.0], running[:-1] / total if total else np.full(n_neurons - 1, np.inf)])
        entered_at[row] = np.minimum(entered_at[row], before)
    return np.lexsort((np.arange(n_neurons), -masses.max(axis=0), entered_at, steps))


def probeless(vectors: np.ndarray, label_ids: np.ndarray, n_labels: int) -> NeuronScores:
    """Scores neurons by how far the mean vectors of the labels are apart (Antverg and Belinkov 2022, section 3.1).

    The score is the sum of |difference| over all pairs of labels; that of a label, over its pairs with the others.

    Args:
        vectors: `[items, neurons]`.
        label_ids: int64 `[items]`.
        n_labels: ids go from 0 to below it.

    Raises:
        PolyprobeError: a value is not finite.
    """
    present, means = _means_of_labels(vectors, label_ids, n_labels)
    means -= means.mean(axis=0)
    by_label = np.full((n_labels, means.shape[1]), np.nan)
    by_label[present] = _distances_to_the_others(means)
    return by_label[present].sum(axis=0) / 2, by_label


def mean_select(vectors: np.ndarray, label_ids: np.ndarray, n_labels: int) -> NeuronScores:
    """Scores neurons by how far a label's mean activation is from the others', in parts of the neuron's range.

    For one label against the rest this is what NeuroX has as selectivity, |mean - mean of the rest| / (max - min +
    1e-7), of which the last term keeps down neurons that are constant but for rounding. NeuroX has no score over
    several labels: that is taken to be the mean of theirs.

    Args, Raises: as for `probeless`.
    """
    present, means = _means_of_labels(vectors, label_ids, n_labels)
    counts = np.bincount(label_ids, minlength=n_labels)[present, None]
    sums, n_items = means * counts, len(vectors)
    of_the_rest = (sums.sum(axis=0) - sums) / (n_items - counts)
    ranges = vectors.max(axis=0).astype(np.float64) - vectors.min(axis=0)
    by_label = np.full((n_labels, means.shape[1]), np.nan)
    by_label[present] = np.abs(means - of_the_rest) / (ranges + SMALL_RANGE)
    return by_label[present].mean(axis=0), by_label


def average_precisions(vectors: np.ndarray, label_ids: np.ndarray, n_labels: int) -> NeuronScores:
    """Scores neurons by the average precision of their activation for a label against the rest (NeuroX's "IoU").

    As released: activations below 0.05 in absolute value count as 0 (here in a copy), equal ones stand at one
    threshold, and the sign counts, so that a neuron that is low where the label is comes last. Over all labels it is
    the mean of theirs, 0 to 1, which is ours.

    Args, Raises: as for `probeless`.
    """
    present = _labels_present(label_ids, n_labels)
    by_label = np.full((n_labels, vectors.shape[1]), np.nan)
    start = 0
    for activations, order in _sorted_activations(vectors):
        block = slice(start, start + len(order))
        for label in present:
            by_label[label, block] = _average_precisions(activations, order, label_ids == label)
        start = block.stop
    return by_label[present].mean(axis=0), by_label


def ranked(scores: np.ndarray) -> np.ndarray:
    """Returns the ranking by scores `[neurons]`, the highest first, among equals the first: int64 `[neurons]`."""
    assert not np.isnan(scores).any()
    return np.argsort(-scores, kind="stable")


def random_order(n_neurons: int, generator: np.random.Generator) -> np.ndarray:
    """Returns a ranking that knows nothing: int64 `[neurons]`."""
    return generator.permutation(n_neurons)


def _masses(weights: np.ndarray) -> np.ndarray:
    masses = np.abs(np.asarray(weights, dtype=np.float32))
    assert np.isfinite(masses).all()
    return np.ascontiguousarray(masses)


def _heaviest_first(masses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns the neurons of each class, the largest mass first, and the running sums: `[classes, neurons]` each."""
    order = np.argsort(masses, axis=1, kind="stable")[:, ::-1]
    return order, np.cumsum(np.take_along_axis(masses, order, axis=1), axis=1)


def _labels_present(label_ids: np.ndarray, n_labels: int) -> np.ndarray:
    present = np.unique(label_ids)
    assert len(present) > 1, present
    assert present[0] >= 0, present
    assert present[-1] < n_labels, present
    return present


def _means_of_labels(vectors: np.ndarray, label_ids: np.ndarray, n_labels: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns the labels that have items, and their mean vectors: float64 `[labels, neurons]`."""
    present = _labels_present(label_ids, n_labels)
    means = np.stack([vectors[label_ids == label].mean(axis=0, dtype=np.float64) for label in present])
    _check_finite(means)
    return present, means


def _check_finite(values: np.ndarray) -> None:
    """Checks `[..., neurons]`."""
    bad = np.flatnonzero(~np.isfinite(values).all(axis=0))
    if len(bad):
        raise PolyprobeError(f"{len(bad)} neurons have values that are not finite, the first of them neuron {bad[0]}.")


def _distances_to_the_others(means: np.ndarray) -> np.ndarray:
    """Sums |difference| of each label's mean to those of all others: `[labels, neurons]`.

    Of the sorted means, those before are smaller and those behind larger: sums instead of all pairs.
    """
    n = len(means)
    order = np.argsort(means, axis=0)
    rising = np.take_along_axis(means, order, axis=0)
    up_to = np.cumsum(rising, axis=0)
    ranks = np.arange(1, n + 1)[:, None]
    distances = (2 * ranks - n) * rising - 2 * up_to + up_to[-1]
    unsorted = np.empty_like(distances)
    np.put_along_axis(unsorted, order, distances, axis=0)
    return unsorted


def _sorted_activations(vectors: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yields blocks of neurons: their activations, the highest first, and the items these belong to.

    Both `[neurons of the block, items]`.
    """
    per_block = max(1, VALUES_PER_BLOCK // len(vectors))
    for start in range(0, vectors.shape[1], per_block):
        _check_finite(vectors[:, start : start + per_block])
        lowered = -np.ascontiguousarray(vectors[:, start : start + per_block].T, dtype=np.float32)
        lowered[np.abs(lowered) < np.float32(SILENT_BELOW)] = 0
        order = np.argsort(lowered, axis=1)
        yield -np.take_along_axis(lowered, order, axis=1), order


def _average_precisions(activations: np.ndarray, order: np.ndarray, is_positive: np.ndarray) -> np.ndarray:
    """Averages the precision over the recall that each threshold adds: float64 `[neurons]`.

    Args:
        activations, order: as `_sorted_activations` yields them.
        is_positive: bool `[items]`.
    """
    n_found = np.cumsum(is_positive[order], axis=1)
    # Equal activations are found together: only the last of them is a threshold.
    is_threshold = np.ones(order.shape, dtype=bool)
    is_threshold[:, :-1] = activations[:, 1:] != activations[:, :-1]
    at_thresholds = np.maximum.accumulate(np.where(is_threshold, n_found, 0), axis=1)
    added = np.diff(at_thresholds, axis=1, prepend=0)
    precisions = n_found / np.arange(1, order.shape[1] + 1)
    return np.einsum("ni,ni->n", added, precisions) / is_positive.sum()
