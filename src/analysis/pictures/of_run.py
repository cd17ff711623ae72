"""The pictures that suit what a run found."""

from collections.abc import Iterable, Iterator, Sequence

from matplotlib.figure import Figure

from src.analysis.pictures.curves import FEWEST_LAYERS, epochs_figure, layers_figure, models_figure, training_figure
from src.analysis.pictures.heat_maps import heat_map_figure, scores_map
from src.analysis.pictures.panels import COLOURS
from src.analysis.pictures.percent_axes import CLOSE
from src.analysis.pictures.points import marks_figure, points_figure
from src.analysis.results.kinds import CONSTRUCTIONS, DOWNSTREAM_TASKS, Kind, groupings, groups_of
from src.analysis.results.result_grid import grid_of
from src.analysis.results.rows import Row, distinct, epoch_scores, probing_rows
from src.errors import PolyprobeError
from src.formats.files.file_names import file_name


def figures_of_run(rows: Sequence[Row], axis: str = CLOSE) -> Iterator[tuple[str, Figure]]:
    """Yields the pictures of a run of training, probing, minimal sets or downstream tasks, each with its name.

    Args:
        rows: of one run.
        axis: see `src.analysis.pictures.percent_axes.limits`.
    """
    probing = probing_rows(rows)
    if epoch_scores(rows, "training"):
        yield "training", training_figure(rows, axis)
    if probing:
        yield "probing", probing_figure(rows, axis)
    if len(distinct(probing, "layer")) >= FEWEST_LAYERS:
        yield "heat_map", heat_map_figure(rows, axis)
    if CONSTRUCTIONS.rows(rows):
        yield from minimal_set_figures(rows, "minimal_sets", axis)
    if DOWNSTREAM_TASKS.rows(rows):
        yield "downstream_tasks", scores_figure(DOWNSTREAM_TASKS, rows, axis)


def probing_figure(rows: Iterable[Row], axis: str = CLOSE) -> Figure:
    """Draws what suits the rows of a probing run: curves over epochs, curves over layers, or marks.

    Raises:
        PolyprobeError: there is no probing row.
    """
    rows = list(rows)
    probing = probing_rows(rows)
    if any(row.get("epoch") is not None for row in probing):
        return epochs_figure(rows, axis)
    has_curves = len(distinct(probing, "layer")) >= FEWEST_LAYERS
    return layers_figure(rows, axis=axis) if has_curves else marks_figure(rows, axis)


def minimal_set_figures(rows: Iterable[Row], name: str, axis: str = CLOSE) -> Iterator[tuple[str, Figure]]:
    """Yields the picture of constructions, and of each way to group them one like it, as `<name>_<grouping>`."""
    rows = list(rows)
    yield name, scores_figure(CONSTRUCTIONS, rows, axis)
    for grouping in groupings(rows):
        yield file_name(f"{name}_{grouping}"), scores_figure(groups_of(grouping), rows, axis)


def scores_figure(kind: Kind, rows: Iterable[Row], axis: str = CLOSE) -> Figure:
    """Draws what suits scores of tasks or constructions: curves over epochs, points of a few columns, else a heat map.

    Raises:
        PolyprobeError: there is no row of this kind.
    """
    grid = grid_of(kind, rows)
    if not grid.rows:
        raise PolyprobeError(f"There is nothing to draw: no row of stage {kind.stage}.")
    models = {column[:-1] for column in grid.columns}
    if (
        "lang" in kind.column
        and len(grid.columns) > len(models)
        and all(column[-1] is not None for column in grid.columns)
    ):
        return models_figure(grid, axis)
    return points_figure(grid, axis) if len(grid.columns) <= len(COLOURS) else scores_map(grid, axis)
