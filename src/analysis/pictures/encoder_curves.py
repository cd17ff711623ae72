"""Draws the accuracies of several encoders together, a panel per test: over layers, over epochs, or encoder by encoder.

Over layers as Figures 1 and 5 to 9 of Mikhailov et al. (2021).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from src.analysis.pictures.panels import (
    COLOURS,
    MARKERS,
    draw_baselines,
    draw_legend_below,
    new_panels,
    percents,
    save_figure,
    test_title,
    write_title,
)
from src.analysis.pictures.percent_axes import CLOSE, limit_heights
from src.analysis.results.rows import Row, distinct, joined, labels_of_runs, probing_rows, value_of
from src.errors import PolyprobeError

LINES = ("-", "--", ":")  # those of the second six encoders are dashed, of the third dotted
Places = Mapping[str | int | None, float]  # of an epoch, a layer or a run on the x-axis
NUMBERED = re.compile(r"(?:layer_)?(\d+)")
LAYERS, EPOCHS, ENCODERS = "layer", "epoch", "encoder"


@dataclass(frozen=True, slots=True)
class EncoderCurve:
    """What a legend names once.

    Attributes:
        name: of the encoder, and of its layer where it has several and the curve is over epochs.
        rows: of probing, all tests.
        is_level: whether one score stands for all layers: that of an encoder that has a single one.
    """

    name: str
    rows: Sequence[Row]
    is_level: bool


def draw_encoder_curves(rows: Iterable[Row], path: Path, axis: str = CLOSE) -> list[Path]:
    """Writes the picture of `encoders_figure` as PNG and PDF; `path` is without its ending. Returns the files."""
    return save_figure(encoders_figure(rows, axis), path)


def encoders_figure(rows: Iterable[Row], axis: str = CLOSE) -> Figure:
    """Draws a panel per test with the accuracies of all runs in their 95 % bands, baselines behind.

    Runs over epochs are drawn over epochs, others over layers: by number, or by name where a layer has no number. A run
    with a single layer is a level line beside runs with several; where all have one, each is a point.

    Args:
        rows: of several runs of one suite and language, on the same items.
        axis: see `limits`.

    Raises:
        PolyprobeError: there is no probing row, or some runs are over epochs and others are not.
    """
    probing = probing_rows(rows)
    if not probing:
        raise PolyprobeError("There is nothing to draw: no row of stage probing.")
    along = _along(probing)
    curves = _curves(probing, along)
    tests, places = distinct(probing, "suite", "test"), _places(probing, along)
    figure, panels = new_panels(len(tests), along)
    for panel, test in zip(panels, tests, strict=True):
        of_test = [row for row in probing if (row["suite"], row["test"]) == test]
        panel.set_title(test_title(of_test[0], tests))
        for number, curve in enumerate(curves):
            _draw_curve(panel, curve, number, test, places)
        draw_baselines(panel, of_test[0])
        _name_places(panel, places, along)
    limit_heights(panels, axis)
    figure.supylabel("accuracy (%)", fontsize=10)
    said = ", ".join(joined(probing, column) for column in ("lang", "suite"))
    write_title(figure, f"Probing by {along}: lang={said}, {len(distinct(probing, 'run'))} encoders")
    draw_legend_below(figure, panels[0])
    return figure


def _along(rows: Sequence[Row]) -> str:
    """Says what the x-axis is."""
    over_epochs = {row["run"]: row.get("epoch") is not None for row in rows}
    if len(set(over_epochs.values())) > 1:
        first, other = (next(run for run, is_so in over_epochs.items() if is_so is which) for which in (True, False))
        raise PolyprobeError(f"{first} is probed over epochs, {other} is not: they have no axis in common.")
    if any(over_epochs.values()):
        return EPOCHS
    return LAYERS if len(distinct(rows, "run", "layer")) > len(over_epochs) else ENCODERS


def _curves(rows: Sequence[Row], along: str) -> list[EncoderCurve]:
    curves = []
    for run, label in labels_of_runs(rows, "encoder").items():
        of_run, name = [row for row in rows if row["run"] == run], label.replace("\n", ", ")
        layers = _layers(rows, run)
        if along != EPOCHS or len(layers) == 1:
            curves.append(EncoderCurve(name, of_run, along == LAYERS and len(layers) == 1))
        else:
            by_layer = {layer: [row for row in of_run if row.get("layer") == layer] for layer in layers}
            curves += [EncoderCurve(f"{name}, {layer}", of_layer, False) for layer, of_layer in by_layer.items()]
    return curves


def _places(rows: Sequence[Row], along: str) -> Places:
    """Returns where each epoch, layer or run stands on the x-axis."""
    if along == EPOCHS:
        return {epoch: float(epoch) for epoch in sorted({row["epoch"] for row in rows})}
    if along == ENCODERS:
        return {run: float(place) for place, (run,) in enumerate(distinct(rows, "run"))}
    several = [run for run in {row["run"]: None for row in rows} if len(_layers(rows, run)) > 1]
    layers = [layer for run in several for layer in _layers(rows, run)]
    numbers = {layer: NUMBERED.fullmatch(str(layer)) for layer in layers}
    if all(numbers.values()):
        return {layer: float(number[1]) for layer, number in numbers.items()}
    return {layer: float(place) for place, layer in enumerate(dict.fromkeys(layers))}


def _layers(rows: Sequence[Row], run: str) -> list[str]:
    return [layer for (layer,) in distinct([row for row in rows if row["run"] == run], "layer")]


def _draw_curve(axes: Axes, curve: EncoderCurve, number: int, test: tuple, places: Places) -> None:
    colour = COLOURS[number % len(COLOURS)]
    style = LINES[number // len(COLOURS) % len(LINES)]
    rows = [row for row in curve.rows if (row["suite"], row["test"]) == test]
    drawn = sorted(_points(curve, rows, places), key=lambda point: point[0])
    at, of_points = [place for place, _ in drawn], [row for _, row in drawn]
    low, high = (
        percents(row.get(end, value_of(row)) for row in of_points) for end in ("interval_low", "interval_high")
    )
    values = percents(map(value_of, of_points))
    look = {"color": colour, "marker": MARKERS[number % len(MARKERS)], "markersize": 3.5, "linewidth": 1.5}
    if len(set(at)) > 1:
        axes.fill_between(at, low, high, color=colour, alpha=0.12, linewidth=0)
    elif at:
        axes.vlines(at, low, high, color=colour, linewidth=1.5)
    axes.plot(at, values, linestyle=style, label=curve.name, **look)


def _points(curve: EncoderCurve, rows: Sequence[Row], places: Places) -> Iterator[tuple[float, Row]]:
    """Yields where the rows of a curve in one panel stand; that of a level one at both ends."""
    for row in rows:
        if curve.is_level:
            yield min(places.values()), row
            yield max(places.values()), row
        else:
            keys = (row.get("epoch"), row.get("layer"), row["run"])
            yield next(places[key] for key in keys if key in places), row


def _name_places(axes: Axes, places: Places, along: str) -> None:
    axes.grid(alpha=0.3)
    if along == ENCODERS:
        axes.set_xticks([])  # the legend names them
        axes.set_xlim(-0.5, len(places) - 0.5)
    elif all(NUMBERED.fullmatch(str(name)) for name in places):
        axes.xaxis.set_major_locator(MaxNLocator(nbins=7, integer=True))
    else:
        is_long = sum(len(str(name)) for name in places) > 24
        axes.set_xticks([*places.values()], [*map(str, places)], rotation=45 if is_long else 0)
