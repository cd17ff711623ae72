"""Draws a probe's accuracy by the number of neurons that it sees (Dalvi et al. 2019, section 5)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from polyprobe.analysis.neurons.neuron_settings import BOTTOM, FULL, MINIMAL_SET, RANDOM, RETRAINED, TOP, ZEROED
from polyprobe.analysis.pictures.panels import (
    COLOURS,
    MARKERS,
    draw_baselines,
    draw_legend_below,
    draw_title,
    new_panels,
    percents,
)
from polyprobe.analysis.pictures.percent_axes import CLOSE, limit_heights
from polyprobe.analysis.results.rows import Row, distinct, epoch_order, value_of
from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.file_names import file_name

KEPT = (TOP, BOTTOM, RANDOM)
MANNERS = {ZEROED: {"linestyle": "-"}, RETRAINED: {"linestyle": "--", "markerfacecolor": "white"}}
WHOLE_PROBE = {"color": "black", "linestyle": "-", "linewidth": 0.9, "label": "all neurons"}
STAR = {"marker": "*", "markersize": 11, "markeredgecolor": "black", "linestyle": "none", "zorder": 4}
NARROWEST, ROOM_FOR_LEGEND = 7.0, 0.8  # inches
Curve = tuple[str, Mapping[str, Any], Sequence[Row]]  # its name, its look, its points


def kept_figures(rows: Iterable[Row], axis: str = CLOSE) -> Iterator[tuple[str, Figure]]:
    """Yields a picture of each ranking but the random one, and one of all rankings in either manner, with its name.

    Of several epochs the last at which neurons were kept is drawn.
    """
    points = _points(rows)
    for name in [name for (name,) in distinct(points, "ranking") if name not in (None, RANDOM)]:
        yield file_name(f"kept_by_{name}"), ablations_figure(points, name, axis)
    for manner in MANNERS:
        if any(row["ablation"].endswith(manner) for row in points):
            yield f"rankings_{manner}", rankings_figure(points, manner, axis)


def ablations_figure(rows: Iterable[Row], ranking: str, axis: str = CLOSE) -> Figure:
    """Draws a panel per test: accuracy by number of neurons kept, of one ranking's top and bottom and of random ones.

    Lines are of the run's own probes with the others zeroed, dashes of new probes; bands are 95 % intervals over test
    items. The star is the ranking's minimal set; there is none where only all neurons do. Of several epochs the last is
    drawn.
    """
    points = _points(rows)
    panels = {test: _curves_of_ranking(of_test, ranking) for test, of_test in _by_test(points).items()}
    if not any(row.get("ranking") == ranking for row in points):
        raise PolyprobeError(f'There is nothing to draw: no accuracy of the ranking "{ranking}".')
    return _figure(points, panels, {ranking: "black"}, f"Neurons kept, ranking {ranking}", axis)


def rankings_figure(rows: Iterable[Row], manner: str, axis: str = CLOSE) -> Figure:
    """Draws a panel per test: accuracy by number of neurons kept, the top of each ranking, ZEROED or RETRAINED.

    Of several epochs the last is drawn.
    """
    points = _points(rows)
    best = [row for row in points if row["ablation"] in (f"{TOP}_{manner}", f"{RANDOM}_{manner}")]
    names = [name for (name,) in distinct(best, "ranking")]
    if not names:
        raise PolyprobeError(f"There is nothing to draw: no accuracy of {manner} neurons.")
    panels = {
        test: [
            (name, _look(number), [row for row in best if (row["test"], row["ranking"]) == (test, name)])
            for number, name in enumerate(names)
        ]
        for test in _by_test(points)
    }
    starred = {name: _look(number)["color"] for number, name in enumerate(names)} if manner == RETRAINED else {}
    return _figure(points, panels, starred, f"Neurons kept by ranking, {manner}", axis)


def _curves_of_ranking(rows: Sequence[Row], ranking: str) -> list[Curve]:
    curves = []
    for manner, look in MANNERS.items():
        for number, kept in enumerate(KEPT):
            of_curve = [row for row in rows if row["ablation"] == f"{kept}_{manner}"]
            of_curve = [row for row in of_curve if kept == RANDOM or row["ranking"] == ranking]
            if of_curve:
                curves.append((f"{kept}, {manner}", {**_look(number), **look}, of_curve))
    return curves


def _figure(
    rows: Sequence[Row], panels: Mapping[str, Sequence[Curve]], stars: Mapping[str, str], what: str, axis: str
) -> Figure:
    """Draws curves by test, and minimal sets of rankings in the colours of `stars`."""
    figure, drawn = new_panels(len(panels), "neurons kept")
    figure.set_size_inches(max(NARROWEST, figure.get_figwidth()), figure.get_figheight() + ROOM_FOR_LEGEND)
    for axes, (test, curves) in zip(drawn, panels.items(), strict=True):
        _draw_test(axes, [row for row in rows if row["test"] == test], curves, stars)
        axes.set_title(test, fontsize=10)
    limit_heights(drawn, axis)
    figure.supylabel("accuracy (%)", fontsize=10)
    epoch = rows[0].get("epoch")
    draw_title(figure, what if epoch is None else f"{what}, epoch {epoch}", rows)
    draw_legend_below(figure, max(drawn, key=lambda axes: len(axes.get_legend_handles_labels()[1])))
    return figure


def _draw_test(axes: Axes, rows: Sequence[Row], curves: Sequence[Curve], stars: Mapping[str, str]) -> None:
    for name, look, points in curves:
        points = sorted(points, key=lambda row: row["neurons"])
        places = [row["neurons"] for row in points]
        low, high = (
            percents(row.get(end, value_of(row)) for row in points) for end in ("interval_low", "interval_high")
        )
        axes.fill_between(places, low, high, color=look["color"], alpha=0.13, linewidth=0)
        axes.plot(places, percents(map(value_of, points)), label=name, linewidth=1.3, markersize=3.5, **look)
    n_neurons = max(row["neurons"] for row in rows)
    sets = [row for row in rows if row["ablation"] == MINIMAL_SET and row["ranking"] in stars]
    sets = [row for row in sets if row["neurons"] < n_neurons]
    for row in sets:
        axes.plot([row["neurons"]], [100 * value_of(row)], color=stars[row["ranking"]], **STAR)
    if sets:
        axes.plot([], [], color="black", label="minimal set", **STAR)
    for row in rows:
        if row["ablation"] == FULL:
            axes.axhline(100 * value_of(row), **WHOLE_PROBE)
            draw_baselines(axes, row)
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(numticks=5))
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.grid(alpha=0.3)


def _points(rows: Iterable[Row]) -> list[Row]:
    """Returns the accuracies on test items, at the last epoch at which neurons were kept."""
    points = [row for row in rows if row["metric"] == "accuracy" and row["split"] == "test" and row.get("neurons")]
    last = max((epoch_order(row) for row in points if row["ablation"] != FULL), default=None)
    return [row for row in points if epoch_order(row) == last]


def _by_test(points: Sequence[Row]) -> dict[str, list[Row]]:
    return {test: [row for row in points if row["test"] == test] for (test,) in distinct(points, "test")}


def _look(number: int) -> dict[str, str]:
    return {"color": COLOURS[number % len(COLOURS)], "marker": MARKERS[number % len(MARKERS)]}
