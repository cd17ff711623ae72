"""The training behind a probed checkpoint, and its best epoch."""

from collections.abc import Mapping, Sequence
from typing import Any

from src.analysis.results.rows import Row, distinct
from src.runs.directory import RunDirectory

STAGES = ("probing", "downstream_task")  # of what is found of an encoder


def trained_run(configuration: Mapping[str, Any]) -> RunDirectory | None:
    """Returns the run whose checkpoints a run probed, None for one that probed something else."""
    path = (configuration.get("encoder") or {}).get("run")
    return RunDirectory(path) if isinstance(path, str) else None


def best_epoch(trained: RunDirectory, rows: Sequence[Row]) -> dict[str, int]:
    """Returns the best epoch of a training as `{"epoch": 7}`; nothing where `rows` are of one epoch or lack it."""
    probed = {epoch for (epoch,) in distinct([row for row in rows if row["stage"] in STAGES], "epoch")}
    best = [row["epoch"] for row in trained.rows() if row["stage"] == "test" and row.get("epoch") in probed]
    return {"epoch": best[0]} if len(probed) > 1 and best else {}
