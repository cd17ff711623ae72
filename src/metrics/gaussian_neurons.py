"""Neurons chosen one by one for what a Gaussian probe learns from them (Torroba Hennigen, Williams and Cotterell 2020).

At each step comes the neuron that leaves the highest mean log p(label | chosen neurons), which is the highest estimated
information: entropy of the labels + mean log2 p(label | chosen neurons). The probe has a Gaussian for each label:
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
from typing import NamedTuple

import numpy as np

from polyprobe.errors import BadValue, Impossible, check_choice

POSTERIOR_MEAN, RELEASED = "posterior_mean", "released"
COVARIANCES = (POSTERIOR_MEAN, RELEASED)

SMALLEST_VARIANCE = 1e-6  # of a neuron's variance over all items
ENTRIES_PER_BLOCK = 1 << 16  # values of some neurons on all items: in float32 they stay in a core's cache


@dataclass(frozen=True, eq=False)
class LabelledVectors:
    """Vectors float16, float32 or float64 `[items, neurons]` and label ids `[items]`, from 0."""

    vectors: np.ndarray
    label_ids: np.ndarray


def gaussian_scores(
    train: LabelledVectors, scored: LabelledVectors, n_labels: int, order: np.ndarray, covariance: str = POSTERIOR_MEAN
) -> tuple[np.ndarray, np.ndarray]:
    """Scores examples, such as held-out ones, by the first 1, 2, … neurons of an order, in float64 throughout.

    Args:
        train: what the Gaussians are fitted to.
        scored: at least one example.
        order: neurons `[chosen]`, each once.
        n_labels, covariance: see `gaussian_order`, also for what is raised.

    Returns:
        float64 `[chosen]` each: bits about the labels, their entropy + mean log2 p(label), below 0 where the probe is
        worse than knowing how frequent each label is; the accuracy, 0 to 1.
    """
    _check_probe(train, n_labels, len(order), covariance)
    width = train.vectors.shape[1]
    chosen = _Scaling(train.vectors[:, order])
    values, of_scored = chosen.scaled(train.vectors[:, order]), chosen.scaled(scored.vectors[:, order])
    scores = np.empty((n_labels, len(of_scored), len(order)))
    for label in range(n_labels):
        of_label = values[train.label_ids == label]
        mean, n_items = of_label.mean(axis=0), len(of_label)
        scatter = (of_label - mean).T @ (of_label - mean)
        np.fill_diagonal(scatter, _scatter_diagonal(scatter.diagonal(), n_items))
        factor = np.linalg.cholesky(scatter / _covariance_divisor(n_items, width, covariance))
        whitened = np.linalg.solve(factor, (of_scored - mean).T).T
        # A marginal over the first neurons has the first rows of the factor, so that a running sum serves them all.
        densities = np.cumsum(-0.5 * whitened**2 - np.log(factor.diagonal()), axis=1)
        scores[label] = np.log(n_items / len(values)) + densities
    own = np.take_along_axis(scores, scored.label_ids.astype(np.int64)[None, :, None], axis=0)[0]
    loss = (np.logaddexp.reduce(scores, axis=0) - own).mean(axis=0)
    accuracy = (scores.argmax(axis=0) == scored.label_ids[:, None]).mean(axis=0)
    return _entropy(scored.label_ids) - loss / np.log(2), accuracy


class _Scaling:
    """Makes a neuron's mean 0 and its variance 1 over all items: what the probe says does not depend on either.

    Args:
        vectors: `[items, neurons]`; a constant neuron's scale is 1.
    """

    def __init__(self, vectors: np.ndarray):
        self.means, self.scales = np.empty((2, vectors.shape[1]))
        for block in _blocks(*vectors.shape):
            values = vectors[:, block].astype(np.float64)
            with np.errstate(invalid="ignore"):  # `scaled` refuses what is no finite number.
                self.means[block] = values.mean(axis=0)
                # Rounding leaves a constant neuron a remainder, which is no variance.
                self.scales[block] = np.where((values != values[0]).any(axis=0), values.std(axis=0), 1)

    def scaled(self, vectors: np.ndarray, block: slice = slice(None)) -> np.ndarray:
        """Scales the neurons of a block, all finite numbers; returns float64 `[items, neurons of the block]`."""
        with np.errstate(invalid="ignore"):
            values = (vectors.astype(np.float64) - self.means[block]) / self.scales[block]
        if not np.isfinite(values).all():
            raise Impossible("A neuron has a value that is not a finite number: a Gaussian probe needs finite numbers.")
        return values


def _scatter_diagonal(scatter: np.ndarray, n_items: int) -> np.ndarray:
    """Returns the diagonal of S + diag(S) / n from that of the scatter S of scaled neurons."""
    return np.maximum(scatter, n_items * SMALLEST_VARIANCE) * (1 + 1 / n_items)


def _covariance_divisor(n_items: int, width: int, covariance: str) -> int:
    """Returns what (S + diag(S) / n) is divided by; see above."""
    return n_items + 1 if covariance == POSTERIOR_MEAN else n_items + 2 * width + 4


def _blocks(n_items: int, width: int) -> Iterator[slice]:
    """Cuts neurons into runs of as many as stay in a core's cache with their values on all items."""
    size = max(1, ENTRIES_PER_BLOCK // n_items)
    return (slice(start, min(start + size, width)) for start in range(0, width, size))


def _check_probe(train: LabelledVectors, n_labels: int, n_chosen: int, covariance: str) -> None:
    """Checks what a probe is to be fitted to; what is raised: see `gaussian_order`."""
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


ROUNDING = 1e-5  # nats an item: what float32 may be wrong by
MOST_COMPARED = 64  # candidates compared again in float64


def gaussian_order(
    vectors: np.ndarray,
    label_ids: np.ndarray,
    n_labels: int,
    n_chosen: int,
    chosen_by: LabelledVectors | None = None,
    covariance: str = POSTERIOR_MEAN,
) -> tuple[np.ndarray, np.ndarray]:
    """Chooses neurons one by one, each time the one that adds most information about the label.

    Nothing is fitted anew at a step: of each label the Cholesky factor of the chosen neurons' covariance grows by a
    row, which also says how each candidate follows from the chosen ones. A step costs a product of 2 x chosen
    operations and a few passes for each item, candidate and label. Memory: a float32 copy of the vectors, and of the
    covariance the rows of chosen neurons alone.

    Args:
        vectors: what the Gaussians are fitted to: float16, float32 or float64 `[items, neurons]`.
        label_ids: `[items]`, 0 to `n_labels` - 1.
        n_chosen: how many neurons.
        chosen_by: examples, at least one, whose labels a neuron has to predict to be chosen, such as those of dev (as
            in the released code); without them those that the Gaussians are fitted to.
        covariance: "posterior_mean" or "released"; see above.

    Returns:
        The order, int64 `[chosen]`; of neurons that tell the same (to 1e-9 bits, at most 64 of them) the first comes
        first. And the bits about the label in the neurons up to and with each, on the examples they were chosen by:
        float64 `[chosen]`.

    Raises:
        Impossible: there are fewer than two labels, a label has fewer than two items, a value is not a finite number.
        BadValue: there are not so many neurons.
        UnknownChoice: `covariance` is none of the two.
    """
    train = LabelledVectors(vectors, label_ids)
    _check_probe(train, n_labels, n_chosen, covariance)
    scaling = _Scaling(vectors)
    fitted = _SortedItems(train, n_labels, scaling)
    judged = fitted if chosen_by is None else _SortedItems(chosen_by, n_labels, scaling)
    growing = _GrowingProbe(fitted, judged, covariance)
    order = np.array([growing.add_best() for _ in range(n_chosen)], np.int64)
    bits, _ = gaussian_scores(train, train if chosen_by is None else chosen_by, n_labels, order, covariance)
    return order, bits


class _SortedItems:
    """Scaled items in the order of their labels, neuron by neuron.

    Has `values`, float32 `[neurons, items]`, and `spans`, where the items of each label lie.
    """

    def __init__(self, examples: LabelledVectors, n_labels: int, scaling: _Scaling):
        n_items, width = examples.vectors.shape
        by_label = np.argsort(examples.label_ids, kind="stable")
        self.values = np.empty((width, n_items), np.float32)
        for block in _blocks(n_items, width):
            self.values[block] = scaling.scaled(examples.vectors[:, block][by_label], block).T
        ends = np.cumsum(np.bincount(examples.label_ids, minlength=n_labels))
        self.spans = [slice(start, end) for start, end in zip([0, *ends[:-1]], ends, strict=True)]


class _Offsets(NamedTuple):
    """What the chosen neurons say of the items of a label."""

    odds: np.ndarray
    """Log odds of each label against the items' own, less the largest: float32 `[labels, items]`."""
    own: np.ndarray
    """The same of their own label, no logarithm: float32 `[items]`."""
    largest: np.ndarray
    """The largest of the log odds of all labels, at least 0: float64 `[items]`."""


class _GrowingProbe:
    """The probe over the chosen neurons and, beside it, what each candidate would add.

    Of label l, with the chosen neurons C and the factor L of their covariance, are kept: `rows`, the solutions of
    L x = covariance of C with each candidate; `whitened`, those of L x = C's values - their means, for each judged
    item; the candidates' `variances` given C; and the items' log densities. A candidate's mean given C is then its own
    mean + rows · whitened.
    """

    def __init__(self, fitted: _SortedItems, judged: _SortedItems, covariance: str):
        width, n_items = fitted.values.shape
        self._fitted, self._judged = fitted, judged
        counts = np.array([span.stop - span.start for span in fitted.spans])
        self._divisors = np.array([_covariance_divisor(n, width, covariance) for n in counts])
        self._means, self._variances = np.empty((2, len(counts), width))
        for block in _blocks(n_items, width):
            for label, span in enumerate(fitted.spans):
                values = fitted.values[block, span].astype(np.float64)
                scatter = values.var(axis=1) * counts[label]
                self._means[label, block] = values.mean(axis=1)
                self._variances[label, block] = _scatter_diagonal(scatter, counts[label]) / self._divisors[label]
        n_judged = judged.values.shape[1]
        self._rows = np.empty((len(counts), 0, width))
        self._whitened = np.empty((len(counts), 0, n_judged))
        self._log_densities = np.repeat(np.log(counts / n_items)[:, None], n_judged, axis=1)
        self._chosen: list[int] = []

    def add_best(self) -> int:
        """Adds the neuron that leaves the smallest loss, and returns it."""
        losses = self._losses()
        losses[self._chosen] = np.inf
        near = np.argsort(losses, kind="stable")[:MOST_COMPARED]
        near = np.sort(near[losses[near] <= losses[near[0]] + ROUNDING])
        exact = self._exact_losses(near)
        best = int(near[np.flatnonzero(exact <= exact.min() + 1e-9 * np.log(2))[0]])
        self._add(best)
        return best

    def _add(self, neuron: int) -> None:
        """Lets the factors grow by a row."""
        n_labels, n_chosen, width = self._rows.shape
        rows = np.empty((n_labels, n_chosen + 1, width))
        whitened = np.empty((n_labels, n_chosen + 1, self._whitened.shape[2]))
        rows[:, :-1], whitened[:, :-1] = self._rows, self._whitened
        values = self._judged.values[neuron].astype(np.float64)
        for label in range(n_labels):
            of_chosen, deviation = self._rows[label][:, neuron], np.sqrt(self._variances[label, neuron])
            rows[label, -1] = (self._covariances(label, neuron) - of_chosen @ self._rows[label]) / deviation
            residuals = values - self._means[label, neuron] - of_chosen @ self._whitened[label]
            whitened[label, -1] = residuals / deviation
            self._log_densities[label] -= 0.5 * whitened[label, -1] ** 2 + np.log(deviation)
        others = np.delete(np.arange(width), [*self._chosen, neuron])
        self._variances[:, others] -= rows[:, -1, others] ** 2
        self._rows, self._whitened = rows, whitened
        self._chosen.append(neuron)

    def _covariances(self, label: int, neuron: int) -> np.ndarray:
        """Returns a neuron's covariance with each other one within a label: float64 `[neurons]`."""
        of_label = self._fitted.values[:, self._fitted.spans[label]]
        centred = of_label[neuron].astype(np.float64)
        centred -= centred.mean()
        products = [of_label[block].astype(np.float64) @ centred for block in _blocks(len(centred), len(of_label))]
        return np.concatenate(products) / self._divisors[label]

    def _losses(self) -> np.ndarray:
        """Returns the mean -log p(label) of the judged items with each candidate added, nats: float64 `[neurons]`."""
        width, n_items = self._judged.values.shape
        n_labels = len(self._means)
        ones = np.ones((n_labels, 1, n_items))
        predictors = np.concatenate([ones, self._whitened], axis=1).astype(np.float32)
        offsets = self._offsets()
        losses = np.empty(width)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            for block in _blocks(n_items, width):
                losses[block] = self._block_losses(block, predictors, offsets)
        # A candidate by which an item's odds change by more than float32 holds (e to the 88th).
        beyond = np.flatnonzero(~np.isfinite(losses))
        per_part = max(1, ENTRIES_PER_BLOCK // n_items)
        for start in range(0, len(beyond), per_part):
            part = beyond[start : start + per_part]
            losses[part] = self._exact_losses(part)
        return losses

    def _offsets(self) -> list[_Offsets]:
        """Returns, label by label, what the chosen neurons say of its items."""
        offsets = []
        for label, span in enumerate(self._judged.spans):
            odds = self._log_densities[:, span] - self._log_densities[label, span]
            largest = odds.max(axis=0, initial=0)
            less, own = (odds - largest).astype(np.float32), np.exp(-largest, dtype=np.float32)
            offsets.append(_Offsets(less, own, largest))
        return offsets

    def _block_losses(self, block: slice, predictors: np.ndarray, offsets: list[_Offsets]) -> np.ndarray:
        """Returns the losses of a block of candidates, not finite where float32 does not do."""
        variances = self._variances[:, block]
        gains = np.sqrt(0.5 / variances)
        heights = (-0.5 * np.log(variances)).astype(np.float32)
        values = self._judged.values[block]
        distances = np.empty((len(gains), *values.shape), np.float32)  # [labels, candidates, items]: -log density
        for label, gain in enumerate(gains):
            weights = -gain * np.concatenate([self._means[label, block][None], self._rows[label][:, block]])
            out = distances[label]
            np.matmul(weights.T.astype(np.float32), predictors[label], out=out)
            out += values * gain[:, None].astype(np.float32)
            np.square(out, out=out)
        losses = np.zeros(len(values))
        for label, span in enumerate(self._judged.spans):
            own = distances[label][:, span]
            of_chosen = offsets[label]
            sums = np.repeat(of_chosen.own[None], len(own), axis=0)
            for other in (other for other in range(len(gains)) if other != label):
                odds = own - distances[other][:, span]
                odds += of_chosen.odds[other]
                odds += (heights[other] - heights[label])[:, None]
                sums += np.exp(odds, out=odds)
            losses += np.log(sums, out=sums).sum(axis=1) + of_chosen.largest.sum()
        return losses / values.shape[1]

    def _exact_losses(self, candidates: np.ndarray) -> np.ndarray:
        """As `_losses`, of some candidates, in float64 throughout."""
        values = self._judged.values[candidates].astype(np.float64)
        scores = np.empty((len(self._means), *values.shape))
        for label, variances in enumerate(self._variances[:, candidates]):
            expected = self._rows[label][:, candidates].T @ self._whitened[label]
            residuals = values - self._means[label, candidates][:, None] - expected
            scores[label] = self._log_densities[label] - 0.5 * residuals**2 / variances[:, None]
            scores[label] -= 0.5 * np.log(variances)[:, None]
        losses = np.logaddexp.reduce(scores, axis=0)
        for label, span in enumerate(self._judged.spans):
            losses[:, span] -= scores[label][:, span]
        return losses.mean(axis=1)
