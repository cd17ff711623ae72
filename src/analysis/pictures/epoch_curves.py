"""Draws curves over epochs: accuracies of probes, dev scores of training."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from src.analysis.pictures.layer_curves import FEWEST_LAYERS, layers_figure
from src.analysis.pictures.panels import (
    COLOURS,
    MARKERS,
    OF_LAYERS,
    OF_TESTS,
    draw_baselines,
    draw_baselines_of_layer,
    draw_legend_below,
    draw_title,
    name_baselines_of_layers,
    new_figure,
    new_panels,
    percents,
    save_figure,
    test_title,
)
from src.analysis.pictures.percent_axes import CLOSE, limit_heights, limit_widths
from src.analysis.results.rows import (
    Row,
    distinct,
    epoch_order,
    epoch_scores,
    metric_in_words,
    percent,
    probing_rows,
    value_of,
    written_score,
)
from src.errors import PolyprobeError
from src.metrics.task_score import is_fraction

DOWNSTREAM = {"color": "#444444", "linestyle": "--", "linewidth": 1.3, "marker": "x", "markersize": 4}
MOST_EPOCH_TICKS = 6


def draw_probing_curves(rows: Iterable[Row], path: Path, axis: str = CLOSE) -> list[Path]:
    """Writes the picture of a probing run: curves over epochs, else over layers, or marks where there are few layers.

    Args:
        rows: of one run.
        path: of the picture without its ending; `.png` and `.pdf` are written.
        axis: see `src.analysis.pictures.percent_axes.limits`.

    Returns:
        the files written.

    Raises:
        PolyprobeError: there is no probing row.
    """
    return save_figure(probing_figure(rows, axis), path)


def draw_training_curve(rows: Iterable[Row], path: Path, axis: str = CLOSE) -> list[Path]:
    """Writes the picture of a training run: dev scores by epoch, and its probes' where it probes each epoch.

    Arguments, result and errors as for `draw_probing_curves`.
    """
    return save_figure(training_figure(rows, axis), path)


def probing_figure(rows: Iterable[Row], axis: str = CLOSE) -> Figure:
    """Draws what suits the rows of a probing run: curves over epochs, curves over layers, or marks."""
    rows = list(rows)
    probing = probing_rows(rows)
    if any(row.get("epoch") is not None for row in probing):
        return curves_figure(rows, axis)
    has_curves = len(distinct(probing, "layer")) >= FEWEST_LAYERS
    return layers_figure(rows, axis=axis) if has_curves else marks_figure(rows, axis)


def curves_figure(rows: Iterable[Row], axis: str = CLOSE) -> Figure:
    """Draws a panel per test: accuracy by epoch, a line per layer in its 95 % band, baselines and downstream score."""
    rows = list(rows)
    probing = _some(probing_rows(rows))
    tests, layers = distinct(probing, "suite", "test"), distinct(probing, "layer")
    downstream = epoch_scores(rows, "downstream") or epoch_scores(rows, "training")
    figure, panels = new_panels(len(tests), "epochs of training")
    for panel, test in zip(panels, tests, strict=True):
        of_test = [row for row in probing if (row["suite"], row["test"]) == test]
        panel.set_title(test_title(of_test[0], tests))
        for number, (layer,) in enumerate(layers):
            label = _layer_label(layer)
            of_layer = [row for row in of_test if row.get("layer") == layer and row.get("epoch") is not None]
            _draw_layer(panel, of_layer, label, number)
            epochs = [row["epoch"] for row in of_layer]
            draw_baselines_of_layer(panel, epochs, of_layer, COLOURS[number % len(COLOURS)])
        name_baselines_of_layers(panel, of_test)
        draw_baselines(panel, of_test[0])
        last = _draw_downstream(panel, downstream)
        epoch_axis(panel, {*last, *(row["epoch"] for row in of_test if row.get("epoch") is not None)})
    limit_heights(panels, axis)
    figure.supylabel("accuracy, F1 (%)" if downstream else "accuracy (%)", fontsize=10)
    draw_title(figure, "Probing by epoch", probing)
    draw_legend_below(figure, panels[0])
    return figure


def marks_figure(rows: Iterable[Row], axis: str = CLOSE) -> Figure:
    """Draws a band per test: accuracy of each layer with its 95 % interval, with its baselines."""
    probing = _some(probing_rows(rows))
    tests, layers = distinct(probing, "suite", "test"), distinct(probing, "layer")
    figure = new_figure(7.5, 1.7 + len(tests) * (0.24 + 0.16 * len(layers)))
    axes = figure.add_subplot()
    for number, (layer,) in enumerate(layers):
        _draw_marks(axes, [row for row in probing if row.get("layer") == layer], tests, number, len(layers))
    name_baselines_of_layers(axes, probing)
    firsts = [next(row for row in probing if (row["suite"], row["test"]) == test) for test in tests]
    for column, style in OF_TESTS.items():
        _draw_across_bands(axes, column, firsts, style)
    axes.set_yticks(range(len(tests)), [test_title(row, tests) for row in firsts])
    limit_widths(axes, axis)
    axes.set(xlabel="accuracy (%)", ylim=(len(tests) - 0.4, -0.6))
    axes.grid(axis="x", alpha=0.3)
    draw_title(figure, "Probing accuracy", probing)
    draw_legend_below(figure, axes)
    return figure


def training_figure(rows: Iterable[Row], axis: str = CLOSE) -> Figure:
    """Draws the dev scores of a training run by epoch, and the accuracies of its probes."""
    rows = list(rows)
    scores = epoch_scores(rows, "training")
    probing = probing_rows(rows)
    if not scores:
        raise PolyprobeError("There is nothing to draw: no row of stage training.")
    figure = new_figure(7.5, 4.5)
    axes = figure.add_subplot()
    fractions = {metric: by_epoch for metric, by_epoch in scores.items() if is_fraction(metric)}
    for number, (metric, by_epoch) in enumerate(fractions.items()):
        style = {"color": "black", "linewidth": 2} if number == 0 else DOWNSTREAM
        axes.plot([*by_epoch], percents(by_epoch.values()), label=f"dev {metric_in_words(metric)}", **style)
    if fractions:
        _mark_best(axes, next(iter(fractions.values())))
        _draw_trivial_baselines(axes, rows, next(iter(fractions)))
    for number, key in enumerate(distinct(probing, "test", "layer")):
        of_key = [row for row in probing if (row["test"], row.get("layer")) == key]
        _draw_layer(axes, of_key, f"probe {key[0]}, {_layer_label(key[1])}", number)
    epoch_axis(axes, {epoch for by_epoch in scores.values() for epoch in by_epoch})
    limit_heights([axes], axis)
    axes.set(xlabel="epochs of training", ylabel="dev (%)")
    axes.yaxis.set_visible(bool(fractions or probing))
    for metric in scores.keys() - fractions.keys():
        _draw_perplexity(axes, metric, scores[metric])
    draw_title(figure, "Training", [row for row in rows if row["stage"] == "training"])
    draw_legend_below(figure, axes)
    return figure


def _some(rows: Sequence[Row]) -> Sequence[Row]:
    if not rows:
        raise PolyprobeError("There is nothing to draw: no row of stage probing.")
    return rows


def _draw_layer(axes: Axes, rows: Sequence[Row], label: str, number: int) -> None:
    colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
    rows = sorted((row for row in rows if row.get("epoch") is not None), key=epoch_order)
    low, high = (percents(row.get(end, value_of(row)) for row in rows) for end in ("interval_low", "interval_high"))
    epochs = [row["epoch"] for row in rows]
    axes.fill_between(epochs, low, high, color=colour, alpha=0.2, linewidth=0)
    accuracies = percents(map(value_of, rows))
    axes.plot(epochs, accuracies, color=colour, marker=marker, markersize=4, linewidth=1.6, label=label)


def _draw_downstream(axes: Axes, scores: dict[str, dict[int, float]]) -> list[int]:
    """Draws the first metric, the task's own; returns its last epoch, if there is one."""
    for metric, by_epoch in scores.items():
        if not is_fraction(metric):
            continue
        axes.plot(
            [*by_epoch], percents(by_epoch.values()), label=f"downstream dev {metric_in_words(metric)}", **DOWNSTREAM
        )
        return [max(by_epoch)]
    return []


def _draw_marks(axes: Axes, rows: Sequence[Row], tests: list[tuple], number: int, n_layers: int) -> None:
    shift = -0.4 + (number + 0.5) * 0.8 / n_layers
    places = [tests.index((row["suite"], row["test"])) + shift for row in rows]
    label, colour = _layer_label(rows[0].get("layer")), COLOURS[number % len(COLOURS)]
    for place, row in zip(places, rows, strict=True):
        interval = percents(row.get(end, value_of(row)) for end in ("interval_low", "interval_high"))
        axes.plot(interval, [place, place], color=colour, linewidth=1.5)
    look = {"color": colour, "marker": MARKERS[number % len(MARKERS)], "linestyle": "none"}
    axes.plot(percents(map(value_of, rows)), places, markersize=6, label=label, **look)
    for column, style in OF_LAYERS.items():
        both = zip(places, rows, strict=True)
        known = [(100 * row[column], place) for place, row in both if row.get(column) is not None]
        axes.plot(*_parted(known), **{**look, "marker": style["marker"]}, markersize=6)


def _draw_across_bands(axes: Axes, column: str, firsts: Sequence[Row], style: dict) -> None:
    """Draws a baseline of each test as a line across its band."""
    known = [(place, 100 * row[column]) for place, row in enumerate(firsts) if row.get(column) is not None]
    for number, (place, value) in enumerate(known):
        label = column if number == 0 else None
        axes.plot([value, value], [place - 0.46, place + 0.46], label=label, **style)


def _parted(points: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [x for x, _ in points], [y for _, y in points]


def _draw_trivial_baselines(axes: Axes, rows: Iterable[Row], metric: str) -> None:
    """Draws what the baselines of a task reach on dev by its main metric."""
    for row in rows:
        is_asked = row["stage"] == "baseline" and row["split"] == "dev" and row["metric"] == metric
        if is_asked and not row.get("test") and row["value"] is not None:
            label = f"{metric_in_words(metric)} of the baseline {row.get('encoder')}"
            axes.axhline(100 * row["value"], label=label, **OF_TESTS["majority"])


def _mark_best(axes: Axes, by_epoch: dict[int, float]) -> None:
    best = max(by_epoch, key=by_epoch.get)
    text = f"best: {percent(by_epoch[best])}, epoch {best}"
    axes.plot([best], [100 * by_epoch[best]], marker="*", markersize=13, color="black", linestyle="none", label=text)


def _draw_perplexity(axes: Axes, metric: str, by_epoch: dict[int, float]) -> None:
    """Draws perplexities on an axis of their own, at the right, whose steps are factors."""
    right = axes.twinx()
    best = min(by_epoch, key=by_epoch.get)
    right.plot([*by_epoch], [*by_epoch.values()], color="black", linewidth=2)
    right.plot([best], [by_epoch[best]], marker="*", markersize=13, color="black", linestyle="none")
    right.set(yscale="log", ylabel=f"dev {metric_in_words(metric)}")
    axes.plot([], [], color="black", linewidth=2, label=f"dev {metric_in_words(metric)}")
    text = f"best: {written_score(metric, by_epoch[best])}, epoch {best}"
    axes.plot([], [], marker="*", markersize=13, color="black", linestyle="none", label=text)


def epoch_axis(axes: Axes, epochs: set[int]) -> None:
    """Sets axes up for epochs."""
    axes.grid(alpha=0.3)
    if len(epochs) <= MOST_EPOCH_TICKS:
        axes.set_xticks(sorted(epochs))
    else:
        axes.xaxis.set_major_locator(MaxNLocator(MOST_EPOCH_TICKS, integer=True))


def _layer_label(layer: str | None) -> str:
    if layer is None:
        return "accuracy"
    return layer if layer.startswith("layer") else f"layer {layer}"
