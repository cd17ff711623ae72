"""The pictures that suit what a run found: points in their 95 % intervals, a band for each test, task or construction;
curves and heat maps beside.
"""

from collections.abc import Iterable, Iterator, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from polyprobe.analysis.pictures.curves import (
    FEWEST_LAYERS,
    epochs_figure,
    layers_figure,
    models_figure,
)
from polyprobe.analysis.pictures.heat_maps import heat_map_figure, scores_map
from polyprobe.analysis.pictures.panels import (
    COLOURS,
    GREY,
    MARKERS,
    OF_LAYERS,
    OF_TESTS,
    baselines_in_words,
    draw_legend_below,
    draw_title,
    layer_label,
    limit_widths,
    name_baselines_of_layers,
    new_figure,
    percents,
    test_title,
    title_of_grid,
)
from polyprobe.analysis.results.kinds import PROBING, Kind, groupings, groups_of
from polyprobe.analysis.results.result_grid import Grid, grid_of
from polyprobe.analysis.results.rows import Row, distinct, interval_of, percent, probing_rows, value_of
from polyprobe.formats.files.file_names import file_name


def probing_figures(rows: Sequence[Row]) -> Iterator[tuple[str, Figure]]:
    """Yields the pictures of accuracies of probes with their names; of several tests and layers a map, too."""
    probing = probing_rows(rows)
    yield "probing", probing_figure(rows)
    if len(distinct(probing, "suite", "test")) > 1 and len(distinct(probing, "layer")) >= FEWEST_LAYERS:
        yield "heat_map", heat_map_figure(rows)


def probing_figure(rows: Iterable[Row]) -> Figure:
    """Draws what suits the rows of a probing run: curves over epochs, curves over layers, or marks."""
    rows = list(rows)
    probing = probing_rows(rows)
    if any(row.get("epoch") is not None for row in probing):
        return epochs_figure(rows)
    has_curves = len(distinct(probing, "layer")) >= FEWEST_LAYERS
    return layers_figure(rows) if has_curves else marks_figure(rows)


def figures_of_kind(kind: Kind, rows: Iterable[Row], name: str) -> Iterator[tuple[str, Figure]]:
    """Yields the picture of tasks or constructions, and of each way to group these one like it, `<name>_<grouping>`."""
    rows = list(rows)
    yield name, scores_figure(kind, rows)
    for grouping in groupings(rows) if kind.is_of_sets else ():
        yield file_name(f"{name}_{grouping}"), scores_figure(groups_of(grouping), rows)


def scores_figure(kind: Kind, rows: Iterable[Row]) -> Figure:
    """Draws what suits tasks or constructions: curves over epochs, points of a few columns, else a heat map."""
    grid = grid_of(kind, rows)
    models = {column[:-1] for column in grid.columns}
    if kind.is_of_sets and len(grid.columns) > len(models) and all(column[-1] is not None for column in grid.columns):
        return models_figure(grid)
    return points_figure(grid) if len(grid.columns) <= len(COLOURS) else scores_map(grid)


def points_figure(grid: Grid) -> Figure:
    """Draws a point for each line and column of a grid, and where lines have a largest class its share."""
    n = len(grid.columns)
    figure = new_figure(7.5, 1.7 + len(grid.lines) * (0.22 + 0.13 * n))
    axes = figure.add_subplot()
    for number, (column, header) in enumerate(zip(grid.columns, grid.one_line_headers(), strict=True)):
        shift = (number - (n - 1) / 2) * 0.7 / n
        known = [(place + shift, row) for place, row in enumerate(grid.of_column(column)) if row is not None]
        _draw_points(axes, known, header, number, 5)
        if n == 1:
            _write_values(axes, known)
    firsts = [grid.known(line)[0] for line in grid.lines]
    chance = [(row["majority"], place) for place, row in enumerate(firsts) if row.get("majority") is not None]
    if chance:
        shares, places = zip(*chance, strict=True)
        look = {"color": GREY, "marker": "|", "markersize": 12, "linestyle": "none", "label": "largest class"}
        axes.plot(percents(shares), places, **look)
    _set_up(axes, grid.titles(), grid.kind.axis)
    title_of_grid(figure, grid.kind.title, grid)
    if n > 1 or chance:
        draw_legend_below(figure, axes)
    return figure


def marks_figure(rows: Iterable[Row]) -> Figure:
    """Draws a band per test: accuracy of each layer with its 95 % interval, with its baselines."""
    probing = probing_rows(rows)
    tests, layers = distinct(probing, "suite", "test"), distinct(probing, "layer")
    figure = new_figure(7.5, 1.7 + len(tests) * (0.24 + 0.16 * len(layers)))
    axes = figure.add_subplot()
    for number, (layer,) in enumerate(layers):
        _draw_layer(axes, [row for row in probing if row.get("layer") == layer], tests, number, len(layers))
    name_baselines_of_layers(axes, probing)
    firsts = [next(row for row in probing if (row["suite"], row["test"]) == test) for test in tests]
    names = baselines_in_words(probing)
    for column, style in OF_TESTS.items():
        _draw_across_bands(axes, column, names[column], firsts, style)
    _set_up(axes, [test_title(row, tests) for row in firsts], PROBING.axis)
    draw_title(figure, PROBING.title, probing)
    draw_legend_below(figure, axes)
    return figure


def _draw_points(axes: Axes, known: Sequence[tuple[float, Row]], label: str, number: int, size: float) -> None:
    colour = COLOURS[number % len(COLOURS)]
    for place, row in known:
        axes.plot(percents(interval_of(row)), [place, place], color=colour, linewidth=1.5)
    look = {"color": colour, "marker": MARKERS[number % len(MARKERS)], "markersize": size, "linestyle": "none"}
    axes.plot(percents(value_of(row) for _, row in known), [place for place, _ in known], label=label, **look)


def _write_values(axes: Axes, known: Sequence[tuple[float, Row]]) -> None:
    look = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "va": "center", "fontsize": 8}
    for place, row in known:
        axes.annotate(percent(row["value"]), (1, place), (4, 0), **look)


def _draw_layer(axes: Axes, rows: Sequence[Row], tests: list[tuple], number: int, n_layers: int) -> None:
    """Draws the accuracies of a layer in the bands of their tests, and what its random encoder and control reach."""
    shift = -0.4 + (number + 0.5) * 0.8 / n_layers
    placed = [(tests.index((row["suite"], row["test"])) + shift, row) for row in rows]
    _draw_points(axes, placed, layer_label(rows[0].get("layer")), number, 6)
    look = {"color": COLOURS[number % len(COLOURS)], "linestyle": "none", "markersize": 6}
    for column, style in OF_LAYERS.items():
        known = [(100 * row[column], place) for place, row in placed if row.get(column) is not None]
        axes.plot([x for x, _ in known], [y for _, y in known], marker=style["marker"], **look)


def _draw_across_bands(axes: Axes, column: str, name: str | None, firsts: Sequence[Row], style: dict) -> None:
    """Draws a baseline of each test as a line across its band."""
    known = [(place, 100 * row[column]) for place, row in enumerate(firsts) if row.get(column) is not None]
    for number, (place, value) in enumerate(known):
        label = name if number == 0 else None
        axes.plot([value, value], [place - 0.46, place + 0.46], label=label, **style)


def _set_up(axes: Axes, names: Sequence[str], meaning: str) -> None:
    axes.set_yticks(range(len(names)), names)
    limit_widths(axes)
    axes.set(xlabel=meaning, ylim=(len(names) - 0.4, -0.6))
    axes.grid(axis="x", alpha=0.3)
