"""Says how many of the first neurons two orders share, and how many chance would make them share."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from src.analysis.neurons.probed_test import ProbedTest
from src.analysis.neurons.rankings import ranking_of_weights
from src.analysis.statistics.significance import even_draw
from src.metrics.neurons import overlap

TESTS, RANKINGS, SEEDS, CONTROL = "tests", "rankings", "seeds", "control"


@dataclass(frozen=True, slots=True)
class OverlapRow:
    """What two orders of the same neurons have in common: a line of `overlaps.csv`."""

    of: str
    """What is compared: TESTS, RANKINGS (of one test), SEEDS (of its probe), or CONTROL (the test and its control
    task)."""
    test: str | None
    """Whose rankings, seeds or control task; None where tests are compared."""
    epoch: int | None
    """None where the encoder has no epochs."""
    first: str
    """One of the two, by name."""
    second: str
    n: int
    """How many neurons of either are compared, its first."""
    share: float
    """Of these n, how many are among the other's first n, 0 to 1."""
    expected: float
    """The share if n neurons were drawn evenly from all for each."""
    low: float
    """Lower end of the 95 % range of such draws."""
    high: float


@dataclass(frozen=True, eq=False)
class Overlaps:
    """The overlaps of several orders with one another."""

    names: tuple[str, ...]
    n: int
    """How many neurons of each are compared."""
    n_neurons: int
    """How many there are."""
    shares: np.ndarray
    """Of `n` that two have in common, 0 to 1, symmetric, 1 on the diagonal: float64 `[orders, orders]`."""

    @cached_property
    def by_chance(self) -> tuple[float, float, float]:
        """The share, mean and 95 % range, of two sets of `n` neurons that are each drawn evenly from all."""
        draw = even_draw(self.n_neurons, self.n, self.n)
        return draw.expected / self.n, draw.low / self.n, draw.high / self.n

    def rows(self, of: str, test: str | None, epoch: int | None) -> list[OverlapRow]:
        """Returns a row for each pair of orders; arguments as the columns of `OverlapRow`."""
        pairs = itertools.combinations(enumerate(self.names), 2)
        return [
            OverlapRow(of, test, epoch, first, second, self.n, float(self.shares[line, column]), *self.by_chance)
            for (line, first), (column, second) in pairs
        ]


def overlaps(orders: Mapping[str, np.ndarray], n: int, n_neurons: int) -> Overlaps:
    """Compares every two orders of the same neurons.

    Args:
        orders: by name: int64 `[neurons]`, the best first; a method may have selected fewer than all.
        n: how many of each are compared; where an order is shorter, as many as the shortest has.
        n_neurons: how many neurons there are.
    """
    n = min([n, *(len(order) for order in orders.values())])
    firsts = [order[:n] for order in orders.values()]
    shares = np.array([[overlap(one, other, n) for other in firsts] for one in firsts])
    return Overlaps(tuple(orders), n, n_neurons, shares)


def orders_of_seeds(probed: ProbedTest) -> dict[str, np.ndarray]:
    """Returns the rankings by weights of a test's probes, by "seed 1" and so on; a failed probe is left out."""
    return {
        f"seed {seed}": ranking_of_weights(of_seed, probed.train_labels).order
        for seed, of_seed in zip(probed.seeds, probed.weights, strict=True)
        if np.isfinite(of_seed).all()
    }
