"""Rows as the two kinds of runs write them, small enough to check by eye."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from polyprobe.runs.array_records import NO_PREDICTION, Predictions
from polyprobe.runs.record.run_record import FINISHED
from polyprobe.runs.results import ResultRow, read_rows, write_rows

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\u202e{{7*7}}\u2028&<"
TRAINING, PROBING = "srl-fi-learned-s1-3f2a9c1e", "linspector_type-fi-checkpoint-s1-0a1b2c3d"


def probing(test: str, value: float | None, **columns: Any) -> ResultRow:
    """A probing row of 200 items, averaged over two seeds unless a seed is given."""
    averaged = {} if "seed" in columns else {"n_seeds": 2}
    usual = {"stage": "probing", "lang": "fi", "suite": "linspector_type", "metric": "accuracy", "split": "test"}
    usual |= {"encoder": "checkpoint", "layer": "encoding", "probe": "mlp", "n": 200}
    usual |= {"majority": 0.3, "memoriser": 0.35}
    return ResultRow(test=test, value=value, **{**usual, **averaged, **columns})


def score(stage: str, metric: str, value: float, **columns: Any) -> ResultRow:
    """A row of a role labeller, on dev unless said otherwise."""
    usual = {"lang": "fi", "suite": "srl", "corpus": "finnish_up", "split": "dev", "n": 500, "seed": 1}
    return ResultRow(stage=stage, metric=metric, value=value, **{**usual, **columns})


def probing_run() -> list[ResultRow]:
    """Case rises from 50 to 80, CharacterBin stays; each averaged from two seeds; the downstream F1 beside."""
    rows = [score("downstream", "role_f1", value, epoch=epoch) for epoch, value in ((0, 0.02), (8, 0.6))]
    for test, values in (("Case", (0.5, 0.8)), ("CharacterBin", (0.45, 0.44))):
        for epoch, value in zip((0, 8), values, strict=True):
            rows += [probing(test, value + shift, epoch=epoch, seed=seed) for seed, shift in ((1, 0.01), (2, -0.01))]
            rows.append(probing(test, value, epoch=epoch, interval_low=value - 0.03, interval_high=value + 0.03))
    return rows


def training_run() -> list[ResultRow]:
    """Three epochs, the second the best; dev and test with a baseline; one role."""
    rows = [score("training", "role_f1", value, epoch=epoch) for epoch, value in enumerate((0.01, 0.64, 0.6))]
    rows += [score("training", "semantic_f1", value, epoch=epoch) for epoch, value in enumerate((0.4, 0.8, 0.7))]
    rows += [score("test", "role_f1", 0.64, epoch=1, precision=0.66, recall=0.62)]
    rows += [score("test", "role_f1", 0.61, epoch=1, precision=0.63, recall=0.59, split="test", n=700)]
    rows += [score("test", "role_f1", 0.9, epoch=1, test="A0", split="test", n=40)]
    return [*rows, score("baseline", "role_f1", 0.19, split="test", encoder="frequent_role")]


def write_finished_rows(folder: Path, run: str, rows: list[ResultRow], **notes: Any) -> None:
    """Writes rows as results.jsonl of a finished run without digests: other files may be added."""
    write_rows(folder / "results.jsonl", run, rows)
    record = {"name": run, "status": FINISHED, "starts": [{"time": "2026-01-01T00:00:00+00:00"}], **notes}
    (folder / "run.json").write_text(json.dumps(record), encoding="utf-8")


def as_read(rows: list[ResultRow], folder: Path, run: str = PROBING, **notes: Any) -> list[dict[str, Any]]:
    """Writes rows as results.jsonl of a finished run in a folder, and reads them again."""
    folder.mkdir(parents=True, exist_ok=True)
    write_finished_rows(folder, run, rows, **notes)
    return read_rows(folder / "results.jsonl")


def work_folder(work: Path) -> Path:
    """Makes a work folder with a training run and a probing run."""
    as_read(training_run(), work / "runs" / "train" / TRAINING, TRAINING)
    as_read(probing_run(), work / "runs" / "probe" / PROBING, PROBING)
    return work


def predictions(test: str, right: dict[str, list[list[int]]], **fields: Any) -> Predictions:
    """Predictions about items w0, w1, … with gold labels a, b, a, b, …

    Args:
        test: its name.
        right: for each layer and seed, 1 where the probe is right, 0 where it says the other label, -1 where it failed.
        fields: others than the usual ones.
    """
    correct = np.array(list(right.values()))
    n_items = correct.shape[2]
    gold = np.arange(n_items) % 2
    usual = {
        "inputs": np.array([f"w{number}" for number in range(n_items)]),
        "lines": np.arange(1, n_items + 1),
        "labels": np.array(["a", "b"]),
        "gold": gold,
        "layers": np.array(list(right)),
        "seeds": np.arange(1, correct.shape[1] + 1),
        "predicted": np.where(correct == NO_PREDICTION, NO_PREDICTION, np.where(correct, gold, 1 - gold)),
    }
    return Predictions(test, **{**usual, **fields})


def predicted_run(work: Path, name: str, *tests: Predictions, **columns: Any) -> Path:
    """Makes a finished probing run with predictions, and a row for every test and layer; dev has the score of test."""
    folder = work / "runs" / "probe" / name
    scores = {(one.test, str(layer)): float(np.mean(one.correct(layer))) for one in tests for layer in one.layers}
    rows = [
        probing(
            one.test,
            None if np.isnan(score := scores[one.test, str(layer)]) else score,
            **{"layer": str(layer), "n": len(one.gold), "dev": None if np.isnan(score) else score, **columns},
        )
        for one in tests
        for layer in one.layers
    ]
    as_read(rows, folder, name)
    for one in tests:
        one.write(folder / "predictions")
    return folder
