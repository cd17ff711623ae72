"""How far a similarity would vary with the items: random halves of them, without replacement.

A bootstrap draws items twice, and two copies of an item are exactly alike in every layer: measures that compare items
with one another (CKA) come out too high. Half-samples have no copies. The variance of a statistic over random
halves, about their own mean, is that of the statistic over samples of all items (the delete-half jackknife: Shao and Wu
1989; subsampling with the finite population's correction: Politis and Romano 1994), as far as it is smooth:
1 / (n/2) - 1/n = 1/n. About the value for all items it would hold what a biased measure gains in all halves alike by
having fewer items, which is no variation. It is too large, by up to the square root of 3, where two layers have nothing
in common. An interval ends where the measure does: at 1, and at 0 or -1.

Of 300 samples of 60, 200 and 1,000 items each, from normal and from heavier-tailed (Student, 5 degrees) mixtures of
common causes whose CKA is 0.18, 96 to 98 % of the intervals of cka held it; all of them did where it is 0
(`python -m benchmarks.similarity_intervals`). An interval is one about the measure at this number of items: maxcorr
and lincka, which are biased, fall with more of them.

Items are dealt at random to groups of equal size, and a half is half of the groups: sums over a group are made once and
serve all halves. So few groups leave the standard deviation uncertain, hence Student's t in the interval.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from polyprobe.metrics.bootstrap import CONFIDENCE
from polyprobe.seeds import derived_seed

GROUPS = 32
LEAST_ITEMS = 8


@dataclass(frozen=True, eq=False)
class HalfSamples:
    """Items dealt to groups, and halves of the groups."""

    places: np.ndarray
    """Where each item stands when the groups lie one after the other, each padded to `group_size` rows: int64
    `[items]`."""
    n_groups: int
    """Even, but for a single group where there are no halves."""
    group_size: int
    """Rows of a group, padding included."""
    is_drawn: np.ndarray
    """bool `[halves, groups]`, half of the groups in each."""

    @property
    def n_rows(self) -> int:
        """Rows of all groups, padding included."""
        return self.n_groups * self.group_size

    @property
    def weights(self) -> np.ndarray:
        """1 at rows with an item, 0 at padding: float64 `[rows]`."""
        weights = np.zeros(self.n_rows)
        weights[self.places] = 1
        return weights

    def items(self, half: int) -> np.ndarray:
        """Returns which items a half has: bool `[items]`."""
        return self.is_drawn[half][self.places // self.group_size]

    def interval(self, values: np.ndarray, halves: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns both ends of the 95 % interval about values: their mean error is that of the halves.

        Args:
            values: of all items, of any shape.
            halves: the same in each half, `[halves, …]`; NaN where there is none.

        Returns:
            NaN where fewer than half of the halves, or fewer than two, have a value.
        """
        is_there = np.isfinite(halves)
        n_there = is_there.sum(axis=0)
        known = np.where(is_there, halves, 0)
        squares = np.where(is_there, known - known.sum(axis=0) / np.maximum(n_there, 1), 0) ** 2
        has_enough = (n_there >= 2) & (2 * n_there >= len(halves))
        deviations = np.sqrt(squares.sum(axis=0) / np.maximum(n_there - 1, 1))
        reach = float(stdtrit(self.n_groups - 1, (1 + CONFIDENCE) / 2)) * np.where(has_enough, deviations, np.nan)
        return values - reach, values + reach


def half_samples(n_items: int, resamples: int, seed: int) -> HalfSamples:
    """Deals items to groups and draws halves.

    Args:
        n_items: at least `LEAST_ITEMS`, if there are halves.
        seed: the same numbers give the same halves.
    """
    assert not resamples or n_items >= LEAST_ITEMS, f"{n_items} items are too few for halves"
    generator = np.random.default_rng(derived_seed(seed, "half-samples"))
    n_groups = max(1, min(GROUPS, n_items // 4 * 2))
    groups = np.array_split(generator.permutation(n_items), n_groups)
    group_size = len(groups[0])
    if group_size > 64:
        group_size += -group_size % 4  # so that blocks of such rows can be cut in four
    places = np.empty(n_items, np.int64)
    for number, group in enumerate(groups):
        places[np.sort(group)] = number * group_size + np.arange(len(group))
    is_drawn = np.zeros((resamples, n_groups), bool)
    for row in is_drawn:
        row[generator.permutation(n_groups)[: n_groups // 2]] = True
    return HalfSamples(places, n_groups, group_size, is_drawn)
