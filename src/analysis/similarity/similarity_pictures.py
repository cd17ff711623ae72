"""Draws similarities: a heat map of all layers of all encoders, curves over layers, over epochs, of seeds."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from polyprobe.analysis.pictures.heat_maps import draw_cells
from polyprobe.analysis.pictures.panels import (
    COLOURS,
    GREY,
    MARKERS,
    draw_legend_below,
    new_figure,
    new_panels,
    write_title,
)
from polyprobe.analysis.pictures.percent_axes import FULL
from polyprobe.analysis.similarity.measures import Similarities
from polyprobe.analysis.similarity.similarity_grid import SimilarityGrid, number, spread
from polyprobe.display.progress import each
from polyprobe.formats.files.file_names import file_name

MOST_LAYERS_WITH_NUMBERS = 16
MOST_TICKS = 66
MOST_TICKS_OF_PANEL = 9
LONGEST_LEVEL_NAME = 3  # characters of a layer
CELL, LETTER = 0.16, 0.075  # inches, of a cell and of a letter at a block
BESIDE, ABOVE_AND_BELOW = 2.2, 2.0  # inches: names of layers, bar of colours, title
SMALLEST_SIDE, LARGEST_SIDE = 3.2, 13.0  # inches
SHUFFLED = {"linestyle": ":", "linewidth": 1.0, "markersize": 2.5, "markerfacecolor": "white"}
Pairs = Mapping[str, Sequence[tuple[int, int]]]


def similarity_pictures(grids: Sequence[SimilarityGrid], axis: str) -> Iterator[tuple[str, Figure]]:
    """Yields all pictures, of the items of each test, with their names.

    Colours go from the lowest to the highest value by axis=close, from 0 to 1 by axis=full.
    """
    drawn = [
        (file_name(f"{name}-{grid.first['test']}"), figure)
        for grid in grids
        for name, figure in _figures(grid, axis).items()
    ]
    for name, figure in each(drawn, "drawing", "pictures"):
        yield name, figure()


def _figures(grid: SimilarityGrid, axis: str) -> dict[str, Callable[[], Figure]]:
    """Returns what draws each picture that there is something for, by its name."""
    figures = {measure: partial(heat_map_figure, grid, measure, axis) for measure in grid.measures}
    if sum(len(grid.successors(source)) for source in grid.blocks) > 1:  # a single pair is in the table
        figures["next_layer"] = partial(successors_figure, grid)
    for measure in grid.measures:
        if any(map(grid.with_last_epoch, grid.blocks)):
            figures[f"{measure}-last_epoch"] = partial(last_epoch_figure, grid, measure)
        if grid.trained_alike:
            figures[f"{measure}-same_epoch"] = partial(same_epoch_figure, grid, measure)
    return figures


def heat_map_figure(grid: SimilarityGrid, measure: str, axis: str) -> Figure:
    """Draws the similarity of all layers of all encoders; lines between encoders, whose names stand at their blocks."""
    values = grid.measures[measure].values
    n = len(values)
    has_numbers = n <= MOST_LAYERS_WITH_NUMBERS
    side = float(np.clip((3 if has_numbers else 1) * CELL * n, SMALLEST_SIDE, LARGEST_SIDE))
    name = max(map(len, grid.short_labels.values())) * LETTER if len(grid.blocks) > 1 else 0
    figure = new_figure(side + BESIDE + name, side + ABOVE_AND_BELOW + name / 2)
    axes = figure.add_subplot()
    known = values[~np.isnan(values)].tolist()
    ends = (min(0.0, *known), max(1.0, *known)) if axis == FULL else (min(known), max(known))
    words = [["" if np.isnan(value) else number(value) for value in line] for line in values] if has_numbers else None
    draw_cells(figure, axes, values, measure, words, ends)
    places = spread(n, MOST_TICKS)
    names = [grid.layers[place].name for place in places]
    small = 8 if n <= 40 else 5
    axes.set_xticks(places, names, rotation=90, fontsize=small)
    axes.set_yticks(places, names, fontsize=small)
    _draw_blocks(axes, grid)
    direction = "" if grid.measures[measure].is_symmetric else "row: neurons to be matched; column: layer searched"
    _write_title(figure, grid, f"Similarity of layers: {measure}", direction)
    return figure


def successors_figure(grid: SimilarityGrid) -> Figure:
    """Draws each layer with the next one: a panel per measure, a curve per encoder in its 95 % band, chance dotted."""
    figure, panels = new_panels(len(grid.measures), "lower layer of the two")
    names = _lower_layers(grid)
    places = spread(len(names), MOST_TICKS_OF_PANEL)
    rotation = 45 if max(map(len, names)) > LONGEST_LEVEL_NAME else 0
    for panel, (measure, values) in zip(panels, grid.measures.items(), strict=True):
        panel.set_title(measure)
        curves = {grid.labels[source]: grid.successors(source) for source in grid.blocks}
        _draw_curves(panel, values, {name: pairs for name, pairs in curves.items() if pairs}, None)
        panel.set_xticks(places, [names[place] for place in places], fontsize=8, rotation=rotation)
        panel.set_xlim(-0.3, len(names) - 0.7)
    figure.supylabel("similarity", fontsize=10)
    _write_title(figure, grid, "Each layer vs. the next layer")
    draw_legend_below(figure, panels[0])
    return figure


def _lower_layers(grid: SimilarityGrid) -> list[str]:
    """Returns the name of the lower layer of each pair of successors; those of several encoders below each other."""
    names: dict[int, dict[str, None]] = {}
    for source in grid.blocks:
        for place, (lower, _) in enumerate(grid.successors(source)):
            names.setdefault(place, {})[grid.layers[lower].layer] = None
    return ["\n".join(of_place) for of_place in names.values()]


def last_epoch_figure(grid: SimilarityGrid, measure: str) -> Figure:
    """Draws how alike the layers at each epoch and at the last one are: a panel per encoder, a curve per layer."""
    panels = {grid.labels[source]: grid.with_last_epoch(source) for source in grid.blocks}
    return _epochs_figure(grid, measure, panels, f"Each epoch with the last one: {measure}")


def same_epoch_figure(grid: SimilarityGrid, measure: str) -> Figure:
    """Draws how alike layers of one name are in two models at the same epoch: a panel per pair, a curve per layer."""
    panels = {"\n".join(grid.labels[one] for one in pair): grid.same_epochs(*pair) for pair in grid.trained_alike}
    return _epochs_figure(grid, measure, panels, f"The same epoch of two models: {measure}")


def _epochs_figure(grid: SimilarityGrid, measure: str, curves: Mapping[str, Pairs], title: str) -> Figure:
    curves = {name: of_panel for name, of_panel in curves.items() if of_panel}
    figure, panels = new_panels(len(curves), "epoch")
    for panel, (name, of_panel) in zip(panels, curves.items(), strict=True):
        panel.set_title(name, fontsize=8, wrap=True)
        _draw_curves(panel, grid.measures[measure], of_panel, lambda pair: grid.layers[pair[0]].epoch)
        panel.xaxis.set_major_locator(MaxNLocator(integer=True))
    figure.supylabel(measure, fontsize=10)
    _write_title(figure, grid, title)
    draw_legend_below(figure, max(panels, key=lambda panel: len(panel.get_legend_handles_labels()[0])))
    return figure


def _draw_curves(axes: Axes, values: Similarities, curves: Pairs, place_of: Callable | None) -> None:
    """Draws a curve for each name, in its band, and the values by chance; `place_of` a pair, or else its number."""
    for order, (name, pairs) in enumerate(curves.items()):
        at = [number if place_of is None else place_of(pair) for number, pair in enumerate(pairs)]
        places = tuple(np.array(pairs).T)
        look = {"color": COLOURS[order % len(COLOURS)], "marker": MARKERS[order % len(MARKERS)]}
        axes.plot(at, values.values[places], label=name, markersize=3.5, linewidth=1.6, **look)
        axes.fill_between(at, values.low[places], values.high[places], color=look["color"], alpha=0.2, linewidth=0)
        axes.plot(at, values.permuted[places], **{**look, **SHUFFLED})
    axes.plot([], [], color=GREY, marker="o", label="chance level (items permuted)", **SHUFFLED)
    axes.grid(alpha=0.3)


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
