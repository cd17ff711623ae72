"""The scores of a job in the tables of its sweep: one number for a trained model, for each layer, for each epoch."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from polyprobe.analysis.results.rows import Row, distinct, layer_of_row, trivial_baseline, value_of


@dataclass(frozen=True, slots=True)
class Score:
    """One number of a run."""

    metric: str
    """What it is; for probing the accuracy, averaged over `n_tests` tests."""
    layer: str
    """The probed layer, or the epoch where a run of minimal sets has several; "" for a trained model."""
    value: float
    """From 0 to 1, or a perplexity; NaN where a row has none."""
    n_tests: int | None = None
    """How many probing tests, or downstream tasks, it averages; None for a trained model."""
    baseline: float | None = None
    """Reported with it: of a trained model the best of its trivial baselines, of probing the memoriser (or else the
    majority), averaged as the value is; None without one."""


def trained_scores(scores: Sequence[Row], rows: Sequence[Row]) -> list[Score]:
    """Returns scores of a trained model, with the best of its trivial baselines.

    Args:
        rows: of the run, with those of the baselines.
    """
    return [
        Score(row["metric"], "", value_of(row), None, (trivial_baseline(row, rows) or {}).get("value"))
        for row in scores
    ]


def layer_scores(rows: Sequence[Row], has_baselines: bool) -> list[Score]:
    """Returns for each layer the unweighted mean over tests, or over the headlines of tasks.

    Args:
        has_baselines: whether rows have a memoriser's or majority's score.
    """
    scores = []
    for place in distinct(rows, "layer", "epoch"):
        of_layer = [row for row in rows if (row.get("layer"), row.get("epoch")) == place]
        metric = " and ".join(metric for (metric,) in distinct(of_layer, "metric"))
        mean = statistics.fmean(map(value_of, of_layer))
        baselines = [row.get("memoriser", row.get("majority")) if has_baselines else None for row in of_layer]
        baseline = None if None in baselines else statistics.fmean(baselines)
        scores.append(Score(metric, layer_of_row(of_layer[0]), mean, len(of_layer), baseline))
    return scores


def set_scores(rows: Sequence[Row]) -> list[Score]:
    """Returns for each epoch the accuracy over all constructions, averaged over seeds."""
    means = [row for row in rows if not row.get("test") and row.get("seed") is None]
    epochs = [f"epoch {row['epoch']}" if len(means) > 1 else "" for row in means]
    return [Score(row["metric"], epoch, value_of(row)) for row, epoch in zip(means, epochs, strict=True)]
