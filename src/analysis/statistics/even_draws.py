"""What chance makes of a share: how many of some neurons, drawn evenly from all, lie in a group."""

from dataclasses import dataclass

from scipy.stats import hypergeom

from src.metrics.bootstrap import CONFIDENCE


@dataclass(frozen=True, slots=True)
class EvenDraw:
    """How many of the drawn lie in a group, where each set of so many is as probable as any other."""

    expected: float
    """Their mean."""
    low: int
    high: int
    """The 95 % range: in at most 2.5 % of the draws they are fewer, in at most 2.5 % more."""


def even_draw(n_all: int, n_in_group: int, n_drawn: int) -> EvenDraw:
    """Draws without replacement (hypergeometric distribution).

    Args:
        n_all: from how many is drawn, at least 1.
        n_in_group: how many of them are in the group.
        n_drawn: how many are drawn.
    """
    distribution = hypergeom(n_all, n_in_group, n_drawn)
    low, high = distribution.interval(CONFIDENCE)
    return EvenDraw(n_drawn * n_in_group / n_all, int(low), int(high))
