"""Scores of minimal sets as runs write them, small enough to check by eye."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from polyprobe.metrics.minimal_sets import clustered_interval, margins, points, set_outcomes
from polyprobe.runs.array_records import SetScores
from polyprobe.runs.results import ResultRow
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


def rows_of_minimal_sets(scores: SetScores, ties: str, **columns: Any) -> list[ResultRow]:
    """The rows of a construction: one for each model and metric, and one with the seeds of an epoch averaged."""
    usual = {"stage": "minimal_sets", "lang": "fr", "suite": "clams", "split": "test", "test": scores.test}
    usual |= {"predictor": "lstm", "scorer": "released" if ties == "released" else "polyprobe", **columns}
    parts = [re.fullmatch(r"(?:s(\d+))?/?(\d+)?|model", name).groups() for name in scores.models.tolist()]
    seeds, epochs = (
        [None if part is None else int(part) for part in of_models] for of_models in zip(*parts, strict=True)
    )
    rows = []
    for metric, rule in METRICS.items():
        bits = margins(scores, rule)
        for epoch in dict.fromkeys(epochs):
            of_epoch = [place for place, of_place in enumerate(epochs) if of_place == epoch]
            at = {**usual, "metric": metric, "epoch": epoch}
            of_seeds = [ResultRow(**at, seed=seeds[place], **counted(bits[place], ties)) for place in of_epoch]
            rows += [row for row in of_seeds if row.seed is not None]
            interval = clustered_interval(points(bits[of_epoch], ties).mean(0), scores.lemmas, 1)
            ends = {} if np.isnan(interval[0]) else dict(zip(("interval_low", "interval_high"), interval, strict=True))
            rows.append(ResultRow(**at, **averaged(of_seeds), **ends))
    return rows


def counted(bits: np.ndarray, ties: str) -> dict[str, Any]:
    """The columns of one model's row."""
    one = asdict(set_outcomes(bits, ties))
    return {"value": one.pop("accuracy"), "n": len(bits) - one["skipped"], **one}


def averaged(rows: Sequence[ResultRow]) -> dict[str, Any]:
    """The columns of an average over seeds; the counts are those of a single one."""
    values = [row.value for row in rows]
    means = {name: float(np.mean([getattr(row, name) for row in rows])) for name in ("margin", "median_margin")}
    kept = ("n", "skipped", "correct", "wrong", "ties") if len(rows) == 1 else ("n", "skipped")
    deviation = {"sd": float(np.std(values, ddof=1))} if len(rows) > 1 else {}
    counts = {name: getattr(rows[0], name) for name in kept}
    n_seeds = None if rows[0].seed is None else len(rows)
    return {"value": float(np.mean(values)), "n_seeds": n_seeds, **means, **counts, **deviation}


def minimal_set_run(work: Path, name: str, *tests: SetScores, ties: str = "wrong", **columns: Any) -> Path:
    """Makes a finished run of minimal sets: a file for each construction, its rows, and its configuration."""
    folder = work / "runs" / "probe" / name
    as_read([row for one in tests for row in rows_of_minimal_sets(one, ties, **columns)], folder, name)
    for one in tests:
        one.write(folder / "set_scores")
    (folder / "config.yaml").write_text(f"ties: {ties}\npredictor:\n  name: {columns.get('predictor', 'lstm')}\n")
    return folder
