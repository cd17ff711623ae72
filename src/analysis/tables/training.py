"""Formats the scores of training runs as a table."""

from collections.abc import Iterable, Sequence

from polyprobe.analysis.output.tables import Table
from polyprobe.analysis.results.rows import (
    Row,
    epoch_order,
    epoch_scores,
    percent,
    percent_sign,
    plus_minus,
    said_of_one,
    written_score,
)
from polyprobe.runs.metric_units import metric_in_words


def training_table(rows: Iterable[Row]) -> Table:
    """Formats the scores of a trained model in percent: a line per test set and metric, with the baseline."""
    rows = [row for row in rows if not row.get("test")]
    scores = [row for row in rows if row["stage"] == "test"]
    baselines = {(row["split"], row["metric"]): row for row in rows if row["stage"] == "baseline"}
    left = {"split": lambda row: row["split"], "metric": lambda row: metric_in_words(row["metric"])}
    right = {
        "score": _score,
        "precision": lambda row: written_score(row["metric"], row.get("precision")),
        "recall": lambda row: written_score(row["metric"], row.get("recall")),
        "baseline": lambda row: written_score(
            row["metric"], baselines.get((row["split"], row["metric"]), {}).get("value")
        ),
        "n": lambda row: str(row["n"]),
    }
    table = Table.of(scores, left, right)
    title = f"Scores{percent_sign(row['metric'] for row in scores)}: {said_of_one(scores, 'lang', 'suite', 'corpus')}"
    absent = [f"{row['split']}: {row.get('note') or 'no value'}." for row in scores if row["value"] is None]
    has_interval = any(row.get("interval_low") is not None for row in scores)
    interval = ["±: half-width of the 95 % bootstrap CI over sentences."] if has_interval else []
    return table.titled(title, [*_best_epoch(scores, rows), *_ill_formed(scores), *interval, *absent])


def _score(row: Row) -> str:
    half = plus_minus(row["metric"], row.get("interval_low"), row.get("interval_high"))
    return f"{written_score(row['metric'], row['value'])}{half}"


def _best_epoch(scores: Sequence[Row], rows: Sequence[Row]) -> list[str]:
    curves = epoch_scores(rows, "training")
    epochs = [row["epoch"] for row in scores if row.get("epoch") is not None]
    if not epochs or not curves:
        return []
    metric, last = chosen_by(epochs[0], rows), max(map(epoch_order, rows))
    if metric != next(iter(curves)):
        return [
            f"Test scores: best epoch on dev by perplexity, {curves[metric][epochs[0]]:.1f} ({epochs[0]}/{last}); "
            "BLEU is 0 in every epoch."
        ]
    return [f"Test scores: best epoch on dev by {metric_in_words(metric)} ({epochs[0]}/{last})."]


def chosen_by(epoch: int, rows: Iterable[Row]) -> str:
    """Returns the metric by which an epoch was the best on dev: the first, or perplexity where BLEU is always 0."""
    curves = epoch_scores(rows, "training")
    metric = next(iter(curves), "")
    is_flat = metric == "bleu" and not any(curves[metric].values())
    return "perplexity" if is_flat and epoch in curves.get("perplexity", {}) else metric


def _ill_formed(scores: Sequence[Row]) -> list[str]:
    """Returns how many trees have no bracket in the F1, which would else seem to be about all of them."""
    rows = [row for row in scores if row["metric"] == "ill_formed" and row["value"] is not None]
    shares = ", ".join(f"{percent(row['value'])} % of {row['split']}" for row in rows)
    return [f"Ill-formed trees (all their brackets count as wrong): {shares}."] if rows else []
