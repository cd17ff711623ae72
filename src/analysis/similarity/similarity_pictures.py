"""Draws similarities: a heat map of all layers of all encoders."""

from collections.abc import Iterator, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from polyprobe.analysis.pictures.heat_maps import draw_cells
from polyprobe.analysis.pictures.panels import new_figure, ticks, write_title
from polyprobe.analysis.similarity.similarity_grid import SimilarityGrid, number
from polyprobe.display.progress import each
from polyprobe.formats.files.file_names import file_name

MOST_LAYERS_WITH_NUMBERS = 16
MOST_TICKS = 66
CELL, LETTER = 0.16, 0.075  # inches, of a cell and of a letter at a block
BESIDE, ABOVE_AND_BELOW = 2.2, 2.0  # inches: names of layers, bar of colours, title
SMALLEST_SIDE, LARGEST_SIDE = 3.2, 13.0  # inches


def similarity_pictures(grids: Sequence[SimilarityGrid]) -> Iterator[tuple[str, Figure]]:
    """Yields all pictures, of the items of each test, with their names.

    Colours go from the lowest to the highest value.
    """
    drawn = [(grid, measure) for grid in grids for measure in grid.measures]
    for grid, measure in each(drawn, "drawing", "pictures"):
        yield file_name(f"{measure}-{grid.first['test']}"), heat_map_figure(grid, measure)


def heat_map_figure(grid: SimilarityGrid, measure: str) -> Figure:
    """Draws the similarity of all layers of all encoders; lines between encoders, whose names stand at their blocks."""
    values = grid.measures[measure].values
    n = len(values)
    has_numbers = n <= MOST_LAYERS_WITH_NUMBERS
    side = float(np.clip((3 if has_numbers else 1) * CELL * n, SMALLEST_SIDE, LARGEST_SIDE))
    name = max(map(len, grid.short_labels.values())) * LETTER if len(grid.blocks) > 1 else 0
    figure = new_figure(side + BESIDE + name, side + ABOVE_AND_BELOW + name / 2)
    axes = figure.add_subplot()
    known = values[~np.isnan(values)].tolist()
    ends = (min(known), max(known))
    words = [["" if np.isnan(value) else number(value) for value in line] for line in values] if has_numbers else None
    draw_cells(figure, axes, values, measure, words, ends)
    places = ticks(n, MOST_TICKS)
    names = [grid.layers[place].name for place in places]
    small = 8 if n <= 40 else 5
    axes.set_xticks(places, names, rotation=90, fontsize=small)
    axes.set_yticks(places, names, fontsize=small)
    _draw_blocks(axes, grid)
    direction = "" if grid.measures[measure].is_symmetric else "row: neurons to be matched; column: layer searched"
    _write_title(figure, grid, f"Similarity of layers: {measure}", direction)
    return figure


def _draw_blocks(axes: Axes, grid: SimilarityGrid) -> None:
    """Draws lines between encoders, and writes their names above and at the right.

    Names above slant over their neighbours: a single layer that is named as its encoder is has its name below already.
    """
    blocks = grid.blocks
    for places in list(blocks.values())[1:]:
        axes.axhline(places[0] - 0.5, color="white", linewidth=2)
        axes.axvline(places[0] - 0.5, color="white", linewidth=2)
    if len(blocks) == 1:
        return
    centres = [(places[0] + places[-1]) / 2 for places in blocks.values()]
    names = [grid.short_labels[source] for source in blocks]
    above, right = axes.secondary_xaxis("top"), axes.secondary_yaxis("right")
    is_said = [
        len(places) == 1 and grid.layers[places[0]].name == name
        for places, name in zip(blocks.values(), names, strict=True)
    ]
    titles = ["" if said else name for name, said in zip(names, is_said, strict=True)]
    above.set_xticks(centres, titles, fontsize=8, rotation=30, ha="left", rotation_mode="anchor")
    right.set_yticks(centres, names, fontsize=8)
    for one in (above, right):
        one.tick_params(length=0)


def _write_title(figure: Figure, grid: SimilarityGrid, *lines: str) -> None:
    row = grid.first
    write_title(figure, *lines, f"lang={row['lang']}, {row['suite']} {row['test']}, n={row['n']}")
