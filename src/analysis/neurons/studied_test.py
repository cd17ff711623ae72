"""What is found of the neurons of a test: rankings, accuracies by number of neurons, minimal sets."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

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
    retrained = _of_each_test(retrain, [one.kept(settings.shares) for one in ranked])
    found = [_without_controls(one, [*zeroed[place], *retrained[place]], settings) for place, one in enumerate(ranked)]
    controls = _of_each_test(retrain, [_of_control(one) for one in found])
    return [
        replace(one, minimal_controls={point.ranking: point for point in points})
        for one, points in zip(found, controls, strict=True)
    ]


def _of_each_test(retrain: Retrain, wanted: Sequence[Sequence[KeptNeurons]]) -> list[list[AblationPoint]]:
    """Trains the new probes of all tests together; returns the points of each."""
    points = iter(retrain([one for of_test in wanted for one in of_test]))
    return [list(islice(points, len(of_test))) for of_test in wanted]


def _without_controls(ranked: RankedTest, points: Sequence[AblationPoint], settings: NeuronSettings) -> StudiedTest:
    full = full_point(ranked.probed)
    reasons = _without_minimal(ranked, points, full, settings)
    names = [name for name in _names(ranked) if name not in reasons]
    return StudiedTest(
        ranked=ranked,
        points=points,
        full=full,
        full_control=None if ranked.control is None else full_point(ranked.control),
        minimal={name: minimal_point(points, full, name, settings.tolerance) for name in names},
        without_minimal=reasons,
        minimal_controls={},
    )


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


def _of_control(one: StudiedTest) -> list[KeptNeurons]:
    """Returns what new probes on the control task see: the minimal sets."""
    control = one.ranked.control
    if control is None:
        return []
    tops = {order.ranking: order for order in one.ranked.orders if order.kept != BOTTOM}
    return [
        KeptNeurons(control, tops[name], point.n_neurons, "control", one.ranked.spec)
        for name, point in one.minimal.items()
        if point is not None
    ]
