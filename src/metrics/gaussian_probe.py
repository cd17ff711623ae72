"""A generative probe with a Gaussian for each label (Torroba Hennigen, Williams and Cotterell 2020).

p(label | some neurons) is Bayes' rule on the marginals over these neurons of Gaussians over all.

The prior is normal-inverse-Wishart; its numbers are those of the released code (rycolab/intrinsic-probing,
trainer/map.py): the mean of the label's items with weight 0.01, the diagonal of their covariance, neurons + 2 degrees
of freedom. So the mean is that of the items, the covariance (S + diag(S) / n) / divisor for the scatter S of n items:

- `posterior_mean`, n + 1: what is expected of the covariance. It says the same of a neuron whatever others there are.
- `released`, n + 2 neurons + 4: the mode, as the code takes it. With more neurons than items its variances are several
  times too small, hence probabilities too extreme: of 2,688 neurons of a transformer on 5,000 sentences it finds none
  that tells the tense (0 bits), where `posterior_mean` finds one that tells 0.11 bits, ten that tell 0.34.

By diag(S) / n a neuron that is a linear function of the chosen ones keeps 1 / (n + 1) of its variance. What is our own:
within a label a neuron has at least a millionth of the variance that it has over all items, so one that is constant
there has a density; by `posterior_mean` one that is constant everywhere tells nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from src.errors import BadValue, Impossible, check_choice

POSTERIOR_MEAN, RELEASED = "posterior_mean", "released"
COVARIANCES = (POSTERIOR_MEAN, RELEASED)

SMALLEST_VARIANCE = 1e-6  # of a neuron's variance over all items
ENTRIES_PER_BLOCK = 1 << 16  # values of some neurons on all items: in float32 they stay in a core's cache


@dataclass(frozen=True, eq=False)
class LabelledVectors:
    """Vectors float16, float32 or float64 `[items, neurons]` and label ids `[items]`, from 0."""

    vectors: np.ndarray
    label_ids: np.ndarray


@dataclass(frozen=True, eq=False)
class GaussianScores:
    """How well the labels of examples follow from the first 1, 2, … neurons of an order."""

    information: np.ndarray
    """Bits, float64 `[chosen]`: entropy of the examples' labels + mean log2 p(label). Below 0 where the probe is worse
    than knowing how frequent each label is."""
    accuracy: np.ndarray
    """0 to 1, float64 `[chosen]`."""


def gaussian_scores(
    train: LabelledVectors, scored: LabelledVectors, n_labels: int, order: np.ndarray, covariance: str = POSTERIOR_MEAN
) -> GaussianScores:
    """Scores examples, such as held-out ones, by the first 1, 2, … neurons of an order, in float64 throughout.

    Args:
        train: what the Gaussians are fitted to.
        scored: at least one example.
        order: neurons `[chosen]`, each once.
        n_labels, covariance: see `gaussian_neurons.gaussian_order`, also for what is raised.
    """
    check_probe(train, n_labels, len(order), covariance)
    width = train.vectors.shape[1]
    chosen = Scaling.of(train.vectors[:, order])
    values, of_scored = chosen.scaled(train.vectors[:, order]), chosen.scaled(scored.vectors[:, order])
    scores = np.empty((n_labels, len(of_scored), len(order)))
    for label in range(n_labels):
        of_label = values[train.label_ids == label]
        mean, n_items = of_label.mean(axis=0), len(of_label)
        scatter = (of_label - mean).T @ (of_label - mean)
        np.fill_diagonal(scatter, scatter_diagonal(scatter.diagonal(), n_items))
        factor = np.linalg.cholesky(scatter / covariance_divisor(n_items, width, covariance))
        whitened = np.linalg.solve(factor, (of_scored - mean).T).T
        # A marginal over the first neurons has the first rows of the factor, so that a running sum serves them all.
        densities = np.cumsum(-0.5 * whitened**2 - np.log(factor.diagonal()), axis=1)
        scores[label] = np.log(n_items / len(values)) + densities
    own = np.take_along_axis(scores, scored.label_ids.astype(np.int64)[None, :, None], axis=0)[0]
    loss = (np.logaddexp.reduce(scores, axis=0) - own).mean(axis=0)
    accuracy = (scores.argmax(axis=0) == scored.label_ids[:, None]).mean(axis=0)
    return GaussianScores(_entropy(scored.label_ids) - loss / np.log(2), accuracy)


@dataclass(frozen=True, eq=False)
class Scaling:
    """Makes a neuron's mean 0 and its variance 1 over all items: what the probe says does not depend on either."""

    means: np.ndarray
    """float64 `[neurons]`."""
    scales: np.ndarray

    @classmethod
    def of(cls, vectors: np.ndarray) -> "Scaling":
        """Measures vectors `[items, neurons]`; a constant neuron's scale is 1."""
        means, scales = np.empty((2, vectors.shape[1]))
        for block in blocks(*vectors.shape):
            values = vectors[:, block].astype(np.float64)
            with np.errstate(invalid="ignore"):  # `scaled` refuses what is no finite number.
                means[block] = values.mean(axis=0)
                # Rounding leaves a constant neuron a remainder, which is no variance.
                scales[block] = np.where((values != values[0]).any(axis=0), values.std(axis=0), 1)
        return cls(means, scales)

    def scaled(self, vectors: np.ndarray, block: slice = slice(None)) -> np.ndarray:
        """Scales the neurons of a block; returns float64 `[items, neurons of the block]`.

        Raises:
            Impossible: a value is not a finite number.
        """
        with np.errstate(invalid="ignore"):
            values = (vectors.astype(np.float64) - self.means[block]) / self.scales[block]
        if not np.isfinite(values).all():
            raise Impossible("A neuron has a value that is not a finite number: a Gaussian probe needs finite numbers.")
        return values


def scatter_diagonal(scatter: np.ndarray, n_items: int) -> np.ndarray:
    """Returns the diagonal of S + diag(S) / n from that of the scatter S of scaled neurons."""
    return np.maximum(scatter, n_items * SMALLEST_VARIANCE) * (1 + 1 / n_items)


def covariance_divisor(n_items: int, width: int, covariance: str) -> int:
    """Returns what (S + diag(S) / n) is divided by; see above."""
    return n_items + 1 if covariance == POSTERIOR_MEAN else n_items + 2 * width + 4


def blocks(n_items: int, width: int) -> Iterator[slice]:
    """Cuts neurons into runs of as many as stay in a core's cache with their values on all items."""
    size = max(1, ENTRIES_PER_BLOCK // n_items)
    return (slice(start, min(start + size, width)) for start in range(0, width, size))


def check_probe(train: LabelledVectors, n_labels: int, n_chosen: int, covariance: str) -> None:
    """Checks what a probe is to be fitted to; what is raised: see `gaussian_neurons.gaussian_order`."""
    check_choice("covariance", covariance, COVARIANCES)
    if n_labels < 2:
        raise Impossible(f"A Gaussian probe needs at least two labels; found {n_labels}.")
    counts = np.bincount(train.label_ids, minlength=n_labels)
    assert len(counts) == n_labels, f"label ids from 0 to {n_labels - 1} expected, found {len(counts) - 1}"
    rare = np.flatnonzero(counts < 2)
    if len(rare):
        raise Impossible(
            f"A Gaussian probe needs at least two training examples of each label; label number {rare[0]} has "
            f"{counts[rare[0]]} of {len(train.label_ids)}."
        )
    width = train.vectors.shape[1]
    if not 1 <= n_chosen <= width:
        raise BadValue("The number of neurons to choose", n_chosen, f"1 to {width}, the number of neurons")


def _entropy(label_ids: np.ndarray) -> float:
    """Returns the entropy of the labels in bits."""
    shares = np.unique(label_ids, return_counts=True)[1] / len(label_ids)
    return float(-(shares * np.log2(shares)).sum())
