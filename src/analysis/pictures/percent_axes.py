"""Sets the limits of axes and colours of percentages: close around what is drawn."""

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WHOLE = (0.0, 100.0)
MARGIN, SMALLEST_RANGE = 0.05, 10.0  # share of the range beyond what is drawn; percent
BEYOND = 2.0  # percent beyond 0 and 100, so that what lies there is seen


def limits(values: Iterable[float]) -> tuple[float, float]:
    """Returns the ends of an axis of percentages, around the lowest and the highest value; 0 and 100 without values.

    Args:
        values: all that is drawn, in percent: scores, ends of intervals, baselines; NaN is skipped.
    """
    known = [value for value in values if math.isfinite(value)]
    if not known:
        return WHOLE
    low, high = min(known), max(known)
    margin = max(MARGIN * (high - low), (SMALLEST_RANGE - (high - low)) / 2)
    return max(WHOLE[0] - BEYOND, low - margin), min(WHOLE[1] + BEYOND, high + margin)


def limit_heights(panels: Sequence["Axes"]) -> None:
    """Sets the y-axis of panels that share it, once all is drawn."""
    _set(panels, "y")


def limit_widths(axes: "Axes") -> None:
    """Sets the x-axis, once all is drawn."""
    _set([axes], "x")


def _set(panels: Sequence["Axes"], direction: str) -> None:
    ends = np.concatenate([getattr(panel.dataLim, f"interval{direction}") for panel in panels])
    for panel in panels:
        getattr(panel, f"set_{direction}lim")(*limits(ends.tolist()))
