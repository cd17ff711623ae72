"""What is left of the accuracy of a run's own probes when they see some neurons alone, all other columns set to 0."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import torch

from polyprobe.analysis.neurons.neuron_settings import BOTTOM, FULL, RANDOM, WEIGHTS, NeuronSettings
from polyprobe.analysis.neurons.probed_test import ProbedTest, n_of_share
from polyprobe.analysis.neurons.rankings import Ranking, ranking_of_weights, rankings_of
from polyprobe.probing.baselines.columns import control_test
from polyprobe.splits import SPLITS

SCORED = ("dev", "test")
COLUMNS_PER_BLOCK = 256  # that are copied at a time, as float64


@dataclass(frozen=True, eq=False)
class AblationPoint:
    """The accuracy of a probe that sees some neurons alone."""

    ranking: str
    """The ranking's name; "" where all neurons are kept."""
    kept: str
    """Which neurons of the ranking: "top" or "bottom"; "random": as many drawn from all; "all"."""
    n_neurons: int
    accuracy: float
    """On test items, 0 to 1, the mean over seeds."""
    dev_accuracy: float
    """Likewise on dev."""
    correct: np.ndarray
    """For each test item the share of seeds whose probe is right: float64 `[items]`."""
    n_seeds: int
    """How many probes that are."""


def kept_orders(rankings: Sequence[Ranking]) -> Iterator[Ranking]:
    """Yields the two ends of each ranking, and of a random one its start alone: those first that are kept longest."""
    for ranking in rankings:
        if ranking.name == RANDOM:
            yield replace(ranking, kept=RANDOM)
            continue
        yield ranking
        yield replace(ranking, kept=BOTTOM, order=ranking.order[::-1].copy())


def kept_sizes(shares: Sequence[float], n_neurons: int) -> list[int]:
    """Returns how many of all neurons each share is, rising, each size once."""
    return sorted({n_of_share(n_neurons, share) for share in shares})


def zeroed_points(probed: ProbedTest, orders: Sequence[Ranking], sizes: Sequence[int]) -> list[AblationPoint]:
    """Scores the run's own probes, one of each seed, with all columns zeroed but the kept ones.

    Args:
        probed: the test; none of its probes failed.
        sizes: how many are, rising.

    Returns:
        Points in the order of `orders` and `sizes`.
    """
    splits = {split: probed.vectors[probed.rows[split]] for split in SCORED}
    points = []
    for order in orders:
        predicted = {
            split: [
                predicted_from_first(vectors, weights, biases, order.order, sizes)
                for weights, biases in zip(probed.weights, probed.biases, strict=True)
            ]
            for split, vectors in splits.items()
        }
        for place, size in enumerate(sizes):
            of_size = {split: [of_seed[place] for of_seed in predicted[split]] for split in SCORED}
            points.append(_point(probed, order, size, of_size))
    return points


def full_point(probed: ProbedTest) -> AblationPoint:
    """Scores the run's own probes, one of each seed, with all neurons."""
    n_neurons = probed.space.n_neurons
    (point,) = zeroed_points(probed, [Ranking("", np.arange(n_neurons), kept=FULL)], [n_neurons])
    return point


def _point(
    probed: ProbedTest, order: Ranking, n_neurons: int, predicted: Mapping[str, Sequence[np.ndarray]]
) -> AblationPoint:
    """Returns the point of what the probes predict, by split one int64 `[examples]` for each seed."""
    shares = {
        split: np.mean([of_seed == probed.label_ids[split].numpy() for of_seed in predicted[split]], axis=0)
        for split in SCORED
    }
    return AblationPoint(
        ranking=order.name,
        kept=order.kept,
        n_neurons=n_neurons,
        accuracy=float(shares["test"].mean()),
        dev_accuracy=float(shares["dev"].mean()),
        correct=shares["test"],
        n_seeds=len(probed.seeds),
    )


def predicted_from_first(
    vectors: torch.Tensor, weights: np.ndarray, biases: np.ndarray, order: np.ndarray, sizes: Sequence[int]
) -> list[np.ndarray]:
    """Returns what a linear probe says when only the first neurons of an order are not zeroed.

    The scores of the neurons between two sizes are added to the scores of the smaller one, so that each is read once.

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


def with_control_labels(probed: ProbedTest, seed: int) -> ProbedTest:
    """Returns a test with the labels of its control task, by the run's first seed, and the probes that learnt them."""
    assert probed.control_weights is not None
    assert probed.control_biases is not None
    test = control_test(probed.test, seed)
    label_ids = {split: torch.tensor(getattr(test, split).label_ids) for split in SPLITS}
    weights, biases = probed.control_weights, probed.control_biases
    return replace(probed, test=test, label_ids=label_ids, weights=weights, biases=biases)


@dataclass(frozen=True, eq=False)
class StudiedTest:
    """A test at an epoch: the orders of its neurons, and how well those do that are kept alone."""

    settings: NeuronSettings
    """How its neurons are looked at."""
    probed: ProbedTest
    control: ProbedTest | None
    """The same with the labels and probes of its control task; None without one."""
    rankings: Sequence[Ranking]
    """Those of the settings; of them that by weights alone at an epoch at which no neurons are kept."""
    by_weights: Ranking
    """The ranking by weights, whether the settings name it or not."""
    full: AblationPoint
    """Of all neurons."""
    full_control: AblationPoint | None
    """The same on the control task; None without one."""
    points: Sequence[AblationPoint]
    """Accuracies by number of neurons kept; none at an epoch at which none are."""


def studied_test(probed: ProbedTest, settings: NeuronSettings, seed: int, is_kept: bool) -> StudiedTest:
    """Ranks the neurons of a test and scores its probes with some of them.

    Args:
        seed: the first of the run, by which its control task was drawn.
        is_kept: whether neurons are kept alone at this epoch.
    """
    rankings = rankings_of(probed, [name for name in settings.rankings if is_kept or name == WEIGHTS])
    by_weights = [ranking for ranking in rankings if ranking.name == WEIGHTS] or [ranking_of_weights(probed)]
    control = None if probed.control_weights is None else with_control_labels(probed, seed)
    sizes = kept_sizes(settings.shares, probed.space.n_neurons)
    return StudiedTest(
        settings=settings,
        probed=probed,
        control=control,
        rankings=rankings,
        by_weights=by_weights[0],
        full=full_point(probed),
        full_control=None if control is None else full_point(control),
        points=zeroed_points(probed, list(kept_orders(rankings)), sizes) if is_kept else [],
    )
