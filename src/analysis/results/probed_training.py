"""The training behind a probed checkpoint: its settings and its best epoch."""

from collections.abc import Mapping, Sequence
from typing import Any

from src.analysis.results.rows import Row, distinct
from src.runs.directory import RunDirectory

STAGES = ("probing", "downstream_task", "minimal_sets", "minimal_set_groups")  # of what is found of a checkpoint


def trained_runs(configuration: Mapping[str, Any]) -> list[RunDirectory]:
    """Returns the runs whose checkpoints a run probed or scored; none where it did neither."""
    runs = [(configuration.get(group) or {}).get("run") for group in ("encoder", "predictor")]
    paths = [path for run in runs for path in (run if isinstance(run, list) else [run]) if isinstance(path, str)]
    return list(map(RunDirectory, paths))


def best_epoch(trained: RunDirectory, rows: Sequence[Row]) -> dict[str, int]:
    """Returns the best epoch of a training as `{"epoch": 7}`; nothing where `rows` are of one epoch or lack it.

    A training that still goes on has no best epoch yet.
    """
    probed = {epoch for (epoch,) in distinct([row for row in rows if row["stage"] in STAGES], "epoch")}
    if len(probed) < 2 or not trained.results.is_file():
        return {}
    best = [row["epoch"] for row in trained.rows() if row["stage"] == "test" and row.get("epoch") in probed]
    return {"epoch": best[0]} if best else {}


def choice_or_setting(configuration: Mapping[str, Any], key: str) -> Any:
    """Returns what a configuration has under a group ("model") or a dotted key ("data.target"), None for neither."""
    if key in configuration.get("choices", {}):
        return configuration["choices"][key]
    found: Any = configuration
    for part in key.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found
