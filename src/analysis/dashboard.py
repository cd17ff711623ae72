"""Shows finished runs on Weights & Biases: tables, pictures, curves over layers and epochs, the page, the results."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import wandb

from polyprobe.analysis.output.tables import Table
from polyprobe.analysis.reports.result_kinds import RESULT_KINDS, kinds_of, run_results
from polyprobe.analysis.reports.run_pages import write_report
from polyprobe.analysis.results.result_grid import Grid, grid_of
from polyprobe.analysis.results.rows import Row, distinct
from polyprobe.formats.files.file_names import file_name
from polyprobe.runs.directory import RunDirectory
from polyprobe.training.loggers import TRAINING, define_axis, start_dashboard
from polyprobe.training.settings import LoggerSettings

TAGS = ("lang", "suite", "encoder", "predictor")  # columns of rows
AXES = ("layer", "epoch")  # columns of rows, of curves
OF_AGENT = "WANDB_SWEEP_ID"  # the variable that an agent sets
RESULTS = "eval_results"  # the type of the artifact, as other evaluation tools call it


def log_run(run: RunDirectory, logger: LoggerSettings, config: Mapping[str, Any]) -> None:
    """Sends a finished run to W&B, as `logger` of the configuration says.

    Call it when the pictures are drawn. The run's name is the W&B id: the same command writes to the same dashboard.
    What training sent while it went on is closed here; a training that an earlier command finished is not sent again,
    since the offline pieces of one run replace each other. An agent of W&B's, which gives each command an id of its
    own, gets its scores.

    Args:
        run: finished, of any command but generate.py.
        logger: whether W&B is told; nothing is sent where `wandb` is null.
        config: the resolved configuration, which is shown.
    """
    if logger.wandb is None:
        return
    results = run_results(run.path)
    kind = next((kind for kind in kinds_of(results) if kind.job_type is not None), None)
    is_open = wandb.run is not None and wandb.run.name == run.name
    is_sent = kind is not None and kind.job_type == TRAINING and not is_open and OF_AGENT not in os.environ
    if kind is None or is_sent:
        if is_open:
            wandb.run.finish()
        return
    of_kind = kind.own(results.rows)
    tags = [str(value) for column in TAGS for (value,) in distinct(of_kind, column) if value is not None]
    experiment = wandb.run if is_open else start_dashboard(logger, run.path, config, kind.job_type, tags)
    try:
        _log(experiment, run, results.rows, *kind.logged(results))
    finally:
        experiment.finish()


def _log(
    experiment: Any, run: RunDirectory, rows: Sequence[Row], tables: Mapping[str, Table], scores: Mapping[str, float]
) -> None:
    page = write_report(run.path, [str(run.path)])
    shown = {name: wandb.Table(one.header, [list(row) for row in one.rows]) for name, one in tables.items()}
    experiment.log({**shown, **pictures(run), "report": wandb.Html(str(page), inject=False)})
    for axis in AXES:
        experiment.define_metric(axis, hidden=True)
    for kind in (one.scores for one in RESULT_KINDS if one.scores is not None):
        for point in curves(grid_of(kind, rows)):
            define_axis(experiment, point, next(iter(point)))
            experiment.log(point)
    experiment.summary.update(scores)
    results = wandb.Artifact(re.sub(r"[^\w.-]", "_", run.name)[-128:], type=RESULTS)
    for path in (run.results, run.provenance, page):
        results.add_file(str(path), policy="immutable")  # read where it lies: no copy in a folder of W&B's
    experiment.log_artifact(results)


def curves(grid: Grid) -> Iterator[dict[str, float]]:
    """Yields the points of curves over layers, and of curves over epochs, where there are several.

    A point is a row of W&B's history: the layer or epoch, and of each line the score there, under `by_layer/Case`; what
    else tells columns apart follows, as in `by_layer/Case/8`. Layers have the numbers at the ends of their names, or
    where some have none those of their order.
    """
    for axis in (one for one in AXES if one in grid.kind.column):
        at = grid.kind.column.index(axis)
        places = list(dict.fromkeys(column[at] for column in grid.columns if column[at] is not None))
        several = [len(set(parts)) > 1 for parts in zip(*grid.columns, strict=True)]
        others = [part for part, is_one_of_several in enumerate(several) if is_one_of_several and part != at]
        if len(places) == 1:
            continue
        at_ends = [int(one[0]) for place in places if (one := re.search(r"\d+$", str(place)))]
        numbers = at_ends if len(set(at_ends)) == len(places) else range(len(places))
        for number, place in zip(numbers, places, strict=True):
            point: dict[str, float] = {axis: number}
            for ((_, test), column), row in grid.cells.items():
                if column[at] == place and row["value"] is not None:
                    point["/".join([f"by_{axis}", file_name(test), *(str(column[part]) for part in others)])] = row[
                        "value"
                    ]
            yield point


def pictures(run: RunDirectory) -> dict[str, wandb.Image]:
    """Returns the pictures of a run by their names."""
    return {file.stem: wandb.Image(str(file)) for file in sorted(run.pictures.glob("*.png"))}
