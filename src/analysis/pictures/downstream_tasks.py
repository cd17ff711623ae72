"""Draws the headline scores of downstream tasks: a line per task, a point per run, layer and epoch in its interval."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from src.analysis.pictures.heat_maps import draw_cells
from src.analysis.pictures.panels import (
    COLOURS,
    GREY,
    MARKERS,
    draw_legend_below,
    new_figure,
    percents,
    save_figure,
    write_title,
)
from src.analysis.pictures.percent_axes import CLOSE, limit_widths, limits
from src.analysis.results.downstream_rows import headline_rows
from src.analysis.results.probing_grid import Grid, arranged
from src.analysis.results.rows import Row, distinct, model_in_words, percent, said, value_of
from src.errors import PolyprobeError

AXIS = "accuracy (%), or Pearson's correlation x 100"


def draw_downstream_tasks(rows: Iterable[Row], path: Path, axis: str = CLOSE) -> list[Path]:
    """Writes the picture of `downstream_figure` as PNG and PDF; `path` is without its ending. Returns the files."""
    return save_figure(downstream_figure(rows, axis), path)


def downstream_figure(rows: Iterable[Row], axis: str = CLOSE) -> Figure:
    """Draws a few columns as points in their 95 % intervals, the largest class beside; many as a heat map.

    Raises:
        PolyprobeError: there is no row of stage downstream_task.
    """
    grid = arranged(headline_rows(rows))
    if not grid.rows:
        raise PolyprobeError("There is nothing to draw: no row of stage downstream_task.")
    return _points(grid, axis) if len(grid.columns) <= len(COLOURS) else _heat_map(grid, axis)


def _points(grid: Grid, axis: str) -> Figure:
    n = len(grid.columns)
    figure = new_figure(7.5, 1.7 + len(grid.tests) * (0.22 + 0.13 * n))
    axes = figure.add_subplot()
    for number, (column, header) in enumerate(zip(grid.columns, grid.headers(), strict=True)):
        rows = [grid.cells.get((test, column)) for test in grid.tests]
        _draw_column(axes, rows, header.replace("\n", ", "), number, n)
    chance = [(grid.first(test)["majority"], place) for place, test in enumerate(grid.tests) if _has_chance(grid, test)]
    if chance:
        shares, places = zip(*chance, strict=True)
        look = {"color": GREY, "marker": "|", "markersize": 12, "linestyle": "none", "label": "largest class"}
        axes.plot(percents(shares), places, **look)
    axes.set_yticks(range(len(grid.tests)), grid.test_names())
    limit_widths(axes, axis)
    axes.set(xlabel=AXIS, ylim=(len(grid.tests) - 0.4, -0.6))
    axes.grid(axis="x", alpha=0.3)
    _draw_title(figure, grid)
    if n > 1 or chance:
        draw_legend_below(figure, axes)
    return figure


def _heat_map(grid: Grid, axis: str) -> Figure:
    values = 100 * grid.values("value")
    figure = new_figure(max(5.5, 2.6 + 0.55 * len(grid.columns)), 1.8 + 0.32 * len(grid.tests))
    axes = figure.add_subplot()
    words = [["" if value != value else f"{value:.0f}" for value in line] for line in values]
    draw_cells(figure, axes, values, AXIS, words, limits(values.ravel().tolist(), axis))
    axes.set_yticks(range(len(grid.tests)), grid.test_names())
    headers = [header.replace("\n", ", ") for header in grid.headers()]
    axes.set_xticks(range(len(headers)), headers, rotation=45, ha="right")
    _draw_title(figure, grid)
    return figure


def _draw_column(axes: Axes, rows: Sequence[Row | None], label: str, number: int, n: int) -> None:
    colour, shift = COLOURS[number], (number - (n - 1) / 2) * 0.7 / n
    known = [(place + shift, row) for place, row in enumerate(rows) if row is not None]
    for place, row in known:
        ends = row.get("interval_low", value_of(row)), row.get("interval_high", value_of(row))
        axes.plot(percents(ends), [place, place], color=colour, linewidth=1.5)
    places, values = [place for place, _ in known], percents(value_of(row) for _, row in known)
    axes.plot(values, places, color=colour, marker=MARKERS[number], markersize=5, linestyle="none", label=label)
    if n == 1:
        look = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "va": "center", "fontsize": 8}
        for place, row in known:
            axes.annotate(percent(row["value"]), (1, place), (4, 0), **look)


def _has_chance(grid: Grid, test: tuple[str, str]) -> bool:
    return grid.first(test).get("majority") is not None


def _draw_title(figure: Figure, grid: Grid) -> None:
    runs = distinct(grid.rows, "run")
    named = [model_in_words(grid.rows[0]), runs[0][0]] if len(runs) == 1 else []
    write_title(figure, f"Downstream tasks: {said(grid.rows, 'lang', 'suite', 'encoder')}", *named)
