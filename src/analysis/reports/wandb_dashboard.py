"""Logs the tables and pictures of a run of probe.py to Weights & Biases."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import wandb

from src.analysis.results.downstream_rows import headline_rows
from src.analysis.results.errors_and_labels import LABEL_COLUMNS, label_rows
from src.analysis.results.minimal_set_grid import minimal_set_grid
from src.analysis.results.minimal_set_rows import ACCURACY, METRICS, minimal_set_rows
from src.analysis.results.probing_grid import arranged
from src.analysis.results.probing_run import predictions_of
from src.analysis.results.rows import Row, layer_of_row, probing_rows
from src.analysis.tables.probing import BASELINES, COMPARED, FURTHER, OF_THE_ITEMS
from src.formats.files.file_names import file_name
from src.runs.directory import RunDirectory
from src.training.settings import LoggerSettings
from src.training.trainer import make_logger

OF_MINIMAL_SETS = (
    *("lang", "predictor", "epoch", "metric", "n", "value", "sd", "interval_low", "interval_high"),
    *("ties", "skipped", "margin", "median_margin", "n_seeds"),
)
SCORES = ("value", "interval_low", "interval_high", *BASELINES, *COMPARED, *FURTHER, *OF_THE_ITEMS)


def log_probing_run(run: RunDirectory, config: Mapping[str, Any]) -> None:
    """Sends the tables and pictures of a finished run to W&B, as `logger` of the configuration says.

    Call it when the pictures are drawn. The run's name is the W&B id: the same command writes to the same dashboard.

    Args:
        run: a finished run of probing or minimal sets.
        config: the resolved configuration of conf/probe.yaml; nothing is sent where `logger.wandb` is null.

    Raises:
        PolyprobeError: `logger.wandb` is neither null, online nor offline.
    """
    log_tables(run, config, tables(run), summary(run.rows()))


def log_tables(
    run: RunDirectory, config: Mapping[str, Any], tables: Mapping[str, wandb.Table], summary: Mapping[str, float]
) -> None:
    """Sends tables, the pictures of a finished run, and single numbers to W&B, as `logger` of the configuration says.

    Args:
        run: finished, with its pictures.
        config: the resolved configuration; nothing is sent where `logger.wandb` is null.
        tables: by their names.
        summary: numbers by their names.

    Raises:
        PolyprobeError: `logger.wandb` is neither null, online nor offline.
    """
    logger = make_logger(LoggerSettings.of(config["logger"]), run.path, config)
    if logger is None:
        return
    experiment = logger.experiment
    try:
        experiment.log({**tables, **pictures(run)})
        experiment.summary.update(summary)
    finally:
        experiment.finish()


def tables(run: RunDirectory) -> dict[str, wandb.Table]:
    """Returns the table of scores, that of tests by layers, and where the run has predictions that of labels.

    A run of minimal sets has the table of all its accuracies, and that of constructions by its columns.
    """
    rows = run.rows()
    if minimal_set_rows(rows, ACCURACY):
        return {"scores": _minimal_sets(rows), "constructions": _constructions(rows)}
    rows = [*probing_rows(rows), *headline_rows(rows)]
    by_label = [row for predictions in predictions_of(run).values() for row in label_rows(predictions)]
    labels = {"labels": wandb.Table(list(LABEL_COLUMNS), by_label)} if by_label else {}
    return {"scores": _scores(rows), "tests by layers": _tests_by_layers(rows), **labels}


def table_of_rows(rows: Iterable[Row], columns: Sequence[str]) -> wandb.Table:
    """Returns rows as they are, with an empty cell where one lacks a column."""
    return wandb.Table(list(columns), [[row.get(column) for column in columns] for row in rows])


def pictures(run: RunDirectory) -> dict[str, wandb.Image]:
    """Returns the pictures of a run by their names."""
    return {file.stem: wandb.Image(str(file)) for file in sorted(run.pictures.glob("*.png"))}


def summary(rows: Sequence[Row]) -> dict[str, float]:
    """Returns a number for each test and layer, under `accuracy/<test>/<layer>`; of minimal sets for each construction,
    under `accuracy/<construction>`, with its epoch where there are several; of downstream tasks the headline, under
    its metric. What failed has none."""
    grid = minimal_set_grid(rows, ACCURACY)
    endings = dict(zip(grid.columns, grid.headers(), strict=True)) if len(grid.columns) > 1 else {}
    constructions = {
        f"{file_name(test)}{_ending(endings.get(column))}": row for ((_, test), column), row in grid.cells.items()
    }
    found = {**constructions, **{f"{file_name(row['test'])}/{layer_of_row(row)}": row for row in probing_rows(rows)}}
    tasks = {f"{row['metric']}/{file_name(row['test'])}/{layer_of_row(row)}": row for row in headline_rows(rows)}
    named = {**{f"accuracy/{name}": row for name, row in found.items()}, **tasks}
    return {name: row["value"] for name, row in named.items() if row["value"] is not None}


def _scores(rows: Sequence[Row]) -> wandb.Table:
    columns = [column for column in SCORES if any(row.get(column) is not None for row in rows)]
    filled = [[row["test"], layer_of_row(row), row["n"], *(row.get(column) for column in columns)] for row in rows]
    return wandb.Table(["test", "layer", "n", *columns], filled)


def _tests_by_layers(rows: Sequence[Row]) -> wandb.Table:
    grid = arranged(rows)
    headers = [header.replace("\n", ", ") for header in grid.headers()]
    filled = [[name, *values] for name, values in zip(grid.test_names(), grid.values("value").tolist(), strict=True)]
    return wandb.Table(["test", *headers], filled)


def _ending(header: str | None) -> str:
    return "" if header is None else "/" + header.replace("\n", ", ")


def _minimal_sets(rows: Sequence[Row]) -> wandb.Table:
    found = [row for metric in METRICS for row in minimal_set_rows(rows, metric)]
    columns = [column for column in OF_MINIMAL_SETS if any(row.get(column) is not None for row in found)]
    filled = [[row["test"], *(row.get(column) for column in columns)] for row in found]
    return wandb.Table(["construction", *columns], filled)


def _constructions(rows: Sequence[Row]) -> wandb.Table:
    grid = minimal_set_grid(rows, ACCURACY)
    headers = [header.replace("\n", ", ") for header in grid.headers()]
    filled = [[name, *values] for name, values in zip(grid.names(), grid.values("value").tolist(), strict=True)]
    return wandb.Table(["construction", *headers], filled)
