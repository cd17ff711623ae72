"""Orders of the neurons of a probed test, the best first."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from src.analysis.neurons.probed_test import ProbedTest
from src.analysis.neurons.row_names import GAUSSIAN, IOU, MEAN_SELECT, PROBELESS, RANDOM, WEIGHTS
from src.errors import PolyprobeError
from src.metrics.gaussian_neurons import gaussian_order
from src.metrics.neurons import (
    STRIDE,
    ScoredNeurons,
    average_precisions_of_labels,
    mean_select,
    ordering,
    probeless,
    random_order,
    ranked,
)
from src.seeds import derived_seed

FEWEST_OF_GAUSSIAN = 2  # items of a label, which a variance needs
FEWEST_LABELS = 2  # that a ranking tells apart


@dataclass(frozen=True, eq=False)
class Ranking:
    """Neurons in the order in which a method would keep them.

    Attributes:
        name: of the method: "weights", "probeless", "mean_select", "iou", "gaussian" or "random".
        order: int64 `[neurons]`, the best first, each once; fewer where the method selects only so many ("gaussian").
        by_label: for each label of the test its own neurons, the best first, none for a label without train items:
            int32 `[neurons]` each; None where the method has no labels.
    """

    name: str
    order: np.ndarray
    by_label: tuple[np.ndarray, ...] | None


@dataclass(frozen=True, eq=False)
class TrainExamples:
    """What a ranking may look at beside the weights.

    Attributes:
        vectors: of the train items, float32 or float16 `[examples, neurons]`.
        label_ids: int64 `[examples]`.
        labels: of the test.
    """

    vectors: np.ndarray
    label_ids: np.ndarray
    labels: Sequence[str]


def rankings_of(probed: ProbedTest, names: Sequence[str], n_gaussian: int) -> list[Ranking]:
    """Ranks the neurons of a test by several methods.

    Args:
        probed: the test.
        names: of the methods, keys of `RANKINGS`.
        n_gaussian: how many neurons the Gaussian ranking selects at most.

    Raises:
        PolyprobeError: a method cannot be used on this test.
    """
    train = train_examples(probed)
    return [RANKINGS[name](probed, train, n_gaussian) for name in names]


def train_examples(probed: ProbedTest) -> TrainExamples:
    """Copies the train items of a test."""
    vectors = probed.vectors[probed.rows["train"]].numpy()
    return TrainExamples(vectors, probed.label_ids["train"].numpy(), probed.test.labels)


def check_gaussian(probed: ProbedTest) -> None:
    """Checks that Gaussians can be fitted to two labels at least; labels with fewer train items are left out.

    Raises:
        PolyprobeError: they cannot.
    """
    counts = np.bincount(probed.label_ids["train"].numpy(), minlength=len(probed.test.labels))
    if (counts >= FEWEST_OF_GAUSSIAN).sum() < FEWEST_LABELS:
        found = ", ".join(f"{label}: {count}" for label, count in zip(probed.test.labels, counts, strict=True))
        raise PolyprobeError(
            f"{probed.test.name} has too few train items for the ranking gaussian ({found}). Expected at least "
            f"{FEWEST_OF_GAUSSIAN} of at least {FEWEST_LABELS} labels. Leave it out of of_neurons.rankings, or name "
            "other tests: tests=[…]"
        )


def by_weights(probed: ProbedTest, train: TrainExamples, n_gaussian: int) -> Ranking:
    """Ranks by the weights of the run's own probe, that of the first seed (Dalvi et al. 2019)."""
    return ranking_of_weights(probed.weights[0], probed.train_labels)


def ranking_of_weights(weights: np.ndarray, train_labels: np.ndarray) -> Ranking:
    """Ranks by when neurons enter the top of any label as the share of its mass grows.

    Args:
        weights: `[labels, neurons]`.
        train_labels: see `ProbedTest.train_labels`; the other rows are left out.
    """
    by_label = [np.empty(0, np.int32)] * len(weights)
    for label in train_labels.tolist():
        by_label[label] = np.argsort(-np.abs(weights[label]), kind="stable").astype(np.int32)
    return Ranking(WEIGHTS, ordering(weights[train_labels], STRIDE).order, tuple(by_label))


def _scored(name: str, method: Callable[[np.ndarray, np.ndarray, int], ScoredNeurons]) -> "Method":
    def rank(probed: ProbedTest, train: TrainExamples, n_gaussian: int) -> Ranking:
        scored = method(train.vectors, train.label_ids, len(train.labels))
        none = np.empty(0, np.int32)
        by_label = (none if np.isnan(one).any() else ranked(one).astype(np.int32) for one in scored.by_label)
        return Ranking(name, ranked(scored.scores), tuple(by_label))

    return rank


def by_gaussian(probed: ProbedTest, train: TrainExamples, n_gaussian: int) -> Ranking:
    """Selects neurons by what a Gaussian probe learns from them (Torroba Hennigen et al. 2020).

    Labels with fewer than `FEWEST_OF_GAUSSIAN` train items have no Gaussian and are left out.

    Raises:
        PolyprobeError: see `check_gaussian`.
    """
    check_gaussian(probed)
    counts = np.bincount(train.label_ids, minlength=len(train.labels))
    label_ids = np.flatnonzero(counts >= FEWEST_OF_GAUSSIAN)
    is_fitted = np.isin(train.label_ids, label_ids)
    n_chosen = min(n_gaussian, train.vectors.shape[1])
    renumbered = np.searchsorted(label_ids, train.label_ids[is_fitted])
    found = gaussian_order(train.vectors[is_fitted], renumbered, len(label_ids), n_chosen)
    return Ranking(GAUSSIAN, found.order, None)


def by_chance(probed: ProbedTest, train: TrainExamples, n_gaussian: int) -> Ranking:
    """Draws an order, the same for a test in every run."""
    generator = np.random.default_rng(derived_seed(probed.seeds[0], "random ranking", probed.test.name))
    return Ranking(RANDOM, random_order(probed.space.n_neurons, generator), None)


Method = Callable[[ProbedTest, TrainExamples, int], Ranking]
RANKINGS: Mapping[str, Method] = {
    WEIGHTS: by_weights,
    PROBELESS: _scored(PROBELESS, probeless),
    MEAN_SELECT: _scored(MEAN_SELECT, mean_select),
    IOU: _scored(IOU, average_precisions_of_labels),
    GAUSSIAN: by_gaussian,
    RANDOM: by_chance,
}
"""The methods, by name; the third argument is how many neurons the Gaussian one selects at most."""
