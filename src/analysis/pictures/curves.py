"""Draws scores as curves in their 95 % bands, a panel for each test: over epochs, layers or encoders.

Over layers with several encoders as Figures 1 and 5 to 9 of Mikhailov et al. (2021).
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from polyprobe.analysis.pictures.panels import (
    COLOURS,
    GREY,
    MARKERS,
    OF_TESTS,
    draw_baselines,
    draw_baselines_of_layer,
    draw_legend_below,
    draw_title,
    layer_label,
    limit_heights,
    name_baselines_of_layers,
    new_figure,
    new_panels,
    percents,
    test_title,
    ticks,
    title_of_grid,
    write_title,
)
from polyprobe.analysis.results.kinds import AVERAGE
from polyprobe.analysis.results.result_grid import Grid
from polyprobe.analysis.results.rows import (
    SENTENCE_EMBEDDING,
    Row,
    distinct,
    epoch_order,
    epoch_scores,
    interval_of,
    joined,
    labels_of_runs,
    percent,
    probing_rows,
    task_by_epoch,
    value_of,
    written_score,
)
from polyprobe.errors import PolyprobeError
from polyprobe.runs.metric_units import is_in_percent, metric_in_words, with_direction

OF_TASK = {"color": "#444444", "linestyle": "--", "linewidth": 1.3, "marker": "x", "markersize": 4}
RISE = {"marker": "^", "color": COLOURS[1], "markersize": 8, "linestyle": "none", "zorder": 3}
BEST = {"marker": "*", "markersize": 13, "color": "black", "linestyle": "none"}
MOST_EPOCH_TICKS, MOST_LAYER_TICKS = 6, 7
FEWEST_LAYERS = 3  # of a curve over layers
LINES = ("-", "--", ":")  # those of the second six encoders are dashed, of the third dotted
NUMBERED = re.compile(r"(?:layer_)?(\d+)")
LAYERS, EPOCHS, ENCODERS = "layer", "epoch", "encoder"
Places = Mapping[str | int | None, float]  # of an epoch, a layer or a run on the x-axis
Point = tuple[float, float, tuple[float, float]]  # the place, the score, the ends of its interval


def panels_of_tests(
    probing: Sequence[Row], x_label: str, y_label: str, draw: Callable[[Axes, list[Row]], None]
) -> Figure:
    """Makes a panel for each test, in which its rows are drawn; the legend is to be the first panel's."""
    tests = distinct(probing, "suite", "test")
    figure, panels = new_panels(len(tests), x_label)
    for panel, test in zip(panels, tests, strict=True):
        of_test = [row for row in probing if (row["suite"], row["test"]) == test]
        panel.set_title(test_title(of_test[0], tests))
        panel.grid(alpha=0.3)
        draw(panel, of_test)
    limit_heights(panels)
    figure.supylabel(y_label, fontsize=10)
    draw_legend_below(figure, panels[0])
    return figure


def epochs_figure(rows: Iterable[Row]) -> Figure:
    """Draws a panel per test: accuracy by epoch, a line per layer in its 95 % band, baselines and downstream score."""
    rows = list(rows)
    probing = probing_rows(rows)
    layers = distinct(probing, "layer")
    of_task = task_by_epoch(rows)

    def draw(panel: Axes, of_test: list[Row]) -> None:
        for number, (layer,) in enumerate(layers):
            of_layer = [row for row in of_test if row.get("layer") == layer and row.get("epoch") is not None]
            _draw_epochs(panel, of_layer, layer_label(layer), number)
            epochs = [row["epoch"] for row in of_layer]
            draw_baselines_of_layer(panel, epochs, of_layer, COLOURS[number % len(COLOURS)])
        name_baselines_of_layers(panel, of_test)
        draw_baselines(panel, of_test[0], probing)
        last = _draw_task(panel, of_task)
        epoch_axis(panel, {*last, *(row["epoch"] for row in of_test if row.get("epoch") is not None)})

    y_label = "accuracy, F1 (%)" if of_task else "accuracy (%)"
    figure = panels_of_tests(probing, "epochs of training", y_label, draw)
    draw_title(figure, "Probing by epoch", probing)
    return figure


def training_figure(rows: Iterable[Row]) -> Figure:
    """Draws the dev scores of a training run by epoch, and the accuracies of its probes."""
    rows = list(rows)
    scores = epoch_scores(rows, "training")
    probing = probing_rows(rows)
    figure = new_figure(7.5, 4.5)
    axes = figure.add_subplot()
    fractions = {metric: by_epoch for metric, by_epoch in scores.items() if is_in_percent(metric)}
    for number, (metric, by_epoch) in enumerate(fractions.items()):
        style = {"color": "black", "linewidth": 2} if number == 0 else OF_TASK
        axes.plot([*by_epoch], percents(by_epoch.values()), label=f"dev {metric_in_words(metric)}", **style)
    if fractions:
        main, by_epoch = next(iter(fractions.items()))
        best = max(by_epoch, key=by_epoch.get)
        axes.plot([best], [100 * by_epoch[best]], label=f"best: {percent(by_epoch[best])}, epoch {best}", **BEST)
        _draw_trivial_baselines(axes, rows, main)
    for number, (test, layer) in enumerate(distinct(probing, "test", "layer")):
        of_key = [row for row in probing if (row["test"], row.get("layer")) == (test, layer)]
        _draw_epochs(axes, of_key, f"probe {test}, {layer_label(layer)}", number)
    epoch_axis(axes, {epoch for by_epoch in scores.values() for epoch in by_epoch})
    limit_heights([axes])
    axes.set(xlabel="epochs of training", ylabel="dev (%)")
    axes.yaxis.set_visible(bool(fractions or probing))
    for metric in scores.keys() - fractions.keys():
        _draw_perplexity(axes, metric, scores[metric])
    draw_title(figure, "Training", [row for row in rows if row["stage"] == "training"])
    draw_legend_below(figure, axes)
    return figure


def models_figure(grid: Grid) -> Figure:
    """Draws a panel per line of a grid, and their average: a curve over epochs for each run, language and model."""
    titles = [*grid.titles(), AVERAGE] if len(grid.common) > 1 else grid.titles()
    figure, panels = new_panels(len(titles), "epochs of training")
    labels = dict(zip((column[:-1] for column in grid.columns), grid.headers(with_epochs=False), strict=True))
    for place, (panel, title) in enumerate(zip(panels, titles, strict=True)):
        panel.set_title(title)
        for number, (model, label) in enumerate(labels.items()):
            columns = [column for column in grid.columns if column[:-1] == model]
            points = _points_of_model(grid, columns, place)
            _draw_curve(panel, points, number, label=label.replace("\n", ", "), markersize=4, linewidth=1.6)
        epoch_axis(panel, {column[-1] for column in grid.columns})
    limit_heights(panels)
    figure.supylabel(grid.kind.axis, fontsize=10)
    title_of_grid(figure, f"{grid.kind.title} by epoch", grid)
    if len(labels) > 1:
        draw_legend_below(figure, panels[0])
    return figure


def layers_figure(rows: Iterable[Row], rises: Mapping[str, Iterable[str]] | None = None) -> Figure:
    """Draws a panel per test: accuracy by layer in its 95 % band, baselines dashed, significant rises marked.

    Args:
        rows: of one run without epochs.
        rises: for a test the layers that are significantly better than the one before them.
    """
    probing = probing_rows(rows)
    layers = [layer for (layer,) in distinct(probing, "layer")]

    def draw(panel: Axes, of_test: list[Row]) -> None:
        label: str | None = "accuracy"
        for of_line in filter(None, _joined_and_apart(of_test)):
            places = [layers.index(row.get("layer")) for row in of_line]
            points = [_point(place, row) for place, row in zip(places, of_line, strict=True)]
            _draw_curve(panel, points, 0, has_band=len(points) > 1, label=label, markersize=3.5, linewidth=1.6)
            draw_baselines_of_layer(panel, places, of_line, GREY)
            label = None
        name_baselines_of_layers(panel, of_test)
        draw_baselines(panel, of_test[0], probing)
        if rises is not None:
            risen = set(rises.get(of_test[0]["test"], ()))
            values = {layers.index(row["layer"]): 100 * value_of(row) for row in of_test if row.get("layer") in risen}
            panel.plot([*values], [*values.values()], label="better than the previous layer (Holm)", **RISE)
        _layer_axis(panel, layers)

    figure = panels_of_tests(probing, "layer", "accuracy (%)", draw)
    draw_title(figure, "Probing by layer", probing)
    return figure


def encoders_figure(rows: Iterable[Row]) -> Figure:
    """Draws a panel per test with the accuracies of all runs in their 95 % bands, baselines behind.

    Runs over epochs are drawn over epochs, others over layers: by number, or by name where a layer has no number. A run
    with a single layer is a level line beside runs with several; where all have one, each is a point.

    Args:
        rows: of several runs of one suite and language, on the same items.
    """
    probing = probing_rows(rows)
    along = _along(probing)
    curves, places = _encoder_curves(probing, along), _places(probing, along)

    def draw(panel: Axes, of_test: list[Row]) -> None:
        for number, (name, of_curve) in enumerate(curves):
            of_panel = [
                row for row in of_curve if (row["suite"], row["test"]) == (of_test[0]["suite"], of_test[0]["test"])
            ]
            is_level = along == LAYERS and len(distinct(of_curve, "layer")) == 1
            style = LINES[number // len(COLOURS) % len(LINES)]
            look = {"linestyle": style, "label": name, "markersize": 3.5, "linewidth": 1.5}
            on_curve, apart = (of_panel, []) if is_level else _joined_and_apart(of_panel)
            for of_line in (on_curve, apart) if apart else (on_curve,):
                points = sorted(_points_of_encoder(of_line, places, is_level), key=lambda point: point[0])
                has_band = len({place for place, *_ in points}) > 1
                _draw_curve(panel, points, number, alpha=0.12, has_band=has_band, **look)
                look["label"] = None
        draw_baselines(panel, of_test[0], probing)
        _name_places(panel, places, along)

    figure = panels_of_tests(probing, along, "accuracy (%)", draw)
    said = ", ".join(joined(probing, column) for column in ("lang", "suite"))
    write_title(figure, f"Probing by {along}: lang={said}, {len(distinct(probing, 'run'))} encoders")
    return figure


def epoch_axis(axes: Axes, epochs: set[int]) -> None:
    """Sets axes up for epochs."""
    axes.grid(alpha=0.3)
    if len(epochs) <= MOST_EPOCH_TICKS:
        axes.set_xticks(sorted(epochs))
    else:
        axes.xaxis.set_major_locator(MaxNLocator(MOST_EPOCH_TICKS, integer=True))


def _joined_and_apart(rows: Sequence[Row]) -> tuple[Sequence[Row], Sequence[Row]]:
    """Parts the rows of layers, each made of the one before, from that of a sentence embedding, which no line joins."""
    apart = [row for row in rows if row.get("layer") == SENTENCE_EMBEDDING]
    return [row for row in rows if row.get("layer") != SENTENCE_EMBEDDING], apart


def _point(place: float, row: Row) -> Point:
    return place, value_of(row), interval_of(row)


def _draw_curve(
    axes: Axes, points: Sequence[Point], number: int, alpha: float = 0.2, has_band: bool = True, **look: object
) -> None:
    """Draws a curve in its band, or else each point in its interval."""
    colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
    places, values = [place for place, *_ in points], percents(value for _, value, _ in points)
    low, high = (percents(ends[side] for *_, ends in points) for side in (0, 1))
    if has_band:
        axes.fill_between(places, low, high, color=colour, alpha=alpha, linewidth=0)
    elif places:
        axes.vlines(places, low, high, color=colour, linewidth=1.5)
    axes.plot(places, values, color=colour, marker=marker, **look)


def _draw_epochs(axes: Axes, rows: Sequence[Row], label: str, number: int) -> None:
    rows = sorted((row for row in rows if row.get("epoch") is not None), key=epoch_order)
    _draw_curve(axes, [_point(row["epoch"], row) for row in rows], number, label=label, markersize=4, linewidth=1.6)


def _draw_task(axes: Axes, scores: dict[str, dict[int, float]]) -> list[int]:
    """Draws the first metric, the task's own; returns its last epoch, if there is one."""
    for metric, by_epoch in scores.items():
        if is_in_percent(metric):
            label = f"downstream dev {metric_in_words(metric)}"
            axes.plot([*by_epoch], percents(by_epoch.values()), label=label, **OF_TASK)
            return [max(by_epoch)]
    return []


def _draw_trivial_baselines(axes: Axes, rows: Iterable[Row], metric: str) -> None:
    """Draws what the baselines of a task reach on dev by its main metric."""
    for row in rows:
        is_asked = row["stage"] == "baseline" and row["split"] == "dev" and row["metric"] == metric
        if is_asked and not row.get("test") and row["value"] is not None:
            label = f"{metric_in_words(metric)} of the baseline {row.get('encoder')}"
            axes.axhline(100 * row["value"], label=label, **OF_TESTS["majority"])


def _draw_perplexity(axes: Axes, metric: str, by_epoch: dict[int, float]) -> None:
    """Draws perplexities on an axis of their own, at the right, whose steps are factors."""
    right = axes.twinx()
    best = min(by_epoch, key=by_epoch.get)
    right.plot([*by_epoch], [*by_epoch.values()], color="black", linewidth=2)
    right.plot([best], [by_epoch[best]], **BEST)
    right.set(yscale="log", ylabel=f"dev {with_direction(metric)}")
    axes.plot([], [], color="black", linewidth=2, label=f"dev {metric_in_words(metric)}")
    axes.plot([], [], label=f"best: {written_score(metric, by_epoch[best])}, epoch {best}", **BEST)


def _points_of_model(grid: Grid, columns: Sequence[tuple], place: int) -> list[Point]:
    """Returns the points of a line of a grid; behind the last line those of the average, without an interval."""
    if place == len(grid.lines):
        averages = dict(zip(grid.columns, grid.averages().tolist(), strict=True))
        return [(column[-1], averages[column], (averages[column], averages[column])) for column in columns]
    rows = [grid.cells.get((grid.lines[place], column)) for column in columns]
    return [_point(row["epoch"], row) for row in rows if row is not None]


def _layer_axis(axes: Axes, layers: Sequence[str | None]) -> None:
    shown = ticks(len(layers), MOST_LAYER_TICKS)
    labels = [str(layers[place]) for place in shown]
    is_long = sum(map(len, labels)) > 24
    axes.set_xticks(list(shown), labels, rotation=45 if is_long else 0, ha="right" if is_long else "center")


def _along(rows: Sequence[Row]) -> str:
    """Says what the x-axis is."""
    over_epochs = {row["run"]: row.get("epoch") is not None for row in rows}
    if len(set(over_epochs.values())) > 1:
        first, other = (next(run for run, is_so in over_epochs.items() if is_so is which) for which in (True, False))
        raise PolyprobeError(f"{first} is probed over epochs, {other} is not: they have no axis in common.")
    if any(over_epochs.values()):
        return EPOCHS
    return LAYERS if len(distinct(rows, "run", "layer")) > len(over_epochs) else ENCODERS


def _encoder_curves(rows: Sequence[Row], along: str) -> list[tuple[str, list[Row]]]:
    """Returns what a legend names once, with its rows: encoders, over epochs also layers of such that have several."""
    curves = []
    for run, label in labels_of_runs(rows, "encoder").items():
        of_run, name = [row for row in rows if row["run"] == run], label.replace("\n", ", ")
        layers = _layers(rows, run)
        if along != EPOCHS or len(layers) == 1:
            curves.append((name, of_run))
        else:
            curves += [(f"{name}, {layer}", [row for row in of_run if row.get("layer") == layer]) for layer in layers]
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


def _points_of_encoder(rows: Sequence[Row], places: Places, is_level: bool) -> Iterator[Point]:
    """Yields where the rows of a curve in one panel stand; that of a level one at both ends."""
    for row in rows:
        if is_level:
            yield _point(min(places.values()), row)
            yield _point(max(places.values()), row)
        else:
            keys = (row.get("epoch"), row.get("layer"), row["run"])
            yield _point(next(places[key] for key in keys if key in places), row)


def _name_places(axes: Axes, places: Places, along: str) -> None:
    if along == ENCODERS:
        axes.set_xticks([])  # the legend names them
        axes.set_xlim(-0.5, len(places) - 0.5)
    elif all(NUMBERED.fullmatch(str(name)) for name in places):
        axes.xaxis.set_major_locator(MaxNLocator(nbins=7, integer=True))
    else:
        is_long = sum(len(str(name)) for name in places) > 24
        axes.set_xticks([*places.values()], [*map(str, places)], rotation=45 if is_long else 0)
