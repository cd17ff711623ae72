"""The scale of vectors: mean and deviation of each column over train, and vectors standardised by them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

ROWS_AT_ONCE = 64  # float64 of so many stay in the cache of a CPU's core
# Of a float32: a column that deviates by no more than two units in its last place is constant but for rounding.
ROUNDING = 2 * float(np.finfo(np.float32).eps)
SMALLEST = float(np.finfo(np.float32).tiny)  # whose inverse is a float32, too


# Beyond these, probes of vectors as they are were seen to learn less (docs/probing.md).
LEAST_DEVIATION, MOST_DEVIATIONS, LARGEST_COLUMN = 0.2, 4, 100


@dataclass(frozen=True, eq=False)
class Scaling:
    """Mean and deviation of each column of vectors, by which they are standardised.

    A column that is constant over train is 0 in all vectors: no probe can learn from it, and outside of train it may
    have any value.
    """

    means: np.ndarray
    deviations: np.ndarray
    """float64 `[width]`, over the number of items; 0 of a constant column."""

    @classmethod
    def of(cls, vectors: Tensor, rows: Tensor) -> "Scaling":
        """Measures vectors `[items, width]` at `rows`, int64 of any shape; an item counts as often as it is there.

        Sums are of differences from the first row, in float64: those of a constant column are exactly 0.
        """
        rows, n_rows = rows.flatten(), rows.numel()
        first = vectors[rows[0]].double()
        memory = torch.empty(ROWS_AT_ONCE, len(first), dtype=torch.float64)
        sums, squares = torch.zeros(2, len(first), dtype=torch.float64)
        for block in rows.split(ROWS_AT_ONCE):
            differences = torch.sub(vectors.index_select(0, block), first, out=memory[: len(block)])
            sums += differences.sum(0)
            squares += differences.square_().sum(0)
        means = sums / n_rows
        deviations = (squares / n_rows - means.square()).clamp_(min=0).sqrt_()
        means += first
        deviations[deviations <= (ROUNDING * means.abs()).clamp_(min=SMALLEST)] = 0
        return cls(means.numpy(), deviations.numpy())

    @property
    def in_a_row(self) -> tuple[float, float, float]:
        """Returns mean (without its sign) and deviation of the median column, and how many times it the largest is.

        A column is as large as the root of its mean square. Columns that are 0 throughout count as none.
        """
        sizes = np.hypot(self.means, self.deviations)
        there = sizes > 0
        if not there.any():
            return 0.0, 0.0, 1.0
        medians = (float(np.median(one[there])) for one in (abs(self.means), self.deviations, sizes))
        mean, deviation, size = medians
        return mean, deviation, float(sizes.max()) / size

    def standardised(self, vectors: Tensor, rows: Tensor) -> Tensor:
        """Returns a copy of some rows of vectors, standardised: float32 `[rows, width]`."""
        copy = torch.empty(len(rows), vectors.shape[1])
        for chosen, out in zip(rows.split(ROWS_AT_ONCE), copy.split(ROWS_AT_ONCE), strict=True):
            self.standardise(out.copy_(vectors.index_select(0, chosen)))
        return copy

    def standardise(self, vectors: Tensor) -> Tensor:
        """Standardises float32 vectors `[…, width]` in place. The mean goes first, lest a large one take the digits."""
        return vectors.sub_(torch.from_numpy(self.means).float()).mul_(torch.from_numpy(self.factors))

    @cached_property
    def factors(self) -> np.ndarray:
        """What columns are multiplied by: float32 `[width]`, 0 for a constant one."""
        inverse = np.divide(1, self.deviations, out=np.zeros_like(self.deviations), where=self.deviations > 0)
        return inverse.astype(np.float32)


def far_from_one(mean: float, deviation: float, largest: float) -> str | None:
    """Says in words what about `Scaling.in_a_row` makes probes learn less; None where nothing does."""
    if deviation < LEAST_DEVIATION:
        return f"deviation {deviation:.3g}, below {LEAST_DEVIATION}"
    if mean > MOST_DEVIATIONS * deviation:
        return f"mean {mean:.3g}, more than {MOST_DEVIATIONS} deviations of {deviation:.3g}"
    is_far = largest > LARGEST_COLUMN
    return f"largest column {largest:,.0f} times the median one, more than {LARGEST_COLUMN}" if is_far else None
