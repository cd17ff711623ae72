"""What stands on the page of a run, by the kinds of its results: figures, tables, and the first sentence."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from polyprobe.analysis.neurons.neuron_settings import STAGE as NEURONS
from polyprobe.analysis.neurons.neurons_job import neuron_tables
from polyprobe.analysis.output.tables import Table
from polyprobe.analysis.page.figures import (
    Figure,
    figures_of_grid,
    neuron_figures,
    similarity_figures,
    training_figures,
)
from polyprobe.analysis.reports.finished_run import tables_of_kind
from polyprobe.analysis.reports.generated import tables_of_made
from polyprobe.analysis.results.kinds import KINDS, Kind, groupings, groups_of
from polyprobe.analysis.results.result_grid import Grid, grid_of
from polyprobe.analysis.results.rows import Row
from polyprobe.analysis.similarity.similarity_grid import STAGE as SIMILARITY
from polyprobe.analysis.similarity.similarity_grid import grids_of, similarity_tables
from polyprobe.analysis.tables.training import training_table
from polyprobe.runs.directory import RunDirectory


@dataclass(frozen=True, slots=True)
class Panel:
    """One subject of a page."""

    title: str
    tables: Sequence[Table]
    figures: Sequence[Figure] = ()
    grid: Grid | None = None
    """Whose scores the first table has, so that a reader can switch to their differences from baselines."""


def panels_of_run(run: RunDirectory, rows: Sequence[Row]) -> list[Panel]:
    """Returns the panels of a finished run, in the order in which a page has them."""
    return [panel for panels in _PANELS for panel in panels(run, rows)]


def _trained(run: RunDirectory, rows: Sequence[Row]) -> Iterator[Panel]:
    if any(row["stage"] == "test" for row in rows):
        yield Panel("Training", [training_table(rows)], training_figures(rows))


def _scored(run: RunDirectory, rows: Sequence[Row]) -> Iterator[Panel]:
    for kind in KINDS.values():
        if kind.rows(rows):
            grids = [grid_of(one, rows) for one in (kind, *_groups(kind, rows))]
            figures = [figure for grid in grids for figure in figures_of_grid(grid)]
            yield Panel(kind.title, tables_of_kind(kind, rows), figures, grids[0])


def _groups(kind: Kind, rows: Sequence[Row]) -> list[Kind]:
    return [groups_of(grouping) for grouping in groupings(rows)] if kind.has_languages else []


def _neurons(run: RunDirectory, rows: Sequence[Row]) -> Iterator[Panel]:
    of_neurons = [row for row in rows if row["stage"] == NEURONS]
    if of_neurons:
        options: Mapping[str, Any] = run.configuration().get("of_neurons") or {}
        yield Panel("Neurons", neuron_tables(of_neurons, options.get("tolerance", 0.0)), neuron_figures(of_neurons))


def _similarities(run: RunDirectory, rows: Sequence[Row]) -> Iterator[Panel]:
    for grid in grids_of(row for row in rows if row["stage"] == SIMILARITY):
        title = f"Similarity of layers on {grid.first['test']}"
        yield Panel(title, similarity_tables(grid), similarity_figures(grid))


def _made(run: RunDirectory, rows: Sequence[Row]) -> Iterator[Panel]:
    if run.sets.is_dir():
        yield Panel("Made sets", tables_of_made(run))


_PANELS: Sequence[Callable[[RunDirectory, Sequence[Row]], Iterator[Panel]]] = (
    _trained,
    _scored,
    _neurons,
    _similarities,
    _made,
)
