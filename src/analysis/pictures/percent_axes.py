"""Sets the limits of axes and colours of percentages: close around what is drawn, or from 0 to 100."""

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from polyprobe.errors import check_choice

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CLOSE, FULL = "close", "full"
EXTENTS = (CLOSE, FULL)
WHOLE = (0.0, 100.0)
MARGIN, SMALLEST_RANGE = 0.05, 10.0  # share of the range beyond what is drawn; percent
BEYOND = 2.0  # percent beyond 0 and 100, so that what lies there is seen


def checked_extent(axis: object) -> str:
    """Checks the key `pictures.axis`.

    Raises:
        UnknownChoice: it is neither "close" nor "full".
    """
    check_choice("pictures.axis", axis, EXTENTS)
    return str(axis)


def limits(values: Iterable[float], axis: str) -> tuple[float, float]:
    """Returns the ends of an axis of percentages: 0 and 100, or around the lowest and the highest value.

    Args:
        values: all that is drawn, in percent: scores, ends of intervals, baselines; NaN is skipped.
        axis: one of `EXTENTS`.
    """
    known = [value for value in values if math.isfinite(value)]
    if axis == FULL or not known:
        return WHOLE
    low, high = min(known), max(known)
    margin = max(MARGIN * (high - low), (SMALLEST_RANGE - (high - low)) / 2)
    return max(WHOLE[0] - BEYOND, low - margin), min(WHOLE[1] + BEYOND, high + margin)


def limit_heights(panels: Sequence["Axes"], axis: str) -> None:
    """Sets the y-axis of panels that share it, once all is drawn."""
    _set(panels, "y", axis)


def limit_widths(axes: "Axes", axis: str) -> None:
    """Sets the x-axis, once all is drawn."""
    _set([axes], "x", axis)


def _set(panels: Sequence["Axes"], direction: str, axis: str) -> None:
    ends = np.concatenate([getattr(panel.dataLim, f"interval{direction}") for panel in panels])
    for panel in panels:
        getattr(panel, f"set_{direction}lim")(*limits(ends.tolist(), axis))
