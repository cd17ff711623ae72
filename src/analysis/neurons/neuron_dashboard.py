"""Logs what is found of neurons to Weights & Biases."""

from collections.abc import Mapping
from typing import Any

from src.analysis.neurons.row_names import FULL, MINIMAL_SET, STAGE
from src.analysis.reports.wandb_dashboard import log_tables, table_of_rows
from src.analysis.results.rows import Row
from src.runs.directory import RunDirectory

COLUMNS = (
    *("test", "epoch", "metric", "layer", "ranking", "ablation", "neurons", "value", "n"),
    *("interval_low", "interval_high", "control", "selectivity"),
)


def log_neurons(run: RunDirectory, config: Mapping[str, Any]) -> None:
    """Sends the table of all rows, the pictures, and the accuracies of all neurons and of the minimal sets.

    Args:
        run: finished, with its pictures.
        config: the resolved configuration of conf/analyze.yaml, in which `logger.wandb` is not null.

    Raises:
        PolyprobeError: `logger.wandb` is neither null, online nor offline.
    """
    rows = [row for row in run.rows() if row["stage"] == STAGE]
    found = [row for row in rows if row.get("ablation") in (FULL, MINIMAL_SET) and row.get("neurons")]
    scores = {_name(row): row["value"] for row in found}
    log_tables(run, config, {STAGE: table_of_rows(rows, COLUMNS)}, scores)


def _name(row: Row) -> str:
    """Returns "Case/all", "Case/8/minimal_set/weights"."""
    parts = (row["test"], row.get("epoch"), row["ablation"], row.get("ranking"))
    return "/".join(str(part) for part in parts if part is not None)
