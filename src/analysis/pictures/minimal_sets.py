"""Draws accuracy in minimal sets: by construction with intervals, as a heat map of many models, or by epoch."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from src.analysis.pictures.epoch_curves import epoch_axis
from src.analysis.pictures.heat_maps import draw_cells
from src.analysis.pictures.panels import (
    COLOURS,
    MARKERS,
    draw_legend_below,
    new_figure,
    new_panels,
    percents,
    save_figure,
    write_title,
)
from src.analysis.pictures.percent_axes import CLOSE, limit_heights, limit_widths, limits
from src.analysis.results.minimal_set_grid import Column, MinimalSetGrid, minimal_set_grid
from src.analysis.results.minimal_set_rows import ACCURACY, AVERAGE, group_rows, groupings
from src.analysis.results.rows import Row, distinct, model_in_words, percent, said, value_of
from src.errors import PolyprobeError
from src.formats.files.file_names import file_name
from src.runs.results import FEW_ITEMS

AXIS = "accuracy (%)"


def draw_minimal_sets(rows: Iterable[Row], path: Path, axis: str = CLOSE) -> list[Path]:
    """Writes the picture of `minimal_set_figure` as PNG and PDF; `path` is without its ending. Returns the files."""
    return save_figure(minimal_set_figure(rows, axis), path)


def draw_groups(rows: Iterable[Row], path: Path, axis: str = CLOSE) -> list[Path]:
    """Draws each way to group constructions like the constructions, as `<path>_<grouping>`. Returns the files."""
    rows = list(rows)
    files = []
    for grouping in groupings(rows):
        place = path.with_name(file_name(f"{path.name}_{grouping}"))
        files += save_figure(minimal_set_figure(group_rows(rows, grouping), axis), place)
    return files


def minimal_set_figure(rows: Iterable[Row], axis: str = CLOSE) -> Figure:
    """Draws what suits the rows: curves over epochs, intervals of a few models, a heat map of many.

    Raises:
        PolyprobeError: there is no row of stage minimal_sets.
    """
    grid = minimal_set_grid(rows, ACCURACY)
    if not grid.rows:
        raise PolyprobeError("There is nothing to draw: no row of stage minimal_sets.")
    if len(grid.columns) > len(_models(grid)) and all(row.get("epoch") is not None for row in grid.rows):
        return curves_figure(grid, axis)
    return intervals_figure(grid, axis) if len(grid.columns) <= len(COLOURS) else heat_map_figure(grid, axis)


def intervals_figure(grid: MinimalSetGrid, axis: str = CLOSE) -> Figure:
    """Draws a line per construction: the accuracy of each column in its 95 % interval."""
    n = len(grid.columns)
    figure = new_figure(7.5, 1.7 + len(grid.constructions) * (0.22 + 0.13 * n))
    axes = figure.add_subplot()
    for number, (column, header) in enumerate(zip(grid.columns, grid.headers(), strict=True)):
        _draw_intervals(axes, _of_column(grid, column), header.replace("\n", ", "), number, n)
    axes.set_yticks(range(len(grid.constructions)), _titles(grid))
    limit_widths(axes, axis)
    axes.set(xlabel=AXIS, ylim=(len(grid.constructions) - 0.4, -0.6))
    axes.grid(axis="x", alpha=0.3)
    _draw_title(figure, "Accuracy in minimal sets", grid)
    if n > 1:
        draw_legend_below(figure, axes)
    return figure


def heat_map_figure(grid: MinimalSetGrid, axis: str = CLOSE) -> Figure:
    """Draws accuracy in percent: a line per construction, a column per language, model and epoch."""
    values = 100 * grid.values("value")
    figure = new_figure(max(5.5, 2.6 + 0.55 * len(grid.columns)), 1.8 + 0.32 * len(grid.constructions))
    axes = figure.add_subplot()
    words = [["" if np.isnan(value) else f"{value:.0f}" for value in line] for line in values]
    draw_cells(figure, axes, values, AXIS, words, limits(values.ravel().tolist(), axis))
    axes.set_yticks(range(len(grid.constructions)), _titles(grid))
    headers = [header.replace("\n", ", ") for header in grid.headers()]
    axes.set_xticks(range(len(headers)), headers, rotation=45, ha="right")
    _draw_title(figure, "Accuracy in minimal sets", grid)
    return figure


def curves_figure(grid: MinimalSetGrid, axis: str = CLOSE) -> Figure:
    """Draws a panel per construction: accuracy by epoch in its 95 % band, a line per language and model."""
    titles = [*_titles(grid), AVERAGE] if len(grid.common) > 1 else _titles(grid)
    figure, panels = new_panels(len(titles), "epochs of training")
    epochs = {epoch for *_, epoch in grid.columns}
    labels = _labels(grid)
    for place, (panel, title) in enumerate(zip(panels, titles, strict=True)):
        panel.set_title(title)
        for number, model in enumerate(_models(grid)):
            columns = [column for column in grid.columns if column[:3] == model]
            _draw_curve(panel, _points(grid, columns, place), labels[model], number)
        epoch_axis(panel, epochs)
    limit_heights(panels, axis)
    figure.supylabel(AXIS, fontsize=10)
    _draw_title(figure, "Accuracy in minimal sets by epoch", grid)
    if len(labels) > 1:
        draw_legend_below(figure, panels[0])
    return figure


def _models(grid: MinimalSetGrid) -> list[tuple]:
    return list(dict.fromkeys(column[:3] for column in grid.columns))


def _labels(grid: MinimalSetGrid) -> dict[tuple, str]:
    """Returns the header of each run, language and predictor, without epochs."""
    columns = [(*model, None) for model in _models(grid)]
    headers = MinimalSetGrid([], columns, {}, grid.metric, grid.all_rows).headers()
    return {column[:3]: header.replace("\n", ", ") for column, header in zip(columns, headers, strict=True)}


def _of_column(grid: MinimalSetGrid, column: Column) -> list[Row | None]:
    return [grid.cells.get((one, column)) for one in grid.constructions]


def _points(grid: MinimalSetGrid, columns: Sequence[Column], place: int) -> list[tuple[int, float, float, float]]:
    """Returns epoch, accuracy and the ends of its interval of a construction; without an interval for the average."""
    if place == len(grid.constructions):
        averages = dict(zip(grid.columns, grid.averages().tolist(), strict=True))
        return [(column[3], *[averages[column]] * 3) for column in columns]
    rows = [grid.cells.get((grid.constructions[place], column)) for column in columns]
    return [(row["epoch"], value_of(row), *_interval(row)) for row in rows if row is not None]


def _interval(row: Row) -> tuple[float, float]:
    return row.get("interval_low", value_of(row)), row.get("interval_high", value_of(row))


def _draw_curve(axes: Axes, points: Sequence[tuple], label: str, number: int) -> None:
    colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
    epochs, values, low, high = zip(*points, strict=True) if points else ((), (), (), ())
    axes.fill_between(epochs, percents(low), percents(high), color=colour, alpha=0.2, linewidth=0)
    axes.plot(epochs, percents(values), color=colour, marker=marker, markersize=4, linewidth=1.6, label=label)


def _draw_intervals(axes: Axes, rows: Sequence[Row | None], label: str, number: int, n: int) -> None:
    colour, shift = COLOURS[number], (number - (n - 1) / 2) * 0.7 / n
    known = [(place + shift, row) for place, row in enumerate(rows) if row is not None]
    for place, row in known:
        axes.plot(percents(_interval(row)), [place, place], color=colour, linewidth=1.5)
    places, values = [place for place, _ in known], percents(value_of(row) for _, row in known)
    axes.plot(values, places, color=colour, marker=MARKERS[number], markersize=5, linestyle="none", label=label)
    if n == 1:
        _write_values(axes, known)


def _write_values(axes: Axes, known: Sequence[tuple[float, Row]]) -> None:
    for place, row in known:
        look = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "va": "center", "fontsize": 8}
        axes.annotate(percent(row["value"]), (1, place), (4, 0), **look)


def _titles(grid: MinimalSetGrid) -> list[str]:
    """Names the constructions, with the number of sets where that is small."""
    fewest = [min(row["n"] for row in grid.of(one) if row is not None) for one in grid.constructions]
    return [f"{name} (n={n})" if n < FEW_ITEMS else name for name, n in zip(grid.names(), fewest, strict=True)]


def _draw_title(figure: Figure, what: str, grid: MinimalSetGrid) -> None:
    runs = distinct(grid.rows, "run")
    named = [model_in_words(grid.rows[0]), runs[0][0]] if len(runs) == 1 else []
    write_title(figure, f"{what}: {said(grid.rows, 'lang', 'suite', 'predictor')}", *named)
