"""The scores of a run as the `model-index` of a Hugging Face model card, to be pasted into its metadata."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from polyprobe.analysis.output.tables import Printable
from polyprobe.analysis.results.collection import find_run
from polyprobe.analysis.results.kinds import CONSTRUCTIONS, DOWNSTREAM_TASKS, METRICS, PROBING
from polyprobe.analysis.results.rows import Row, layer_of_row, metric_in_words
from polyprobe.display.shown import shown
from polyprobe.errors import PolyprobeError
from polyprobe.runs.directory import RunDirectory

TEST = "test"  # the stage of a trained model
# Identifiers of tasks on the hub, by what a row is about; those of other trained models label words.
PROBED, SCORED, MASKED, LABELLED = "text-classification", "text-generation", "fill-mask", "token-classification"
TRAINED = {"lm": "text-generation", "nli": "text-classification", "sentence": "feature-extraction"}
BESIDE = ("n", "n_seeds", "sd", "interval_low", "interval_high", "majority", "memoriser", "note")


def card(work: Path, reference: object) -> Iterator[Printable]:
    """Yields the lines of a `model-index`.

    Args:
        reference: a run, by its name or folder.

    Raises:
        PolyprobeError: the run is unknown or not finished, or has no scores of a model.
    """
    yield from model_index(RunDirectory(find_run(work, str(reference)))).splitlines()


def model_index(run: RunDirectory) -> str:
    """Returns the scores of a run as YAML: for each model and data set all metrics, layers and epochs.

    Raises:
        PolyprobeError: the run has no scores of a model.
    """
    rows = scores_of_model(run.rows())
    if not rows:
        raise PolyprobeError(f"{run.path} has no scores of a model. Expected a run of probe.py or train.py.")
    record = run.record()
    data = (record.get("sources") or {}).get("data") or {}
    models: dict[str, dict[str, Any]] = {}
    for row in rows:
        dataset = _dataset(row, data)
        of_others = row.get("model") or row.get("encoder") or row.get("predictor") or run.name
        model = run.name if row["stage"] == TEST else of_others.partition("@")[0]
        result = {"task": {"type": _task(row), "name": row["suite"]}, "dataset": dataset, "metrics": []}
        models.setdefault(model, {}).setdefault(str(result), result)["metrics"].append(_metric(row))
    index = [{"name": name, "results": [*results.values()]} for name, results in models.items()]
    block = yaml.safe_dump({"model-index": index}, allow_unicode=True, sort_keys=False, width=1000)
    # The hub takes a `source` with the address of a page alone, which nothing here has.
    return f"# {shown(record.get('command') or run.name)}\n{block}"


def scores_of_model(rows: Sequence[Row]) -> list[Row]:
    """Returns the rows of tests, tasks, constructions and of a trained model that have a value, seeds averaged."""
    of_sets = [row for metric in METRICS for row in CONSTRUCTIONS.of_metric(metric).rows(rows)]
    found = [*scores_of_trained(rows), *PROBING.rows(rows), *DOWNSTREAM_TASKS.rows(rows), *of_sets]
    return [row for row in found if row["value"] is not None]


def scores_of_trained(rows: Sequence[Row]) -> list[Row]:
    """Returns the rows of a trained model about all labels together."""
    return [row for row in rows if row["stage"] == TEST and not row.get("test")]


def _task(row: Row) -> str:
    if row["stage"] == TEST:
        return TRAINED.get(row["suite"], LABELLED)
    if row["stage"] == CONSTRUCTIONS.stage:
        return MASKED if row.get("predictor") == "masked" else SCORED
    return PROBED


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
