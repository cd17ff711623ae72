"""Scores of minimal sets as judging runs write them, small enough to check by eye."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from src.metrics.preferences import clustered_interval, margins, points, preferences
from src.runs.results import ResultRow
from src.runs.set_scores import SetScores, write_set_scores
from tests.analysis.handmade import as_read

METRICS = {
    "accuracy": "sum",
    "accuracy_focus": "focus",
    "accuracy_per_token": "per_token",
    "accuracy_per_character": "per_character",
}


def set_scores(test: str, wanted: Mapping[str, Sequence[float]], **fields: Any) -> SetScores:
    """Pairs "set 1 good", "set 1 bad", … of lemmas a, b, a, b, … with the margins that are wanted.

    Args:
        test: name of the construction.
        wanted: for each model the margins in bits, one for each set; its focus says the opposite.
        fields: others than the usual ones.
    """
    bits = np.array(list(wanted.values()), dtype=np.float64)
    n_sets = bits.shape[1]
    sums = np.stack([-20 * math.log(2) + bits * math.log(2), np.full_like(bits, -20 * math.log(2))], axis=-1)
    sums = np.where((bits == 0)[..., None], -1.0, sums).reshape(len(bits), -1)
    usual = {
        "sentences": np.array([f"set {number} {word}" for number in range(1, n_sets + 1) for word in ("good", "bad")]),
        "set_of_sentence": np.repeat(np.arange(n_sets), 2),
        "numbers": np.arange(1, n_sets + 1),
        "lemmas": np.array(["a", "b"])[np.arange(n_sets) % 2],
        "left_out": np.full(n_sets, ""),
        "is_identical": np.zeros(n_sets, dtype=bool),
        "models": np.array(list(wanted)),
        "sums": sums,
        "focuses": -sums,
        "n_tokens": np.full(2 * n_sets, 4),
        "n_characters": np.full(2 * n_sets, 10),
    }
    return SetScores(test, **{**usual, **fields})


def judging_rows(scores: SetScores, ties: str, **columns: Any) -> list[ResultRow]:
    """The rows of a construction: one for each model and metric, and one with the seeds of an epoch averaged."""
    usual = {"stage": "judging", "lang": "fr", "suite": "clams", "split": "test", "test": scores.test}
    usual |= {"predictor": "lstm", "scorer": "polyprobe", **columns}
    names = [("", "/", name) if name.isdigit() else name.partition("/") for name in scores.models.tolist()]
    rows = []
    for metric, rule in METRICS.items():
        bits = margins(scores, rule)
        for epoch in dict.fromkeys(epoch for _, _, epoch in names):
            of_epoch = [place for place, name in enumerate(names) if name[2] == epoch]
            at = {**usual, "metric": metric, "epoch": int(epoch) if epoch else None}
            seeds = [int(names[place][0][1:] or 0) for place in of_epoch]
            rows += [
                ResultRow(**at, seed=seed, **counted(bits[place], ties))
                for seed, place in zip(seeds, of_epoch, strict=True)
            ]
            low, high = clustered_interval(points(bits[of_epoch], ties).mean(0), scores.lemmas, 1)
            rows.append(ResultRow(**at, **averaged(rows[-len(seeds) :]), interval_low=low, interval_high=high))
    return rows


def counted(bits: np.ndarray, ties: str) -> dict[str, Any]:
    """The columns of one model's row."""
    one = asdict(preferences(bits, ties))
    return {"value": one.pop("accuracy"), "n": len(bits) - one["skipped"], **one}


def averaged(rows: Sequence[ResultRow]) -> dict[str, Any]:
    """The columns of an average over seeds; the counts are those of a single one."""
    values = [row.value for row in rows]
    means = {name: float(np.mean([getattr(row, name) for row in rows])) for name in ("margin", "median_margin")}
    kept = ("n", "skipped", "correct", "wrong", "ties") if len(rows) == 1 else ("n", "skipped")
    deviation = {"sd": float(np.std(values, ddof=1))} if len(rows) > 1 else {}
    counts = {name: getattr(rows[0], name) for name in kept}
    return {"value": float(np.mean(values)), "n_seeds": len(rows), **means, **counts, **deviation}


def judged_run(work: Path, name: str, *tests: SetScores, ties: str = "wrong", **columns: Any) -> Path:
    """Makes a finished judging run: a file for each construction, its rows, and its configuration."""
    folder = work / "runs" / "probe" / name
    as_read([row for one in tests for row in judging_rows(one, ties, **columns)], folder, name)
    for one in tests:
        write_set_scores(folder / "set_scores", one)
    (folder / "config.yaml").write_text(f"ties: {ties}\npredictor:\n  name: {columns.get('predictor', 'lstm')}\n")
    return folder
