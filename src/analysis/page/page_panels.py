"""What stands on the page of a run, by the kinds of its results: tables, and figures made of the same grids.

The figures have no arithmetic beside percentages.
"""

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Self

import numpy as np
from markupsafe import Markup

from polyprobe.analysis.neurons.neuron_settings import FULL, RANDOM, TOP, ZEROED
from polyprobe.analysis.neurons.neuron_tables import OF_LAYERS
from polyprobe.analysis.output.tables import Table
from polyprobe.analysis.page.marks import (
    Series,
    around,
    curves,
    heat_map,
    joined,
    key_of_parts,
    legend,
    points,
    stacked,
)
from polyprobe.analysis.results.kinds import BASELINES_OF_LAYERS, Kind, groupings, groups_of
from polyprobe.analysis.results.result_grid import Grid, grid_of
from polyprobe.analysis.results.rows import (
    Row,
    distinct,
    epoch_order,
    epoch_scores,
    interval_of,
    task_by_epoch,
)
from polyprobe.analysis.similarity.similarity_grid import SimilarityGrid, grids_of
from polyprobe.analysis.tables.training import OF_SCORES, notes_on_compared, with_baselines
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.metric_units import is_in_percent, metric_in_words, with_direction

FEWEST_PLACES = 3  # of a curve over layers or epochs
NARROWEST = 20.0  # points from the first to the last colour of percentages: noise shall not look like an effect
MOST_COLUMNS = 6  # of points; more are a heat map
ALL_NEURONS = "all neurons"
BEST_EPOCH = "best epoch, whose model is tested"
LOSS = "train/loss"  # a column of metrics.csv


@dataclass(frozen=True, slots=True)
class Figure:
    """Drawings that belong together."""

    title: str
    drawings: Sequence[Markup]
    key: Markup | None = None
    """What its colours, markers and dashes mean."""


class Marked(str):
    """A cell of text in which some words are marked: those before, these, those behind."""

    def __new__(cls, text: str, *parts: str) -> Self:
        cell = super().__new__(cls, text)
        cell.parts = parts
        return cell


class Shaded(str):
    """A cell of a number with a shade, from 0 to `SHADES`."""

    def __new__(cls, text: str, shade: int = 0) -> Self:
        cell = super().__new__(cls, text)
        cell.shade = shade
        return cell


@dataclass(frozen=True, slots=True)
class Fold:
    """Tables that are opened by a line."""

    title: str
    tables: Sequence[Table]


@dataclass(frozen=True, slots=True)
class Panel:
    """One subject of a page."""

    title: str
    tables: Sequence[Table]
    figures: Callable[[], Sequence[Figure]] = tuple
    grid: Grid | None = None
    """Whose scores the first table has, so that a reader can switch to their differences from baselines."""
    folds: Sequence[Fold] = ()
    title_of_folds: str = ""


def score_figures(kind: Kind, rows: Sequence[Row]) -> list[Figure]:
    """Draws scores: over layers or epochs a heat map and a curve for each line, of a few columns points.

    Constructions are drawn once more by each way to group them.
    """
    groups = [groups_of(grouping) for grouping in groupings(rows)] if kind.is_of_sets else []
    figures = []
    for grid in filter(lambda one: one.rows, (grid_of(one, rows) for one in (kind, *groups))):
        if len(grid.columns) >= FEWEST_PLACES and len({column[:1] for column in grid.columns}) == 1:
            figures += [_map_of_grid(grid), *_curves_of_grid(grid, rows)]
        else:
            figures.append(_points_of_grid(grid) if len(grid.columns) <= MOST_COLUMNS else _map_of_grid(grid))
    return figures


def baselines_of(grid: Grid) -> dict[str, str]:
    """Names the baselines of a grid, by their columns, as its tables do."""
    baselines = {**grid.kind.baselines, **BASELINES_OF_LAYERS}
    return {name: words for name, words in baselines.items() if grid.has(name)}


def _points_of_grid(grid: Grid) -> Figure:
    names, (level, differing) = grid.one_line_headers(), _baselines(grid)
    columns = zip(names, grid.columns, strict=True)
    series = [_series(name, grid.of_column(column), differing) for name, column in columns]
    drawing = points(grid.titles(), series, level, grid.kind.axis)
    key = legend(names if len(names) > 1 else [], _in_key(level, differing))
    return Figure(f"{grid.kind.title}{grid.kind.by}", [drawing], key)


def _baselines(grid: Grid) -> tuple[dict[str, list[float]], dict[str, str]]:
    """Returns the baselines that are equal in all columns, by name a percentage of each line; of others the names."""
    level, differing = {}, {}
    for name, words in baselines_of(grid).items():
        of_lines = [{row.get(name) for row in grid.known(line)} for line in grid.lines]
        if name in BASELINES_OF_LAYERS or max(map(len, of_lines)) > 1:
            differing[name] = words
        else:
            level[words] = [_percent(value) for (value,) in of_lines]
    return level, differing


def _in_key(level: Mapping[str, Sequence[float]], differing: Mapping[str, str]) -> list[str]:
    return [*joined({name: tuple(values) for name, values in level.items()}), *differing.values()]


def _map_of_grid(grid: Grid) -> Figure:
    title = f"{grid.kind.title}{grid.kind.by} (%)"
    values = (100 * grid.values("value")).tolist()
    return Figure(title, [heat_map(title, grid.titles(), _short(grid), values, narrowest=NARROWEST)])


def _curves_of_grid(grid: Grid, rows: Sequence[Row]) -> list[Figure]:
    """Draws a panel for each line: over epochs a curve for each layer or model, else one over the layers.

    Beside curves over epochs the score of the trained task on dev, where the rows of the run have it.
    """
    over_epochs = all(column[-1] is not None for column in grid.columns)
    groups = list(dict.fromkeys(column[1:-1] for column in grid.columns)) if over_epochs else [()]
    places = sorted({column[-1] for column in grid.columns}) if over_epochs else list(grid.columns)
    if len(places) < FEWEST_PLACES:
        return []
    labels = places if over_epochs else _short(grid)
    names = [" ".join(str(part) for part in group if part is not None) or grid.kind.title for group in groups]
    run, drawings = grid.columns[0][0], []
    of_task = task_by_epoch(rows) if over_epochs else {}
    metric, by_epoch = next(iter(of_task.items()), ("", {}))
    scale = 100 if is_in_percent(metric) else 1
    beside = {epoch: scale * value for epoch, value in by_epoch.items()}
    task = [f"task = {metric_in_words(metric)} on dev, axis at the right"] if beside else []
    level, differing = _baselines(grid)
    of_values = ("value", "interval_low", "interval_high", *baselines_of(grid))
    ends = around(100 * value for name in of_values if grid.has(name) for value in grid.values(name).ravel().tolist())
    for number, (line, title) in enumerate(zip(grid.lines, grid.titles(), strict=True)):
        columns = [[(run, *group, place) for place in places] if over_epochs else places for group in groups]
        series = [
            _series(name, [grid.cells.get((line, column)) for column in of_group], differing)
            for name, of_group in zip(names, columns, strict=True)
        ]
        levels = {name: values[number] for name, values in level.items()}
        drawings.append(curves(title, labels, series, levels, ends, beside))
    over = "epochs of training" if over_epochs else "layers"
    return [
        Figure(
            f"{grid.kind.title} over {over} (%)",
            drawings,
            legend(names, [*_in_key(level, differing), *task]),
        )
    ]


def _short(grid: Grid) -> list[str]:
    """Returns headers for an axis: what differs between them, of layers and epochs their numbers."""
    parts = [header.split("\n") for header in grid.headers()]
    is_alike = len(set(map(len, parts))) == 1
    shown = [place for place in range(len(parts[0])) if is_alike and len({part[place] for part in parts}) > 1]
    headers = [", ".join(part[place] for place in shown) for part in parts] if shown else grid.one_line_headers()
    numbers = [header.removeprefix("layer_").removeprefix("epoch ") for header in headers]
    return numbers if all(number.isdecimal() for number in numbers) else headers


def _series(name: str, rows: Sequence[Row | None], baselines: Mapping[str, str] = MappingProxyType({})) -> Series:
    """Returns the scores of rows, and what the baselines of these columns reach where they do."""
    ends = [(None, None) if row is None else interval_of(row) for row in rows]
    values = [_percent(None if row is None else row["value"]) for row in rows]
    reached = {
        words: [_percent(None if row is None else row.get(one)) for row in rows] for one, words in baselines.items()
    }
    return Series(name, values, *([_percent(one) for one in side] for side in zip(*ends, strict=True)), reached)


def _percent(fraction: float | None) -> float:
    return np.nan if fraction is None else 100 * fraction


def training_figures(rows: Sequence[Row]) -> list[Figure]:
    """Draws the dev scores of a training run by epoch, a panel for each metric, with a mark at the best epoch."""
    best = {row["epoch"] for row in rows if row["stage"] == "test" and row.get("epoch") is not None}
    drawings = []
    for metric, by_epoch in epoch_scores(rows, "training").items():
        scale = 100 if is_in_percent(metric) else 1
        values = [scale * value for value in by_epoch.values()]
        at_best = [value if epoch in best else np.nan for epoch, value in zip(by_epoch, values, strict=True)]
        series = [Series(name, of, of, of) for name, of in (("dev", values), (BEST_EPOCH, at_best))]
        name = f"{metric_in_words(metric)} (%)" if scale == 100 else with_direction(metric)
        drawings.append(curves(name, [*by_epoch], series, {}, around(values)))
    key = legend(["dev", BEST_EPOCH], [])
    return [Figure("Scores on dev over epochs of training", drawings, key)] if drawings else []


def training_panels(run: RunDirectory, rows: Sequence[Row]) -> list[Panel]:
    """Returns the panel of a training beyond its scores: each label, the loss, further commands."""
    tested = [row for row in rows if row["stage"] == "test"]
    if not tested:
        return []
    labels = with_baselines([row for row in tested if row.get("test")], rows)
    cells = {"n": lambda one: f"{one[0]['n']:,}"} | {name: OF_SCORES[name] for name in OF_SCORES if name != "n"}
    left = {
        "split": lambda one: one[0]["split"],
        "label": lambda one: one[0]["test"],
        "metric": lambda one: metric_in_words(one[0]["metric"]),
    }
    by_label = Table.of(labels, left, cells).titled("Scores by label (%)", notes_on_compared(labels))
    tables = [by_label] if labels else []
    folds = [Fold("Commands to go on", [Table(["command"], [], [[one] for one in _further(run, tested[0])])])]
    return [Panel("Training in detail", tables, partial(_losses, run), folds=folds)]


def _further(run: RunDirectory, row: Row) -> list[str]:
    """Returns what can be typed next about a trained model."""
    trained = f"runs/train/{run.name}"
    if row["suite"] == "lm":
        return [f"python probe.py suite=clams lang={row['lang']} predictor=lstm predictor.run={trained}"]
    return [f"python probe.py lang={row['lang']} encoder=checkpoint encoder.run={trained}"]


def _losses(run: RunDirectory) -> list[Figure]:
    if not run.metrics.is_file():
        return []
    lines = [*csv.DictReader(run.metrics.read_text(encoding="utf-8").splitlines())]
    losses = {int(line["epoch"]): float(line[LOSS]) for line in lines if line.get(LOSS)}
    values = [*losses.values()]
    if len(values) < 2:
        return []
    drawing = curves("loss", [*losses], [Series("train", values, values, values)], {}, around(values))
    return [Figure("Loss on train over epochs", [drawing])]


def neuron_figures(rows: Sequence[Row]) -> list[Figure]:
    """Draws accuracy by the number of neurons kept, at the last epoch: the best of each ranking, and random ones."""
    points = [row for row in rows if row.get("ablation") and row["split"] == "test" and row.get("neurons")]
    last = max((epoch_order(row) for row in points if row["ablation"] != FULL), default=None)
    points = [row for row in points if epoch_order(row) == last]
    counted = [row for row in rows if row["metric"] in OF_LAYERS]
    counted = [row for row in counted if epoch_order(row) == max(map(epoch_order, counted))]
    layers = [str(layer) for (layer,) in distinct(counted, "layer")]
    lines = {}
    for row in counted:
        lines.setdefault(f"{row['test']}, {OF_LAYERS[row['metric']]}", {})[str(row["layer"])] = row["value"] or 0.0
    counts = [[of_line.get(layer, 0.0) for layer in layers] for of_line in lines.values()]
    by_layer = Figure("Top neurons by layer", [stacked([*lines], layers, counts)], key_of_parts(layers))
    return [*_kept(points), *([by_layer] if counted else [])]


def _kept(points: Sequence[Row]) -> list[Figure]:
    kept = [row for row in points if row["ablation"] in (f"{TOP}_{ZEROED}", f"{RANDOM}_{ZEROED}")]
    rankings = [ranking for (ranking,) in distinct(kept, "ranking")]
    sizes = sorted({row["neurons"] for row in kept})
    cells = {(row["test"], row["ranking"], row["neurons"]): row for row in kept}
    drawings = []
    for whole in (row for row in points if row["ablation"] == FULL):
        of_test = [(ranking, [cells.get((whole["test"], ranking, size)) for size in sizes]) for ranking in rankings]
        series = [_series(*one) for one in of_test]
        levels = {ALL_NEURONS: _percent(whole["value"]), "majority": _percent(whole.get("majority"))}
        known = [value for one in series for side in (one.values, one.low, one.high) for value in side]
        ends = around([*known, *levels.values()])
        drawings.append(curves(whole["test"], [f"{size:,}" for size in sizes], series, levels, ends))
    title = f"Accuracy by number of neurons kept, {ZEROED} (%)"
    return [Figure(title, drawings, legend(rankings, [ALL_NEURONS, "majority"]))] if kept else []


def similarity_figures(rows: Sequence[Row]) -> list[Figure]:
    """Draws the similarities of all layers, a heat map for each test and measure."""
    return [figure for grid in grids_of(rows) for measure in grid.measures for figure in _similarities(grid, measure)]


def _similarities(grid: SimilarityGrid, measure: str) -> list[Figure]:
    """Draws a measure, and what is left of it where the items of one side are shuffled, if that is known."""
    names = [f"{grid.short_labels[one.source]} {one.name}" if len(grid.blocks) > 1 else one.name for one in grid.layers]
    ends, found = [one.name for one in grid.layers], grid.measures[measure]
    title = f"{measure} of layers on {grid.first['test']}"
    figures = [Figure(title, [heat_map(title, names, ends, found.values.tolist())])]
    if np.isfinite(found.permuted).any():
        title = f"{title}, items permuted: what chance leaves"
        permuted = heat_map(title, names, ends, found.permuted.tolist(), like=found.values.tolist())
        figures.append(Figure(f"{title} (colours as before)", [permuted]))
    return figures
