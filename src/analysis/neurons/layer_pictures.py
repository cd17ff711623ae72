"""Draws how the top neurons of tests fall on the layers (RuSentEval's figure), by epoch, and which tests share."""

from collections.abc import Iterable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from polyprobe.analysis.neurons.probed_test import short_layer
from polyprobe.analysis.neurons.top_neurons import MASS, NUMBER, CountedTest, LayerCounts, Overlaps
from polyprobe.analysis.pictures.heat_maps import colour_cells, draw_cells
from polyprobe.analysis.pictures.panels import (
    COLOURS,
    GREY,
    draw_legend_below,
    new_figure,
    new_panels,
    ticks,
    write_title,
)
from polyprobe.analysis.pictures.percent_axes import CLOSE, limits
from polyprobe.analysis.results.rows import percent

OF = {MASS: "of the weight mass", NUMBER: "of the neurons"}
COLOUR_OF = {MASS: COLOURS[0], NUMBER: COLOURS[1]}
THICKNESS = 0.4  # of a bar, in layers
MOST_TICKS = 9
CELL_WIDTH, CELL_HEIGHT = 0.38, 0.28  # inches
NARROWEST, LOWEST = 3.0, 0.7  # a panel, in inches: room for its title and for the bar of colours
MOST_NUMBERED_COLUMNS = 8  # of a panel that shares its line with others
ROOM_ABOVE = 1.15  # of the longest bar
ROOM_FOR_TITLES = 0.9  # inches
RANGE = {"color": GREY, "linewidth": 0.8, "zorder": 3}
EVEN = {"where": "mid", "color": GREY, "linestyle": "--", "linewidth": 1.0}
MARK_OF_CONTROL = {
    "marker": "D",
    "markersize": 3.2,
    "linestyle": "none",
    "markerfacecolor": "white",
    "markeredgecolor": "black",
    "markeredgewidth": 0.8,
    "zorder": 4,
}
BAR = {"label": "percent of the top neurons", "pad": 0.02, "aspect": 40}  # of colours


def layer_shares_figure(tests: Sequence[CountedTest], said: Sequence[str]) -> Figure:
    """Draws a panel per test: what percentage of its top neurons lies in each layer, by both meanings of "top".

    A mark on each bar is the control task's; the dashed line is the layer's share of all neurons, which chance comes
    near to: a thin line is the 95 % range of as many neurons drawn evenly.

    Args:
        tests: of one run at one epoch.
        said: lines below the title: the model, the run.
    """
    figure, panels = new_panels(len(tests), "layer")
    figure.set_figheight(figure.get_figheight() + ROOM_FOR_TITLES)
    for panel, test in zip(panels, tests, strict=True):
        _draw_test(panel, test)
    counts = [count for test in tests for count in (*test.of_test.values(), *test.of_control.values())]
    panels[0].set_ylim(0, ROOM_ABOVE * max(count.percent_of_top.max() for count in counts))
    figure.supylabel(BAR["label"], fontsize=10)
    write_title(figure, "Top neurons by layer", *said)
    draw_legend_below(figure, max(panels, key=lambda panel: len(panel.get_legend_handles_labels()[1])))
    return figure


def layer_numbers_figure(tests: Sequence[CountedTest], said: Sequence[str]) -> Figure:
    """Draws how many top neurons lie in each layer: a line per test, a column per layer.

    A panel for each meaning of "top", beside it that of the control tasks. Numbers are means over seeds; colours are
    percent of the test's top neurons. Arguments as for `layer_shares_figure`.
    """
    meanings = list(tests[0].of_test)
    has_control = any(test.of_control for test in tests)
    layers = tests[0].of_test[meanings[0]].layers
    n_columns = 2 if has_control else 1
    of_panel = 0.3 + max(NARROWEST, CELL_WIDTH * len(layers)), 0.5 + max(LOWEST, CELL_HEIGHT * len(tests))
    names = 1.2 + 0.09 * max(len(test.test) for test in tests)
    figure = new_figure(names + n_columns * of_panel[0], 1.3 + len(meanings) * of_panel[1])
    panels = figure.subplots(len(meanings), n_columns, sharex=True, sharey=True, squeeze=False)
    counts = [[[test.of_test.get(one), test.of_control.get(one)][:n_columns] for test in tests] for one in meanings]
    ends = _ends(count for of_meaning in counts for of_test in of_meaning for count in of_test)
    for line, meaning, of_meaning in zip(panels, meanings, counts, strict=True):
        for panel, task, of_task in zip(line, ("", "control task, "), zip(*of_meaning, strict=True), strict=False):
            percents = np.stack([_percent(count, len(layers)) for count in of_task])
            words = [[""] * len(layers) if one is None else [f"{n:.0f}" for n in one.numbers] for one in of_task]
            image = colour_cells(panel, percents, words, ends)
            panel.set_title(f"{task}{_share(tests)} {OF[meaning]}", fontsize=10)
        line[0].set_yticks(range(len(tests)), [test.test for test in tests], fontsize=8)
    for panel in panels[-1]:
        _name_layers(panel, layers, len(layers))
        panel.set_xlabel("layer")
    figure.colorbar(image, ax=panels.ravel().tolist(), **BAR)
    write_title(figure, "Numbers of top neurons by layer", *said)
    return figure


def layers_by_epoch_figure(tests: Sequence[CountedTest], share_of: str, said: Sequence[str]) -> Figure:
    """Draws a panel per test: the percentage of its top neurons in each layer (upwards), by epoch (to the right).

    Args:
        tests: of one run at several epochs, in any order.
        share_of: which meaning of "top": MASS or NUMBER.
        said: lines below the title: the model, the run.
    """
    names, epochs = list(dict.fromkeys(test.test for test in tests)), sorted({test.epoch for test in tests})
    counts = {(test.test, test.epoch): test.of_test[share_of] for test in tests}
    layers = tests[0].of_test[share_of].layers
    ends = _ends(counts.values())
    figure, panels = new_panels(len(names), "epoch")
    for panel, name in zip(panels, names, strict=True):
        percent = np.stack([_percent(counts.get((name, epoch)), len(layers)) for epoch in epochs], axis=1)
        has_numbers = len(epochs) <= MOST_NUMBERED_COLUMNS and len(layers) <= MOST_NUMBERED_COLUMNS
        words = [["" if np.isnan(value) else f"{value:.0f}" for value in line] for line in percent]
        image = colour_cells(panel, percent, words if has_numbers else None, ends)
        panel.set_title(name, fontsize=10)
        shown = ticks(len(epochs), MOST_TICKS)
        panel.set_xticks(list(shown), [str(epochs[place]) for place in shown])
    shown = ticks(len(layers), MOST_TICKS)
    panels[0].set_yticks(list(shown), [short_layer(layers[place]) for place in shown])
    panels[0].set_ylim(-0.5, len(layers) - 0.5)
    figure.supylabel("layer", fontsize=10)
    figure.colorbar(image, ax=panels, **BAR)
    write_title(figure, f"Top neurons by layer and epoch: {_share(tests)} {OF[share_of]}", *said)
    return figure


def _draw_test(axes: Axes, test: CountedTest) -> None:
    for number, (meaning, counts) in enumerate(test.of_test.items()):
        places = np.arange(len(counts.layers)) + (number - (len(test.of_test) - 1) / 2) * THICKNESS
        label = f"top {100 * counts.share:g} % {OF[meaning]}"
        axes.bar(places, counts.percent_of_top, THICKNESS, color=COLOUR_OF[meaning], label=label)
        draws = counts.if_even(counts.n_top)
        low, high = (100 * np.array([getattr(draw, end) for draw in draws]) / counts.n_top for end in ("low", "high"))
        axes.vlines(places, low, high, label="95 % range of random draws" if number == 0 else None, **RANGE)
        if meaning in test.of_control:
            label = "control task" if number == 0 else None
            axes.plot(places, test.of_control[meaning].percent_of_top, label=label, **MARK_OF_CONTROL)
    counts = next(iter(test.of_test.values()))
    steps = np.pad(counts.percent_if_even, 1, mode="edge")
    axes.step(np.arange(-1, len(steps) - 1), steps, label="chance level", **EVEN)
    sizes = ", ".join(f"{counts.n_top:,.0f} by {meaning}" for meaning, counts in test.of_test.items())
    axes.set_title(f"{test.test}\n{sizes}", fontsize=9)
    axes.set_xlim(-0.6, len(counts.layers) - 0.4)
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)
    _name_layers(axes, counts.layers, MOST_TICKS)


def _percent(counts: LayerCounts | None, n_layers: int) -> np.ndarray:
    return np.full(n_layers, np.nan) if counts is None else counts.percent_of_top


def _ends(counts: Iterable[LayerCounts | None]) -> tuple[float, float]:
    known = [count.percent_of_top for count in counts if count is not None]
    return 0.0, limits(np.concatenate(known).tolist(), CLOSE)[1]


def _share(tests: Sequence[CountedTest]) -> str:
    return f"{100 * next(iter(tests[0].of_test.values())).share:g} %"


def _name_layers(axes: Axes, layers: Sequence[str], most: int) -> None:
    shown = ticks(len(layers), most)
    names = [short_layer(layers[place]) for place in shown]
    is_long = sum(map(len, names)) > 2.4 * most
    look = {"rotation": 45, "ha": "right"} if is_long else {}
    axes.set_xticks(list(shown), names, fontsize=8, **look)


CELL = 0.42  # inches


def overlaps_figure(found: Overlaps, of: str, said: Sequence[str]) -> Figure:
    """Draws a line and a column for each order: what percentage of its first neurons the two have in common.

    Colours are those of 0 to 100 %. The diagonal, an order with itself, is left empty.

    Args:
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
    expected, low, high = map(percent, found.by_chance)
    counted = f"the first {found.n:,} of {found.n_neurons:,}"
    by_chance = f"chance level {expected} % ({low} to {high})"
    write_title(figure, f"Neurons in common: {of}", f"{counted}; {by_chance}", *said)
    return figure
