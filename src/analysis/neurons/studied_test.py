"""What is found of the neurons of a test: rankings, accuracies by number of neurons, minimal sets."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice

from polyprobe.analysis.neurons.ablations import (
    AblationPoint,
    KeptNeurons,
    full_point,
    kept_orders,
    kept_sizes,
    minimal_point,
    with_control_labels,
    zeroed_points,
)
from polyprobe.analysis.neurons.neuron_settings import BOTTOM, WEIGHTS, NeuronSettings
from polyprobe.analysis.neurons.probed_test import ProbedTest, n_of_share
from polyprobe.analysis.neurons.rankings import Ranking, ranking_of_weights, rankings_of
from polyprobe.display.progress import each
from polyprobe.probing.bank.probe_spec import ProbeSpec
from polyprobe.probing.baselines.memory import majority_accuracy

Retrain = Callable[[Sequence[KeptNeurons]], list[AblationPoint]]
"""Trains new probes; returns point i for choice i."""


@dataclass(frozen=True, eq=False)
class StudiedTest:
    """A test at an epoch: the orders of its neurons and, once they are kept alone, how well they do."""

    settings: NeuronSettings
    """How its neurons are looked at."""
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
    full: AblationPoint
    """Of all neurons."""
    full_control: AblationPoint | None
    """The same on the control task; None without one."""
    points: Sequence[AblationPoint] = ()
    """Accuracies by number of neurons, zeroed and retrained."""
    minimal_controls: Mapping[str, AblationPoint] = field(default_factory=dict)
    """New probes of the minimal sets on the control task, by the ranking; empty without one. Their penalty is the one
    that was chosen for the test, as it is of the test's own new probes; that of `full_control` was chosen for the
    control task. So the selectivity of a minimal set is of one penalty, that of all neurons of two."""

    @property
    def orders(self) -> list[Ranking]:
        """In which orders neurons are kept; none at an epoch at which they are not."""
        return list(kept_orders(self.rankings, self.probed.space.n_neurons)) if self.is_kept else []

    @property
    def sizes(self) -> list[int]:
        """How many neurons are kept."""
        return kept_sizes(self.settings.shares, self.probed.space.n_neurons)

    @property
    def n_top(self) -> int:
        """How many neurons are the top ones by number."""
        return n_of_share(self.probed.space.n_neurons, self.settings.top_share)

    @property
    def kept(self) -> list[KeptNeurons]:
        """What new probes see."""
        return [
            KeptNeurons(self.probed, order, size, "test", self.spec)
            for order in self.orders
            for size in self.sizes
            if size <= len(order.order)
        ]

    @property
    def kept_of_control(self) -> list[KeptNeurons]:
        """What new probes on the control task see: the minimal sets."""
        if self.control is None:
            return []
        tops = {order.name: order for order in self.orders if order.kept != BOTTOM}
        return [
            KeptNeurons(self.control, tops[name], point.n_neurons, "control", self.spec)
            for name, point in self.minimal.items()
            if point is not None
        ]

    @cached_property
    def minimal(self) -> dict[str, AblationPoint | None]:
        """The minimal set of each ranking that is kept, but of those that have none; None where it is all neurons."""
        names = dict.fromkeys(order.name for order in self.orders if order.name not in self.without_minimal)
        return {name: minimal_point(self.points, self.full, name, self.settings.tolerance) for name in names}

    @cached_property
    def without_minimal(self) -> dict[str, str]:
        """Why a ranking has no minimal set: the probe of all neurons knows no more than which label is the most
        frequent, or the ranking leaves neurons out and those that it selects are too few."""
        train, dev = (self.probed.label_ids[split].tolist() for split in ("train", "dev"))
        if self.full.dev_accuracy <= majority_accuracy(train, dev):
            names = (order.name for order in self.orders)
            return dict.fromkeys(names, "all neurons are not above the majority on dev")
        reasons = {}
        for order in self.orders:
            n, is_whole = len(order.order), len(order.order) == self.probed.space.n_neurons
            if not is_whole and minimal_point(self.points, self.full, order.name, self.settings.tolerance) is None:
                tried = max(size for size in self.sizes if size <= n)
                reasons[order.name] = f"not within its first {tried:,}, the most tried of its {n:,}"
        return reasons


def ranked_test(probed: ProbedTest, spec: ProbeSpec, settings: NeuronSettings, seed: int, is_kept: bool) -> StudiedTest:
    """Ranks the neurons of a test; `seed` is the first of the run."""
    names = [name for name in settings.rankings if is_kept or name == WEIGHTS]
    rankings = rankings_of(probed, names, settings.gaussian_neurons)
    by_weights = [ranking for ranking in rankings if ranking.name == WEIGHTS] or [ranking_of_weights(probed)]
    control = None if probed.control_weights is None else with_control_labels(probed, seed)
    full_control = None if control is None else full_point(control)
    return StudiedTest(
        settings, probed, control, spec, rankings, by_weights[0], is_kept, full_point(probed), full_control
    )


def studied_tests(ranked: Sequence[StudiedTest], retrain: Retrain) -> list[StudiedTest]:
    """Keeps some neurons alone: first in the probes that there are, then in new ones, then on control tasks.

    New probes of all tests are trained together, then those of all minimal sets on the control tasks.
    """
    zeroed = [
        zeroed_points(one.probed, one.orders, one.sizes) for one in each(ranked, "scoring with columns zeroed", "tests")
    ]
    retrained = _of_each_test(retrain, [one.kept for one in ranked])
    found = [
        replace(one, points=[*of_probes, *of_new])
        for one, of_probes, of_new in zip(ranked, zeroed, retrained, strict=True)
    ]
    controls = _of_each_test(retrain, [one.kept_of_control for one in found])
    return [
        replace(one, minimal_controls={point.ranking: point for point in points})
        for one, points in zip(found, controls, strict=True)
    ]


def _of_each_test(retrain: Retrain, wanted: Sequence[Sequence[KeptNeurons]]) -> list[list[AblationPoint]]:
    """Trains the new probes of all tests together; returns the points of each."""
    points = iter(retrain([one for of_test in wanted for one in of_test]))
    return [list(islice(points, len(of_test))) for of_test in wanted]
