"""Logs similarities to Weights & Biases."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from src.analysis.reports.wandb_dashboard import log_tables, table_of_rows
from src.analysis.similarity.similarity_grid import STAGE, SimilarityGrid, grids_of
from src.formats.files.file_names import file_name
from src.runs.directory import RunDirectory

COLUMNS = (
    *("test", "metric", "n", "encoder", "model", "layer", "epoch"),
    *("other_encoder", "other_model", "other_layer", "other_epoch"),
    *("value", "permuted", "interval_low", "interval_high"),
)


def log_similarities(run: RunDirectory, config: Mapping[str, Any]) -> None:
    """Sends the table of all pairs, the pictures, and the mean of each pair of encoders.

    Args:
        run: finished, with its pictures.
        config: the resolved configuration of conf/analyze.yaml, in which `logger.wandb` is not null.

    Raises:
        PolyprobeError: `logger.wandb` is neither null, online nor offline.
    """
    rows = [row for row in run.rows() if row["stage"] == STAGE]
    means = {name: value for grid in grids_of(rows) for name, value in _means(grid).items()}
    log_tables(run, config, {STAGE: table_of_rows(rows, COLUMNS)}, means)


def _means(grid: SimilarityGrid) -> dict[str, float]:
    """Returns the mean over layers for each measure and pair of encoders, under `<measure>/<test>/<one> ~ <other>`."""
    found = {}
    for measure, values in grid.measures.items():
        for one, places in grid.blocks.items():
            for other, columns in grid.blocks.items():
                block = values.value[np.ix_(places, columns)]
                if not np.isnan(block).all():
                    name = f"{measure}/{file_name(grid.first['test'])}/{grid.labels[one]} ~ {grid.labels[other]}"
                    found[name] = float(np.nanmean(block))
    return found
