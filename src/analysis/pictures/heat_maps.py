"""Draws heat maps: accuracy of tests by layers, and confusion matrices."""

from collections.abc import Iterable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from polyprobe.analysis.pictures.panels import BLACK, WHOLE, draw_title, limits, new_figure, title_of_grid, write_title
from polyprobe.analysis.results.kinds import BASELINES_OF_LAYERS, PROBING
from polyprobe.analysis.results.paired_runs import confusion_counts
from polyprobe.analysis.results.result_grid import Grid, grid_of
from polyprobe.analysis.results.rows import Row
from polyprobe.runs.array_records import Predictions

COLOUR_MAP = "viridis"  # rises evenly in brightness: readable without colours
DARK = 0.6  # of the range of colours; below it, white letters are readable
MOST_LABELS_WITH_NUMBERS = 25
MOST_LABELS_WITH_NAMES = 80
LARGEST_SIDE = 14  # inches


def scores_map(grid: Grid) -> Figure:
    """Draws the scores of a grid with many columns: a line per task or construction."""
    values = 100 * grid.values("value")
    size = max(5.5, 2.6 + 0.55 * len(grid.columns)), 1.8 + 0.32 * len(grid.lines)
    figure, axes = _map_of_grid(grid, size, grid.kind.axis, limits(values.ravel().tolist()), is_long=True)
    axes.set_yticks(range(len(grid.lines)), grid.titles())
    title_of_grid(figure, grid.kind.title, grid)
    return figure


def heat_map_figure(rows: Iterable[Row]) -> Figure:
    """Draws accuracy in percent: a line per test, a column per layer and epoch.

    Colours reach from the lowest baseline to the highest accuracy.
    """
    grid = grid_of(PROBING, rows)
    known = [100 * grid.values(column) for column in ("value", *PROBING.baselines, *BASELINES_OF_LAYERS)]
    ends = limits(np.concatenate(known).ravel().tolist())
    size = max(5.5, 2.2 + 0.5 * len(grid.columns)), 1.6 + 0.32 * len(grid.lines)
    is_long = max(map(len, grid.one_line_headers())) > 4
    figure, axes = _map_of_grid(grid, size, "accuracy (%)", ends, is_long)
    axes.set_yticks(range(len(grid.lines)), grid.names())
    axes.set_xlabel("layer")
    draw_title(figure, "Probing accuracy", grid.rows)
    return figure


def _map_of_grid(
    grid: Grid, size: tuple[float, float], meaning: str, ends: tuple[float, float], is_long: bool
) -> tuple[Figure, Axes]:
    """Draws the scores of a grid; `is_long`: whether the names of columns lie aslant."""
    percent = 100 * grid.values("value")
    figure = new_figure(*size)
    axes = figure.add_subplot()
    draw_cells(figure, axes, percent, meaning, [[_whole(value) for value in line] for line in percent], ends)
    look = {"rotation": 45 if is_long else 0, "ha": "right" if is_long else "center"}
    axes.set_xticks(range(len(grid.columns)), grid.one_line_headers(), **look)
    return figure, axes


def confusion_figure(predictions: Predictions, layer: str, run: str) -> Figure:
    """Draws how often each gold label was predicted as each label: percent of the gold label, seeds together.

    `run` is what the lines below the title say: the model and the run. Labels that are neither gold nor predicted are
    left out.
    """
    counts = confusion_counts(predictions, layer)
    used = np.flatnonzero(counts.sum(0) + counts.sum(1))
    counts, labels = counts[np.ix_(used, used)], predictions.labels[used].tolist()
    percent = 100 * counts / np.maximum(counts.sum(1, keepdims=True), 1)
    side = min(LARGEST_SIDE, 3.0 + 0.42 * len(labels))
    figure = new_figure(side + 1.5, side)
    axes = figure.add_subplot()
    with_numbers = len(labels) <= MOST_LABELS_WITH_NUMBERS
    words = [[_whole(value) if value else "" for value in line] for line in percent] if with_numbers else None
    draw_cells(figure, axes, percent, "percent of the gold label", words, WHOLE)
    if len(labels) <= MOST_LABELS_WITH_NAMES:
        axes.set_yticks(range(len(labels)), labels)
        axes.set_xticks(range(len(labels)), labels, rotation=45, ha="right")
    axes.set(xlabel="predicted", ylabel="gold")
    write_title(figure, f"Confusion: {predictions.test}, layer {layer}", *run.split("\n"))
    return figure


def draw_cells(
    figure: Figure,
    axes: Axes,
    percent: np.ndarray,
    meaning: str,
    words: list[list[str]] | None,
    ends: tuple[float, float],
) -> None:
    """Draws percentages as colours with a bar that says their `meaning`, and `words` upon them.

    Args:
        percent: float64 `[lines, columns]`.
        ends: of the colours, in percent.
    """
    figure.colorbar(colour_cells(axes, percent, words, ends), ax=axes, label=meaning)


def colour_cells(
    axes: Axes, percent: np.ndarray, words: list[list[str]] | None, ends: tuple[float, float]
) -> AxesImage:
    """Draws as `draw_cells` does, without a bar: several panels share one, made from the image returned."""
    low, high = ends
    image = axes.imshow(percent, vmin=low, vmax=high, cmap=COLOUR_MAP, aspect="auto")
    for (row, column), value in np.ndenumerate(percent) if words else ():
        look = {"color": "white"} if value < low + DARK * (high - low) else {"color": "black", "gid": BLACK}
        axes.text(column, row, words[row][column], ha="center", va="center", fontsize=8, **look)
    return image


def _whole(percent: float) -> str:
    return "" if np.isnan(percent) else f"{percent:.0f}"
