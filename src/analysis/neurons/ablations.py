"""What is left of a probe's accuracy when it sees some neurons alone: zeroed, retrained, and the fewest that do."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain, groupby, pairwise
from operator import attrgetter

import numpy as np
import torch
from torch.nn import functional as F

from polyprobe.analysis.neurons.neuron_settings import BOTTOM, FULL, RANDOM, RETRAINED, ZEROED
from polyprobe.analysis.neurons.probed_test import ProbedTest, n_of_share
from polyprobe.analysis.neurons.rankings import Ranking
from polyprobe.probing.bank.bank import ROUNDS_EVERYWHERE_THE_SAME
from polyprobe.probing.bank.jobs import ProbeData, ProbeJob, ProbeOutcome
from polyprobe.probing.bank.outcome_cache import KeptOutcomes
from polyprobe.probing.bank.probe_spec import ProbeSpec
from polyprobe.probing.baselines.columns import control_test
from polyprobe.splits import SPLITS

SCORED = ("dev", "test")
COLUMNS_PER_BLOCK = 256  # that are copied at a time, as float64


@dataclass(frozen=True, eq=False)
class AblationPoint:
    """The accuracy of a probe that sees some neurons alone."""

    test: str
    epoch: int | None
    """Of the encoder; None where it has none."""
    ranking: str
    """The ranking's name; "" where all neurons are kept."""
    manner: str
    """"zeroed": the run's own probes, the other columns set to 0; "retrained": new probes of the kept ones."""
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


def kept_orders(rankings: Sequence[Ranking], n_neurons: int) -> Iterator[Ranking]:
    """Yields the two ends of each ranking, and of a random one its start alone: those first that are kept longest.

    A ranking that leaves neurons out ("gaussian") has no bottom.
    """
    for ranking in rankings:
        if ranking.name == RANDOM:
            yield replace(ranking, kept=RANDOM)
            continue
        yield ranking
        if len(ranking.order) == n_neurons:
            yield replace(ranking, kept=BOTTOM, order=ranking.order[::-1].copy())


def kept_sizes(shares: Sequence[float], n_neurons: int) -> list[int]:
    """Returns how many of all neurons each share is, rising, each size once."""
    return sorted({n_of_share(n_neurons, share) for share in shares})


def zeroed_points(probed: ProbedTest, orders: Sequence[Ranking], sizes: Sequence[int]) -> list[AblationPoint]:
    """Scores the run's own probes, one of each seed, with all columns zeroed but the kept ones.

    Args:
        probed: the test; none of its probes failed.
        sizes: how many are, rising; an order that is shorter has fewer points.

    Returns:
        Points in the order of `orders` and `sizes`.
    """
    splits = {split: probed.vectors[probed.rows[split]] for split in SCORED}
    points = []
    for order in orders:
        within = [size for size in sizes if size <= len(order.order)]
        said = {
            split: [
                predicted_from_first(vectors, weights, biases, order.order, within)
                for weights, biases in zip(probed.weights, probed.biases, strict=True)
            ]
            for split, vectors in splits.items()
        }
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
    (point,) = zeroed_points(probed, [Ranking("", np.arange(n_neurons), kept=FULL)], [n_neurons])
    return point


def point_of(
    probed: ProbedTest, order: Ranking, manner: str, n_neurons: int, correct: Sequence[Mapping[str, np.ndarray]]
) -> AblationPoint:
    """Returns the point of some probes of one test.

    Args:
        correct: of each probe, whether it is right: bool `[examples]` by split, dev and test. Without any the
            accuracies are NaN: all have failed.
    """
    none = {split: np.full(len(probed.rows[split]), np.nan) for split in SCORED}
    shares = {split: np.mean([of_probe[split] for of_probe in correct or [none]], axis=0) for split in SCORED}
    return AblationPoint(
        test=probed.test.name,
        epoch=probed.epoch,
        ranking=order.name,
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


def minimal_point(
    points: Sequence[AblationPoint], full: AblationPoint, ranking: str, tolerance: float
) -> AblationPoint | None:
    """Returns the smallest tried top of a ranking whose new probe is within the tolerance of the probe of all, on dev.

    Sizes are tried as they grow, and the first that is good enough counts (Dalvi et al. 2019, section 3.4), whatever
    the larger ones do. None where no size is good enough: all neurons are the minimal set.

    Args:
        points: of one test at one epoch.
        tolerance: of the accuracy on dev, 0 to 1.
    """
    tops = [point for point in points if (point.ranking, point.manner) == (ranking, RETRAINED) and point.kept != BOTTOM]
    enough = [point for point in tops if point.dev_accuracy >= full.dev_accuracy - tolerance]
    return min(enough, key=lambda point: point.n_neurons, default=None)


@dataclass(frozen=True, eq=False)
class KeptNeurons:
    """The neurons that new probes of a test see, one probe for each seed of the run."""

    probed: ProbedTest
    """The test, with its own labels or those of its control task."""
    order: Ranking
    n_neurons: int
    """How many of `order` are kept."""
    task: str
    """"test" or "control", whose labels they are."""
    spec: ProbeSpec
    """How the run's own probe of the first seed was trained: all keep its penalty, learning rate and epochs."""

    @property
    def columns(self) -> np.ndarray:
        """The kept neurons, rising: int64 `[kept]`."""
        return np.sort(self.order.order[: self.n_neurons])

    @property
    def key(self) -> str:
        """Names the probes, as those of a stage of probing are named."""
        epoch = "" if self.probed.epoch is None else f"/{self.probed.epoch}"
        return f"neurons/{self.task}/{self.probed.test.name}{epoch}"

    @property
    def width(self) -> int:
        """How many columns a probe has: those that are kept, and columns of zeros where these are few."""
        return max(self.n_neurons, ROUNDS_EVERYWHERE_THE_SAME)

    def jobs(self) -> list[ProbeJob]:
        """Returns a job for each seed; they share a copy of the kept columns of the test's items.

        Few columns get others of zeros beside them, which no score depends on: only from a width of 16 are probes
        trained side by side. The first weights are then drawn as those of 16 columns. Those of the columns of zeros
        have no slope but the penalty's, which takes them to 0. With penalty=squared nothing else is changed by them.
        With penalty=released they count in the norm until then, so that l2 pulls less at the kept weights meanwhile.
        """
        data = self._data()
        return [ProbeJob(data, self.spec, seed, self.key) for seed in self.probed.seeds]

    def names(self, source: str) -> list[str]:
        """Returns for each seed all that its outcome depends on, beside the settings of the run's probe."""
        labels = [tensor.numpy() for tensor in self.probed.label_ids.values()]
        content = _digest([np.array(list(self.probed.test.version.encode()), np.int64), *labels])
        spec = " ".join(f"{name}={value}" for name, value in asdict(self.spec).items())
        about = f"{source} {content} {self.key} {_digest([self.columns])} {spec}"
        return [f"{about} {seed}" for seed in self.probed.seeds]

    def _data(self) -> ProbeData:
        items, rows = self.probed.own_items()
        vectors = self.probed.vectors[items[:, None], torch.from_numpy(self.columns)].float()
        return ProbeData(
            vectors=F.pad(vectors, (0, self.width - self.n_neurons)),
            **{f"{split}_rows": of_split[:, None] for split, of_split in rows.items()},
            **{f"{split}_labels": self.probed.label_ids[split] for split in SPLITS},
            n_labels=len(self.probed.test.labels),
        )


def with_control_labels(probed: ProbedTest, seed: int) -> ProbedTest:
    """Returns a test with the labels of its control task, by the run's first seed, and the probes that learnt them."""
    assert probed.control_weights is not None
    assert probed.control_biases is not None
    test = control_test(probed.test, seed)
    label_ids = {split: torch.tensor(getattr(test, split).label_ids) for split in SPLITS}
    weights, biases = probed.control_weights, probed.control_biases
    return replace(probed, test=test, label_ids=label_ids, weights=weights, biases=biases)


def retrained_points(
    wanted: Sequence[KeptNeurons],
    source: str,
    train: Callable[[list[ProbeJob]], list[ProbeOutcome]],
    kept: KeptOutcomes,
) -> list[AblationPoint]:
    """Trains a probe of each choice of neurons and seed, all of one width together, and scores it.

    Only probes of one width can be trained side by side, so nothing is lost by one bank after another; what is trained
    is kept after each, and no more of the columns is in memory than it sees.

    Args:
        wanted: which neurons of which tests; those that keep the same ones share a probe.
        source: what the vectors are of: it names outcomes that are kept.
        train: trains jobs; returns their outcomes, outcome i for job i.

    Returns:
        Point i for choice i; NaN where all probes failed.
    """
    outcomes: dict[str, ProbeOutcome] = {}
    width = attrgetter("width")
    for _, of_width in groupby(sorted(wanted, key=width), key=width):
        outcomes |= _outcomes(list(of_width), source, train, kept)
    return [_point(one, [outcomes[name] for name in one.names(source)]) for one in wanted]


def _outcomes(
    wanted: Sequence[KeptNeurons],
    source: str,
    train: Callable[[list[ProbeJob]], list[ProbeOutcome]],
    kept: KeptOutcomes,
) -> dict[str, ProbeOutcome]:
    of_names = {tuple(one.names(source)): one for one in wanted}

    def made(new: list[str]) -> list[ProbeOutcome]:
        asked = {names: one for names, one in of_names.items() if not set(names).isdisjoint(new)}
        jobs = {name: job for names, one in asked.items() for name, job in zip(names, one.jobs(), strict=True)}
        return train([jobs[name] for name in new])

    return kept.read_or_make(chain.from_iterable(of_names), made)


def _point(one: KeptNeurons, outcomes: Sequence[ProbeOutcome]) -> AblationPoint:
    gold = {split: one.probed.label_ids[split].numpy() for split in ("dev", "test")}
    said = [{"dev": of.dev_predictions, "test": of.test_predictions} for of in outcomes if of.failed is None]
    correct = [{split: of_seed[split] == gold[split] for split in gold} for of_seed in said]
    return point_of(one.probed, one.order, RETRAINED, one.n_neurons, correct)


def _digest(arrays: Sequence[np.ndarray]) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(str(len(array)).encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
