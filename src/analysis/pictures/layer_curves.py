"""Draws accuracy over the layers of an encoder, a panel per test."""

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from src.analysis.pictures.panels import (
    COLOURS,
    GREY,
    draw_baselines,
    draw_baselines_of_layer,
    draw_legend_below,
    draw_title,
    name_baselines_of_layers,
    new_panels,
    percents,
    save_figure,
    test_title,
)
from src.analysis.pictures.percent_axes import CLOSE, limit_heights
from src.analysis.results.rows import Row, distinct, probing_rows, value_of
from src.errors import PolyprobeError

FEWEST_LAYERS = 3
MOST_LAYER_TICKS = 7
RISE = {"marker": "^", "color": COLOURS[1], "markersize": 8, "linestyle": "none", "zorder": 3}


def draw_layer_curves(
    rows: Iterable[Row], path: Path, rises: Mapping[str, Iterable[str]], axis: str = CLOSE
) -> list[Path]:
    """Writes the picture of `layers_figure` as PNG and PDF; `path` is without its ending. Returns the files."""
    return save_figure(layers_figure(rows, rises, axis), path)


def layers_figure(rows: Iterable[Row], rises: Mapping[str, Iterable[str]] | None = None, axis: str = CLOSE) -> Figure:
    """Draws a panel per test: accuracy by layer in its 95 % band, baselines dashed, significant rises marked.

    Args:
        rows: of one run without epochs.
        rises: for a test the layers that are significantly better than the one before them.
        axis: see `limits`.

    Raises:
        PolyprobeError: there is no probing row.
    """
    probing = probing_rows(rows)
    if not probing:
        raise PolyprobeError("There is nothing to draw: no row of stage probing.")
    tests, layers = distinct(probing, "suite", "test"), [layer for (layer,) in distinct(probing, "layer")]
    figure, panels = new_panels(len(tests), "layer")
    for panel, test in zip(panels, tests, strict=True):
        of_test = [row for row in probing if (row["suite"], row["test"]) == test]
        panel.set_title(test_title(of_test[0], tests))
        _draw_curve(panel, of_test, layers)
        draw_baselines(panel, of_test[0])
        _draw_rises(panel, of_test, layers, set((rises or {}).get(test[1], ())))
        _layer_axis(panel, layers)
    limit_heights(panels, axis)
    figure.supylabel("accuracy (%)", fontsize=10)
    draw_title(figure, "Probing by layer", probing)
    _draw_legend(figure, panels, rises is not None)
    return figure


def _draw_curve(axes: Axes, rows: Sequence[Row], layers: Sequence[str | None]) -> None:
    places = [layers.index(row.get("layer")) for row in rows]
    low, high = (percents(row.get(end, value_of(row)) for row in rows) for end in ("interval_low", "interval_high"))
    axes.fill_between(places, low, high, color=COLOURS[0], alpha=0.2, linewidth=0)
    values = percents(map(value_of, rows))
    axes.plot(places, values, color=COLOURS[0], marker="o", markersize=3.5, linewidth=1.6, label="accuracy")
    draw_baselines_of_layer(axes, places, rows, GREY)
    name_baselines_of_layers(axes, rows)


def _draw_rises(axes: Axes, rows: Sequence[Row], layers: Sequence[str | None], risen: set[str]) -> None:
    values = {layers.index(row.get("layer")): 100 * value_of(row) for row in rows if row.get("layer") in risen}
    axes.plot([*values], [*values.values()], label="better than the layer before (Holm)", **RISE)


def _draw_legend(figure: Figure, panels: Sequence[Axes], has_rises: bool) -> None:
    if not has_rises:
        for panel in panels:
            panel.lines[-1].remove()
    draw_legend_below(figure, panels[0])


def _layer_axis(axes: Axes, layers: Sequence[str | None]) -> None:
    axes.grid(alpha=0.3)
    shown = range(0, len(layers), math.ceil(len(layers) / MOST_LAYER_TICKS))
    labels = [str(layers[place]) for place in shown]
    is_long = sum(map(len, labels)) > 24
    axes.set_xticks(list(shown), labels, rotation=45 if is_long else 0, ha="right" if is_long else "center")
