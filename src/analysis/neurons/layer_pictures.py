"""Draws how the top neurons of tests fall on the layers (RuSentEval's figure), and that by epoch."""

from collections.abc import Iterator, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from polyprobe.analysis.neurons.neuron_settings import LAYERS
from polyprobe.analysis.neurons.probed_test import short_layer
from polyprobe.analysis.neurons.top_neurons import MASS, NUMBER, CountedTest, read_counts
from polyprobe.analysis.pictures.heat_maps import colour_cells
from polyprobe.analysis.pictures.panels import (
    COLOURS,
    GREY,
    draw_legend_below,
    limits,
    new_panels,
    ticks,
    write_title,
)
from polyprobe.analysis.results.rows import Row, said_of_one
from polyprobe.runs.directory import RunDirectory

OF = {MASS: "of the weight mass", NUMBER: "of the neurons"}
COLOUR_OF = {MASS: COLOURS[0], NUMBER: COLOURS[1]}
THICKNESS = 0.4  # of a bar, in layers
MOST_TICKS = 9
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


def layer_figures(run: RunDirectory, rows: Sequence[Row]) -> Iterator[tuple[str, Figure]]:
    """Yields the pictures of a run with their names: top neurons by layer, and of several epochs by epoch.

    They are drawn of the counts in `layers.csv`; there are none without it.
    """
    file = run.path / LAYERS
    if not file.is_file():
        return
    counted = read_counts(run.checked(file).read_text(encoding="utf-8").splitlines())
    said = [said_of_one(rows, "lang", "suite", "encoder")]
    last = [one for one in counted if one.epoch == counted[-1].epoch]
    yield "layer_shares", layer_shares_figure(last, said)
    if len(counted) > len(last):
        yield "layers_by_epoch", layers_by_epoch_figure(counted, said)


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


def layers_by_epoch_figure(tests: Sequence[CountedTest], said: Sequence[str]) -> Figure:
    """Draws a panel per test: the percentage of its top neurons in each layer (upwards), by epoch (to the right).

    The top neurons are those with the largest share of the weight mass.

    Args:
        tests: of one run at several epochs, in any order.
        said: lines below the title: the model, the run.
    """
    names, epochs = list(dict.fromkeys(test.test for test in tests)), sorted({test.epoch for test in tests})
    counts = {(test.test, test.epoch): test.of_test[MASS] for test in tests}
    layers, share = tests[0].of_test[MASS].layers, tests[0].of_test[MASS].share
    none = np.full(len(layers), np.nan)  # of an epoch that a test lacks
    known = np.concatenate([count.percent_of_top for count in counts.values()])
    ends = 0.0, limits(known.tolist())[1]
    has_numbers = len(epochs) <= MOST_NUMBERED_COLUMNS and len(layers) <= MOST_NUMBERED_COLUMNS
    figure, panels = new_panels(len(names), "epoch")
    for panel, name in zip(panels, names, strict=True):
        found = [counts.get((name, epoch)) for epoch in epochs]
        percent = np.stack([none if count is None else count.percent_of_top for count in found], axis=1)
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
    write_title(figure, f"Top neurons by layer and epoch: {100 * share:g} % {OF[MASS]}", *said)
    return figure


def _draw_test(axes: Axes, test: CountedTest) -> None:
    for number, (meaning, counts) in enumerate(test.of_test.items()):
        places = np.arange(len(counts.layers)) + (number - (len(test.of_test) - 1) / 2) * THICKNESS
        label = f"top {100 * counts.share:g} % {OF[meaning]}"
        axes.bar(places, counts.percent_of_top, THICKNESS, color=COLOUR_OF[meaning], label=label)
        low, high = (100 * ends / counts.n_top for ends in counts.if_even(counts.n_top)[1:])
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
    _name_layers(axes, counts.layers)


def _name_layers(axes: Axes, layers: Sequence[str]) -> None:
    shown = ticks(len(layers), MOST_TICKS)
    names = [short_layer(layers[place]) for place in shown]
    is_long = sum(map(len, names)) > 2.4 * MOST_TICKS
    look = {"rotation": 45, "ha": "right"} if is_long else {}
    axes.set_xticks(list(shown), names, fontsize=8, **look)
