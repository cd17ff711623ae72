"""Draws how many of their first neurons tests, rankings or seeds have in common."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from src.analysis.neurons.overlaps import Overlaps
from src.analysis.pictures.heat_maps import draw_cells
from src.analysis.pictures.panels import new_figure, save_figure, write_title
from src.analysis.results.rows import percent

CELL = 0.42  # inches


def draw_overlaps(found: Overlaps, of: str, said: Sequence[str], path: Path) -> list[Path]:
    """Writes the picture of `overlaps_figure` as PNG and PDF; `path` is without its ending. Returns the files."""
    return save_figure(overlaps_figure(found, of, said), path)


def overlaps_figure(found: Overlaps, of: str, said: Sequence[str]) -> Figure:
    """Draws a line and a column for each order: what percentage of its first neurons the two have in common.

    Colours are those of 0 to 100 %. The diagonal, an order with itself, is left empty.

    Args:
        found: the overlaps.
        of: whose orders they are, as the title says it ("tests, ranking weights").
        said: further lines of the title: the model, the run.
    """
    n_orders, names = len(found.names), list(found.names)
    percents = np.where(np.eye(n_orders, dtype=bool), np.nan, 100 * found.shares)
    side = CELL * n_orders + 0.085 * max(map(len, names))
    figure = new_figure(max(5.5, side + 1.6), max(3.2, side + 1.2))
    axes = figure.add_subplot()
    words = [["" if np.isnan(value) else f"{value:.0f}" for value in line] for line in percents]
    draw_cells(figure, axes, percents, "percent in common", words, (0, 100))
    axes.set_yticks(range(n_orders), names, fontsize=9)
    axes.set_xticks(range(n_orders), names, fontsize=9, rotation=45, ha="right")
    chance = found.by_chance
    counted = f"the first {found.n:,} of {found.n_neurons:,}"
    by_chance = f"by chance {percent(chance.expected)} % ({percent(chance.low)} to {percent(chance.high)})"
    write_title(figure, f"Neurons in common: {of}", f"{counted}; {by_chance}", *said)
    return figure
