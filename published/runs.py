"""The finished runs of a work folder, and the trainings whose checkpoints they probed or scored."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polyprobe.analysis.results.config_differences import with_pooling
from polyprobe.analysis.results.kinds import OF_CHECKPOINTS
from polyprobe.analysis.results.rows import Row, distinct
from polyprobe.errors import PolyprobeError
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.names.identity import seedless_settings


@dataclass
class Run:
    """A finished run, what it read, and the trainings of models that it probed or scored (None where one is gone)."""

    name: str
    config: Mapping[str, Any]
    rows: list[dict[str, Any]]
    sources: Mapping[str, Any]
    trainings: "list[Run] | None"

    def study(self) -> str:
        """Returns what changes its numbers, seeds aside."""
        settings = [seedless_settings(one.config) for one in (self, *(self.trainings or ()))]
        return json.dumps([{key: one for key, one in each.items() if not key.endswith(".run")} for each in settings])


def read_run(folder: Path) -> Run:
    """Reads a run; where several epochs of a training were probed, the rows of its best alone."""
    run = RunDirectory(folder)
    rows, record = run.rows(), run.record()
    config = with_pooling(run.configuration_if_any(), rows)
    trained = trained_runs(config)
    is_whole = all(one.results.is_file() for one in trained)
    best = best_epoch(trained[0], rows) if len(trained) == 1 else {}
    rows = [row for row in rows if not best or row.get("epoch") in (None, best["epoch"])]
    sources = {**record.get("sources", {}), "corpus": record.get("corpus")}
    return Run(folder.name, config, rows, sources, [read_run(one.path) for one in trained] if is_whole else None)


def read_runs(work: Path) -> list[Run]:
    """Reads the finished runs of a work folder, each once, and says which are left out."""
    runs: dict[str, Run] = {}
    for file in sorted((work / "runs").rglob("results.jsonl")):
        try:
            run = read_run(file.parent)
            runs.setdefault(run.rows[0].get("run", run.name) if run.rows else run.name, run)
        except (PolyprobeError, OSError) as error:
            print(f"Skipped: {error}")
    return [*runs.values()]


def trained_runs(configuration: Mapping[str, Any]) -> list[RunDirectory]:
    """Returns the runs whose checkpoints a run probed or scored; none where it did neither."""
    runs = [(configuration.get(group) or {}).get("run") for group in ("encoder", "predictor")]
    paths = [path for run in runs for path in (run if isinstance(run, list) else [run]) if isinstance(path, str)]
    return list(map(RunDirectory, paths))


def best_epoch(trained: RunDirectory, rows: Sequence[Row]) -> dict[str, int]:
    """Returns the best epoch of a training as `{"epoch": 7}`; nothing where `rows` are of one epoch or lack it.

    A training that still goes on has no best epoch yet.
    """
    probed = {epoch for (epoch,) in distinct([row for row in rows if row["stage"] in OF_CHECKPOINTS], "epoch")}
    if len(probed) < 2 or not trained.results.is_file():
        return {}
    best = [row["epoch"] for row in trained.rows() if row["stage"] == "test" and row.get("epoch") in probed]
    return {"epoch": best[0]} if best else {}


def choice_or_setting(configuration: Mapping[str, Any], key: str) -> Any:
    """Returns what a configuration has under a group ("model") or a dotted key ("data.target"), None for neither."""
    choices = configuration.get("choices", {})
    if key in choices:
        return choices[key]
    found: Any = configuration
    for part in key.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found
