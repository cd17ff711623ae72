"""What is left of a probe's accuracy when it sees some neurons alone."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch

from src.analysis.neurons.neuron_space import n_of_share
from src.analysis.neurons.probed_test import ProbedTest
from src.analysis.neurons.rankings import Ranking
from src.analysis.neurons.row_names import BOTTOM, FULL, RANDOM, TOP, ZEROED

SCORED = ("dev", "test")
COLUMNS_PER_BLOCK = 256  # that are copied at a time, as float64


@dataclass(frozen=True, eq=False)
class AblationPoint:
    """The accuracy of a probe that sees some neurons alone.

    Attributes:
        test: name of the test.
        epoch: of the encoder; None where it has none.
        ranking: the ranking's name; "" where all neurons are kept.
        manner: "zeroed": the run's own probes, the other columns set to 0; "retrained": new probes of the kept ones.
        kept: which neurons of the ranking: "top" or "bottom"; "random": as many drawn from all; "all".
        n_neurons: how many are kept.
        accuracy: on test items, 0 to 1, the mean over seeds.
        dev_accuracy: likewise on dev.
        correct: for each test item the share of seeds whose probe is right: float64 `[items]`.
        n_seeds: how many probes that are.
    """

    test: str
    epoch: int | None
    ranking: str
    manner: str
    kept: str
    n_neurons: int
    accuracy: float
    dev_accuracy: float
    correct: np.ndarray
    n_seeds: int


@dataclass(frozen=True, eq=False)
class KeptOrder:
    """In which order neurons are kept: of every size those that stand first.

    Attributes:
        ranking: the ranking's name.
        kept: "top", "bottom" or "random".
        order: int64 `[neurons]`, the one first that is kept longest.
    """

    ranking: str
    kept: str
    order: np.ndarray


def kept_orders(rankings: Sequence[Ranking], n_neurons: int) -> Iterator[KeptOrder]:
    """Yields the two ends of each ranking, and of a random one its start alone.

    A ranking that leaves neurons out ("gaussian") has no bottom.

    Args:
        rankings: of one test.
        n_neurons: of the encoder.
    """
    for ranking in rankings:
        if ranking.name == RANDOM:
            yield KeptOrder(ranking.name, RANDOM, ranking.order)
            continue
        yield KeptOrder(ranking.name, TOP, ranking.order)
        if len(ranking.order) == n_neurons:
            yield KeptOrder(ranking.name, BOTTOM, ranking.order[::-1].copy())


def kept_sizes(shares: Sequence[float], n_neurons: int) -> list[int]:
    """Returns how many of all neurons each share is, rising, each size once."""
    return sorted({n_of_share(n_neurons, share) for share in shares})


def zeroed_points(probed: ProbedTest, orders: Sequence[KeptOrder], sizes: Sequence[int]) -> list[AblationPoint]:
    """Scores the run's own probes, one of each seed, with all columns zeroed but the kept ones.

    Args:
        probed: the test; none of its probes failed.
        orders: of neurons that are kept.
        sizes: how many are, rising; an order that is shorter has fewer points.

    Returns:
        Points in the order of `orders` and `sizes`.
    """
    splits, points = _splits(probed), []
    for order in orders:
        within = [size for size in sizes if size <= len(order.order)]
        said = {split: _said(probed, vectors, order.order, within) for split, vectors in splits.items()}
        for place, size in enumerate(within):
            correct = [
                {split: said[split][seed][place] == probed.label_ids[split].numpy() for split in splits}
                for seed in range(len(probed.seeds))
            ]
            points.append(point_of(probed, order, ZEROED, size, correct))
    return points


def full_point(probed: ProbedTest) -> AblationPoint:
    """Scores the run's own probes, one of each seed, with all neurons."""
    n_neurons = probed.space.n_neurons
    (point,) = zeroed_points(probed, [KeptOrder("", FULL, np.arange(n_neurons))], [n_neurons])
    return point


def point_of(
    probed: ProbedTest, order: KeptOrder, manner: str, n_neurons: int, correct: Sequence[Mapping[str, np.ndarray]]
) -> AblationPoint:
    """Returns the point of some probes of one test.

    Args:
        probed, order, manner, n_neurons: what they saw.
        correct: of each probe, whether it is right: bool `[examples]` by split, dev and test. Without any the
            accuracies are NaN: all have failed.
    """
    none = {split: np.full(len(probed.rows[split]), np.nan) for split in SCORED}
    shares = {split: np.mean([of_probe[split] for of_probe in correct or [none]], axis=0) for split in SCORED}
    return AblationPoint(
        test=probed.test.name,
        epoch=probed.epoch,
        ranking=order.ranking,
        manner=manner,
        kept=order.kept,
        n_neurons=n_neurons,
        accuracy=float(shares["test"].mean()),
        dev_accuracy=float(shares["dev"].mean()),
        correct=shares["test"],
        n_seeds=len(correct),
    )


def predicted_from_first(
    vectors: torch.Tensor, weights: np.ndarray, biases: np.ndarray, order: np.ndarray, sizes: Sequence[int]
) -> list[np.ndarray]:
    """Returns what a linear probe says when only the first neurons of an order are not zeroed.

    The columns between two sizes are added to the scores of the smaller one, so that each is read once.

    Args:
        vectors: `[examples, neurons]`.
        weights: `[labels, neurons]`.
        biases: `[labels]`.
        order: int64 `[kept]`, neurons.
        sizes: how many of `order` are kept, rising.

    Returns:
        Label ids for each size: int64 `[examples]`.
    """
    scores = torch.from_numpy(biases).double().expand(len(vectors), -1)
    predicted = []
    for start, end in pairwise([0, *sizes]):
        for columns in torch.from_numpy(order[start:end]).split(COLUMNS_PER_BLOCK):
            scores = scores + vectors[:, columns].double() @ torch.from_numpy(weights)[:, columns].double().T
        predicted.append(scores.argmax(dim=1).numpy())
    return predicted


def _splits(probed: ProbedTest) -> dict[str, torch.Tensor]:
    return {split: probed.vectors[probed.rows[split]] for split in SCORED}


def _said(probed: ProbedTest, vectors: torch.Tensor, order: np.ndarray, sizes: Sequence[int]) -> list[list[np.ndarray]]:
    """Returns what the probe of each seed says, for each size."""
    of_seeds = zip(probed.weights, probed.biases, strict=True)
    return [predicted_from_first(vectors, weights, biases, order, sizes) for weights, biases in of_seeds]
