"""Probing curves and training curves, as PNG for the screen and PDF for papers."""

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from src.analysis.rows import (
    Row,
    distinct,
    epoch_order,
    epoch_scores,
    in_words,
    percent,
    probing_rows,
    rests_on_few_items,
)
from src.formats.atomic import written_atomically
from src.formats.errors import PolyprobeError

# Told apart by readers with any colour vision (Okabe & Ito 2008), and by their markers in black and white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = ("o", "s", "^", "D", "v", "P")
DOWNSTREAM = {"color": "#444444", "linestyle": "--", "linewidth": 1.3, "marker": "x", "markersize": 4}
MAJORITY = {"color": "#444444", "linestyle": ":", "linewidth": 1.5}
PANELS_ABREAST = 4
MOST_EPOCH_TICKS = 6
LETTERS_PER_INCH, LETTERS_PER_HANDLE = 13, 8  # of the legend
FORMATS = {"png": {"dpi": 150}, "pdf": {"metadata": {"CreationDate": None}}}


def draw_probing_curves(rows: Iterable[Row], path: Path) -> list[Path]:
    """Writes the picture of a probing run: curves over epochs, or bars for an encoder without epochs.

    Args:
        rows: of one run.
        path: of the picture without its ending; `.png` and `.pdf` are written.

    Returns:
        the files written.

    Raises:
        PolyprobeError: there is no probing row.
    """
    rows = list(rows)
    has_epochs = any(row.get("epoch") is not None for row in probing_rows(rows))
    return _save(curves_figure(rows) if has_epochs else bars_figure(rows), path)


def draw_training_curve(rows: Iterable[Row], path: Path) -> list[Path]:
    """Writes the picture of a training run: dev scores by epoch, and its probes' where it probes each epoch.

    Arguments, result and errors as for `draw_probing_curves`.
    """
    return _save(training_figure(rows), path)


def curves_figure(rows: Iterable[Row]) -> Figure:
    """Draws a panel per test: accuracy by epoch, a line per layer in its 95 % band, majority and downstream score."""
    rows = list(rows)
    probing = _some(probing_rows(rows))
    tests, layers = distinct(probing, "suite", "test"), distinct(probing, "layer")
    downstream = epoch_scores(rows, "downstream") or epoch_scores(rows, "training")
    figure, panels = _panels(len(tests))
    for panel, test in zip(panels, tests, strict=True):
        of_test = [row for row in probing if (row["suite"], row["test"]) == test]
        panel.set_title(_test_title(of_test[0], tests))
        for number, (layer,) in enumerate(layers):
            label = _layer_label(layer)
            _draw_layer(panel, [row for row in of_test if row.get("layer") == layer], label, number)
        _draw_majority(panel, of_test[0])
        last = _draw_downstream(panel, downstream)
        _epoch_axis(panel, {*last, *(row["epoch"] for row in of_test if row.get("epoch") is not None)})
    figure.supylabel("accuracy, F1 (%)" if downstream else "accuracy (%)", fontsize=10)
    _title(figure, "Probing by epoch", probing)
    _legend_below(figure, panels[0])
    return figure


def bars_figure(rows: Iterable[Row]) -> Figure:
    """Draws a group of bars per test: accuracy of each layer with its 95 % interval, majority as a mark."""
    probing = _some(probing_rows(rows))
    tests, layers = distinct(probing, "suite", "test"), distinct(probing, "layer")
    figure = _figure(7.5, 1.5 + len(tests) * (0.2 + 0.16 * len(layers)))
    axes = figure.add_subplot()
    for number, (layer,) in enumerate(layers):
        _draw_bars(axes, [row for row in probing if row.get("layer") == layer], tests, number, len(layers))
    firsts = [next(row for row in probing if (row["suite"], row["test"]) == test) for test in tests]
    for place, row in enumerate(firsts):
        if row.get("majority") is not None:
            value, label = 100 * row["majority"], "majority" if place == 0 else None
            axes.plot([value, value], [place - 0.46, place + 0.46], color="black", linewidth=2, label=label)
    axes.set_yticks(range(len(tests)), [_test_title(row, tests) for row in firsts])
    axes.set(xlim=(0, 100), xlabel="accuracy (%)", ylim=(len(tests) - 0.4, -0.6))
    axes.grid(axis="x", alpha=0.3)
    _title(figure, "Probing accuracy", probing)
    _legend_below(figure, axes)
    return figure


def training_figure(rows: Iterable[Row]) -> Figure:
    """Draws the dev scores of a training run by epoch, and the accuracies of its probes."""
    rows = list(rows)
    scores = epoch_scores(rows, "training")
    probing = probing_rows(rows)
    if not scores:
        raise PolyprobeError("There is nothing to draw: no row of stage training.")
    figure = _figure(7.5, 4.5)
    axes = figure.add_subplot()
    for number, (metric, by_epoch) in enumerate(scores.items()):
        style = {"color": "black", "linewidth": 2} if number == 0 else DOWNSTREAM
        axes.plot([*by_epoch], _percents(by_epoch.values()), label=f"dev {in_words(metric)}", **style)
    _mark_best(axes, next(iter(scores.values())))
    for number, key in enumerate(distinct(probing, "test", "layer")):
        of_key = [row for row in probing if (row["test"], row.get("layer")) == key]
        _draw_layer(axes, of_key, f"probe {key[0]}, {_layer_label(key[1])}", number)
    _epoch_axis(axes, {epoch for by_epoch in scores.values() for epoch in by_epoch})
    axes.set(xlabel="epochs of training", ylabel="F1, accuracy (%)")
    _title(figure, "Training", [row for row in rows if row["stage"] == "training"])
    _legend_below(figure, axes)
    return figure


def _some(rows: Sequence[Row]) -> Sequence[Row]:
    if not rows:
        raise PolyprobeError("There is nothing to draw: no row of stage probing.")
    return rows


def _figure(width: float, height: float) -> Figure:
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def _panels(n: int) -> tuple[Figure, list[Axes]]:
    n_rows = math.ceil(n / PANELS_ABREAST)
    n_columns = math.ceil(n / n_rows)
    figure = _figure(max(2.5 * n_columns, 5.5), 2.0 * n_rows + 1.4)
    grid = figure.subplots(n_rows, n_columns, sharey=True, squeeze=False).flatten()
    for unused in grid[n:]:
        unused.remove()
    for lowest in grid[max(0, n - n_columns) : n]:
        lowest.set_xlabel("epochs of training")
    return figure, list(grid[:n])


def _draw_layer(axes: Axes, rows: Sequence[Row], label: str, number: int) -> None:
    colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
    rows = sorted((row for row in rows if row.get("epoch") is not None), key=epoch_order)
    low, high = (_percents(row.get(end, row["value"]) for row in rows) for end in ("interval_low", "interval_high"))
    epochs = [row["epoch"] for row in rows]
    axes.fill_between(epochs, low, high, color=colour, alpha=0.2, linewidth=0)
    accuracies = _percents(row["value"] for row in rows)
    axes.plot(epochs, accuracies, color=colour, marker=marker, markersize=4, linewidth=1.6, label=label)


def _draw_majority(axes: Axes, row: Row) -> None:
    if row.get("majority") is not None:
        axes.axhline(100 * row["majority"], label="majority", **MAJORITY)


def _draw_downstream(axes: Axes, scores: dict[str, dict[int, float]]) -> list[int]:
    """Draws the first metric, the task's own; gives its last epoch, if there is one."""
    for metric, by_epoch in scores.items():
        axes.plot([*by_epoch], _percents(by_epoch.values()), label=f"downstream dev {in_words(metric)}", **DOWNSTREAM)
        return [max(by_epoch)]
    return []


def _draw_bars(axes: Axes, rows: Sequence[Row], tests: list[tuple], number: int, n_layers: int) -> None:
    height = 0.8 / n_layers
    places = [tests.index((row["suite"], row["test"])) - 0.4 + (number + 0.5) * height for row in rows]
    label, colour = _layer_label(rows[0].get("layer")), COLOURS[number % len(COLOURS)]
    axes.barh(places, _percents(row["value"] for row in rows), height, color=colour, edgecolor="white", label=label)
    for place, row in zip(places, rows, strict=True):
        interval = _percents(row.get(end, row["value"]) for end in ("interval_low", "interval_high"))
        axes.plot(interval, [place, place], color="black", linewidth=1)


def _mark_best(axes: Axes, by_epoch: dict[int, float]) -> None:
    best = max(by_epoch, key=by_epoch.get)
    text = f"best: {percent(by_epoch[best])}, epoch {best}"
    axes.plot([best], [100 * by_epoch[best]], marker="*", markersize=13, color="black", linestyle="none", label=text)


def _epoch_axis(axes: Axes, epochs: set[int]) -> None:
    axes.set_ylim(0, 100)
    axes.grid(alpha=0.3)
    if len(epochs) <= MOST_EPOCH_TICKS:
        axes.set_xticks(sorted(epochs))
    else:
        axes.xaxis.set_major_locator(MaxNLocator(MOST_EPOCH_TICKS, integer=True))


def _percents(fractions: Iterable[float]) -> list[float]:
    return [100 * fraction for fraction in fractions]


def _test_title(row: Row, tests: list[tuple]) -> str:
    name = row["test"] if len({suite for suite, _ in tests}) == 1 else f"{row['suite']} {row['test']}"
    return f"{name} (n={row['n']})" if rests_on_few_items(row) else name


def _layer_label(layer: str | None) -> str:
    return "accuracy" if layer is None else f"layer {layer}"


def _title(figure: Figure, what: str, rows: Sequence[Row]) -> None:
    first = rows[0]
    said = [f"lang={first['lang']}", *dict.fromkeys(row["suite"] for row in rows)]
    figure.suptitle(f"{what}: {', '.join(said)}\n{first.get('run', '')}", fontsize=11)


def _legend_below(figure: Figure, axes: Axes) -> None:
    handles, labels = axes.get_legend_handles_labels()
    abreast = max(1, int(figure.get_figwidth() * LETTERS_PER_INCH) // (max(map(len, labels)) + LETTERS_PER_HANDLE))
    n_columns = min(abreast, len(labels))
    figure.legend(handles, labels, loc="outside lower center", ncols=n_columns, frameon=False, fontsize=9)


def _save(figure: Figure, path: Path) -> list[Path]:
    files = [path.with_name(f"{path.name}.{ending}") for ending in FORMATS]
    for file, (ending, options) in zip(files, FORMATS.items(), strict=True):
        file.parent.mkdir(parents=True, exist_ok=True)
        with written_atomically(file) as neighbour:
            figure.savefig(neighbour, format=ending, **options)
    return files
