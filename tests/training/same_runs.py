"""Two training runs with the same numbers, the metrics of one, and a copy of it as it stood before its end."""

import csv
import json
import shutil

import torch


def assert_same(run, expected):
    """Asserts that rows, metrics and the last model of two runs are the same."""
    assert (run / "results.jsonl").read_bytes() == (expected / "results.jsonl").read_bytes()
    assert (run / "metrics.csv").read_bytes() == (expected / "metrics.csv").read_bytes()
    ours, theirs = (torch.load(one / "last", weights_only=True)["state_dict"] for one in (run, expected))
    assert ours.keys() == theirs.keys()
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)
    assert not list(run.rglob(".*.tmp"))


def epochs(run):
    """Returns the metrics of every epoch, those that it has."""
    with open(run / "metrics.csv", encoding="utf-8", newline="") as file:
        return [{name: float(value) for name, value in row.items() if value} for row in csv.DictReader(file)]


def unfinished_copy(run, work):
    """Returns a copy of a run as it stood before its rows were written."""
    copy = shutil.copytree(run, work / "runs/train" / run.name, symlinks=True)
    (copy / "results.jsonl").unlink()
    record = json.loads((copy / "run.json").read_text(encoding="utf-8"))
    started = {key: value for key, value in record.items() if key not in ("files", "sha256")}
    (copy / "run.json").write_text(json.dumps({**started, "status": "running"}), encoding="utf-8")
    return copy
