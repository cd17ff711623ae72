"""What is found of the neurons of a test: rankings, accuracies by number of neurons, minimal sets."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from src.analysis.neurons.ablations import (
    AblationPoint,
    KeptNeurons,
    KeptOrder,
    full_point,
    kept_orders,
    kept_sizes,
    minimal_point,
    with_control_labels,
    zeroed_points,
)
from src.analysis.neurons.neuron_settings import NeuronSettings
from src.analysis.neurons.probed_test import ProbedTest
from src.analysis.neurons.rankings import Ranking, ranking_of_weights, rankings_of
from src.analysis.neurons.row_names import BOTTOM, WEIGHTS
from src.display.progress import each
from src.probing.bank.probe_spec import ProbeSpec
from src.probing.baselines.memory import majority_accuracy

Retrain = Callable[[Sequence[KeptNeurons]], list[AblationPoint]]
"""Trains new probes; returns point i for choice i."""


@dataclass(frozen=True, eq=False)
class RankedTest:
    """A test at an epoch with the orders of its neurons."""

    probed: ProbedTest
    control: ProbedTest | None
    """The same with the labels and probes of its control task; None without one."""
    spec: ProbeSpec
    """How the probe of the first seed was trained, with the penalty that was chosen."""
    rankings: Sequence[Ranking]
    """Those that were asked for; of them that by weights alone at an epoch at which none is kept."""
    by_weights: Ranking
    """The ranking by weights, whether asked for or not."""
    is_kept: bool
    """Whether neurons are kept alone at this epoch."""

    @property
    def orders(self) -> list[KeptOrder]:
        """In which orders neurons are kept; none at an epoch at which they are not."""
        return list(kept_orders(self.rankings, self.probed.space.n_neurons)) if self.is_kept else []

    def sizes(self, shares: Sequence[float]) -> list[int]:
        """Returns how many neurons are kept."""
        return kept_sizes(shares, self.probed.space.n_neurons)

    def kept(self, shares: Sequence[float]) -> list[KeptNeurons]:
        """Returns what new probes see."""
        return [
            KeptNeurons(self.probed, order, size, "test", self.spec)
            for order in self.orders
            for size in self.sizes(shares)
            if size <= len(order.order)
        ]


@dataclass(frozen=True, eq=False)
class StudiedTest:
    """A test at an epoch with what follows from its rankings."""

    ranked: RankedTest
    points: Sequence[AblationPoint]
    """Accuracies by number of neurons, zeroed and retrained."""
    full: AblationPoint
    """Of all neurons."""
    full_control: AblationPoint | None
    """Of all neurons on the control task; None without one."""
    minimal: Mapping[str, AblationPoint | None]
    """The minimal set of each ranking that is kept, but of those that have none; None where it is all neurons."""
    without_minimal: Mapping[str, str]
    """Why a ranking has no minimal set: the probe of all neurons knows no more than which label is the most frequent,
    or the ranking leaves neurons out and those that it selects are too few."""
    minimal_controls: Mapping[str, AblationPoint]
    """New probes of the same neurons on the control task, by the ranking; empty without one. Their penalty is the one
    that was chosen for the test, as it is of the test's own new probes; that of `full_control` was chosen for the
    control task. So the selectivity of a minimal set is of one penalty, that of all neurons of two."""


def ranked_test(probed: ProbedTest, spec: ProbeSpec, settings: NeuronSettings, seed: int, is_kept: bool) -> RankedTest:
    """Ranks the neurons of a test; `seed` is the first of the run."""
    names = [name for name in settings.rankings if is_kept or name == WEIGHTS]
    rankings = rankings_of(probed, names, settings.gaussian_neurons)
    by_weights = [ranking for ranking in rankings if ranking.name == WEIGHTS]
    control = None if probed.control_weights is None else with_control_labels(probed, seed)
    first = (by_weights or [ranking_of_weights(probed.weights[0], probed.train_labels)])[0]
    return RankedTest(probed, control, spec, rankings, first, is_kept)


def studied_tests(ranked: Sequence[RankedTest], settings: NeuronSettings, retrain: Retrain) -> list[StudiedTest]:
    """Keeps some neurons alone: first in the probes that there are, then in new ones, then on control tasks.

    New probes of all tests are trained together, then those of all minimal sets on the control tasks.
    """
    zeroed = [
        zeroed_points(one.probed, one.orders, one.sizes(settings.shares))
        for one in each(ranked, "scoring with columns zeroed", "tests")
    ]
    kept = [one.kept(settings.shares) for one in ranked]
    retrained = _cut(retrain([choice for of_test in kept for choice in of_test]), [len(of_test) for of_test in kept])
    points = [[*one, *other] for one, other in zip(zeroed, retrained, strict=True)]
    full = [full_point(one.probed) for one in ranked]
    without = [_without_minimal(one, *found, settings) for one, *found in zip(ranked, points, full, strict=True)]
    minimal = [
        {name: minimal_point(*found, name, settings.tolerance) for name in _names(one) if name not in reasons}
        for one, reasons, *found in zip(ranked, without, points, full, strict=True)
    ]
    wanted = [_of_control(one, sets) for one, sets in zip(ranked, minimal, strict=True)]
    controls = _cut(retrain([choice for of_test in wanted for choice in of_test]), [len(of_test) for of_test in wanted])
    return [
        StudiedTest(
            ranked=one,
            points=points[place],
            full=full[place],
            full_control=None if one.control is None else full_point(one.control),
            minimal=minimal[place],
            without_minimal=without[place],
            minimal_controls={point.ranking: point for point in controls[place]},
        )
        for place, one in enumerate(ranked)
    ]


def _names(one: RankedTest) -> list[str]:
    """Returns the names of the rankings that are kept."""
    return list(dict.fromkeys(order.ranking for order in one.orders))


def _without_minimal(
    one: RankedTest, points: Sequence[AblationPoint], full: AblationPoint, settings: NeuronSettings
) -> dict[str, str]:
    """Says of rankings without a minimal set why they have none."""
    train, dev = (one.probed.label_ids[split].tolist() for split in ("train", "dev"))
    if full.dev_accuracy <= majority_accuracy(train, dev):
        return dict.fromkeys(_names(one), "all neurons are not above the majority on dev")
    reasons = {}
    for order in one.orders:
        is_whole = len(order.order) == one.probed.space.n_neurons
        if not is_whole and minimal_point(points, full, order.ranking, settings.tolerance) is None:
            tried = [size for size in one.sizes(settings.shares) if size <= len(order.order)]
            reasons[order.ranking] = f"not within its first {tried[-1]:,}, the most tried of its {len(order.order):,}"
    return reasons


def _of_control(one: RankedTest, minimal: Mapping[str, AblationPoint | None]) -> list[KeptNeurons]:
    if one.control is None:
        return []
    tops = {order.ranking: order for order in one.orders if order.kept != BOTTOM}
    return [
        KeptNeurons(one.control, tops[name], point.n_neurons, "control", one.spec)
        for name, point in minimal.items()
        if point is not None
    ]


def _cut(points: Sequence[AblationPoint], lengths: Sequence[int]) -> list[list[AblationPoint]]:
    ends = np.cumsum(lengths).tolist()
    return [list(points[end - length : end]) for end, length in zip(ends, lengths, strict=True)]
