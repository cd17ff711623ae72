"""The scores of a run as the `model-index` of a Hugging Face model card, to be pasted into its metadata."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from polyprobe.analysis.output.tables import Printable
from polyprobe.analysis.reports.result_kinds import RESULT_KINDS
from polyprobe.analysis.results.collection import find_run
from polyprobe.analysis.results.rows import TRAINED, Row, layer_of_row
from polyprobe.display.shown import shown
from polyprobe.errors import PolyprobeError
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.metric_units import metric_in_words

BESIDE = ("n", "n_seeds", "sd", "interval_low", "interval_high", "majority", "memoriser", "note")


def card(work: Path, reference: object) -> Iterator[Printable]:
    """Yields the lines of a `model-index`.

    Raises:
        PolyprobeError: the run is unknown or not finished, or has no scores of a model.
    """
    yield from model_index(RunDirectory(find_run(work, str(reference)))).splitlines()


def model_index(run: RunDirectory) -> str:
    """Returns the scores of a run as YAML: for each model and data set all metrics, layers and epochs.

    Raises:
        PolyprobeError: the run has no scores of a model.
    """
    rows = run.rows()
    scores = [(kind, row) for kind in RESULT_KINDS for row in kind.of_model(rows) if row["value"] is not None]
    if not scores:
        raise PolyprobeError(f"{run.path} has no scores of a model. Expected a run of probe.py or train.py.")
    record = run.record()
    data = (record.get("sources") or {}).get("data") or {}
    models: dict[str, dict[str, Any]] = {}
    for kind, row in scores:
        dataset = _dataset(row, data)
        of_others = row.get("model") or row.get("encoder") or row.get("predictor") or run.name
        model = run.name if row["stage"] == TRAINED else of_others.partition("@")[0]
        result = {"task": {"type": kind.task_of_hub(row), "name": row["suite"]}, "dataset": dataset, "metrics": []}
        models.setdefault(model, {}).setdefault(str(result), result)["metrics"].append(_metric(row))
    index = [{"name": name, "results": [*results.values()]} for name, results in models.items()]
    block = yaml.safe_dump({"model-index": index}, allow_unicode=True, sort_keys=False, width=1000)
    # The hub takes a `source` with the address of a page alone, which nothing here has.
    return f"# {shown(record.get('command') or run.name)}\n{block}"


def _dataset(row: Row, revisions: dict[str, str]) -> dict[str, str]:
    """Returns what a score is on; its revision where the files are the published ones of one commit."""
    test = row.get("test") or row.get("corpus") or row["suite"]
    found = {"type": row["suite"], "name": f"{row['suite']} {test} ({row['lang']})"}
    found |= {"config": f"{row['lang']}/{test}", "split": row["split"]}
    known = {revisions.get(test)} if row.get("test") else set(revisions.values())
    repository, _, commit = (known.pop() or "").partition(" ") if len(known) == 1 else ("", "", "")
    return {**found, "type": repository, "revision": commit} if commit and ";" not in commit else found


def _metric(row: Row) -> dict[str, Any]:
    epoch = "" if row.get("epoch") is None else f"epoch {row['epoch']}"
    place = layer_of_row(row) if row.get("layer") else epoch
    name = ", ".join(filter(None, [metric_in_words(row["metric"]), place]))
    beside = {key: row[key] for key in BESIDE if row.get(key) is not None}
    return {"type": row["metric"], "value": row["value"], "name": name, "args": beside}
