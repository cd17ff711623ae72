"""Formats the scores of training runs, and a summary of all runs, as tables."""

from collections.abc import Iterable, Sequence

from polyprobe.analysis.output.tables import Table
from polyprobe.analysis.results.kinds import CONSTRUCTIONS, DOWNSTREAM_TASKS
from polyprobe.analysis.results.result_grid import Grid, grid_of
from polyprobe.analysis.results.rows import (
    WHICH,
    Row,
    distinct,
    epoch_order,
    epoch_scores,
    joined,
    metric_in_words,
    percent,
    percent_sign,
    probing_rows,
    said_of_one,
    written_score,
)
from polyprobe.display.shown import plural

OF_A_LAYER = ("encoder", "model", "layer", "epoch")
COUNTED = {"test": ("suite", "test"), "layer": ("layer",), "epoch": ("epoch",)}


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
    low, high = row.get("interval_low"), row.get("interval_high")
    half = "" if low is None else f" ±{written_score(row['metric'], (high - low) / 2)}"
    return f"{written_score(row['metric'], row['value'])}{half}"


def summary_table(rows: Iterable[Row]) -> Table:
    """Formats a summary of the collected runs: a line each."""
    rows = list(rows)
    which = [column for column in WHICH if any(row.get(column) for row in rows)]
    table = Table(["run", "lang", "suite", *which, "summary"], ["rows"])
    for (run,) in sorted(distinct(rows, "run")):
        of_run = [row for row in rows if row["run"] == run]
        averages = [row for row in of_run if row.get("seed") is None and row.get("model")] or of_run
        said = [
            *(joined(of_run, column) for column in ("lang", "suite")),
            *(joined(averages, column) for column in which),
        ]
        table.add_row(run, *said, _in_brief(of_run), str(len(of_run)))
    return table.titled("Runs")


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


def _in_brief(rows: Sequence[Row]) -> str:
    probing = probing_rows(rows)
    wholes = [row for row in rows if row["stage"] == "test" and not row.get("test")]
    if wholes:
        metric = wholes[0]["metric"]
        scores = [f"{row['split']} {written_score(metric, row['value'])}" for row in wholes if row["metric"] == metric]
        return f"{metric_in_words(metric)}: {', '.join(scores)}"
    for kind in (CONSTRUCTIONS, DOWNSTREAM_TASKS):
        if kind.rows(rows):
            return _mean_in_brief(grid_of(kind, rows))
    compared = [row for row in rows if row["stage"] == "similarity"]
    if compared:
        return _similarities_in_brief(compared)
    of_neurons = [row for row in rows if row["stage"] == "neurons"]
    if of_neurons:
        return _neurons_in_brief(of_neurons)
    found = {
        name: [one for one in distinct(probing, *columns) if one[-1] is not None] for name, columns in COUNTED.items()
    }
    return ", ".join(
        filter(None, [joined(probing, "encoder"), *(plural(len(one), name) for name, one in found.items() if one)])
    )


def _similarities_in_brief(rows: Sequence[Row]) -> str:
    layers = {
        place for side in ("", "other_") for place in distinct(rows, *(f"{side}{column}" for column in OF_A_LAYER))
    }
    return f"{', '.join(metric for (metric,) in distinct(rows, 'metric'))}: {plural(len(layers), 'layer')}"


def _neurons_in_brief(rows: Sequence[Row]) -> str:
    rankings = [ranking for (ranking,) in distinct(rows, "ranking") if ranking is not None]
    n_neurons = max(row.get("neurons") or 0 for row in rows)
    return f"{', '.join(rankings)}: {plural(len(distinct(rows, 'test')), 'test')}, {plural(n_neurons, 'neuron')}"


def _mean_in_brief(grid: Grid) -> str:
    last = percent(float(grid.averages()[-1]))
    columns = len(grid.columns)
    several = f", last of {columns} columns" if columns > 1 else ""
    n = len(grid.common)
    return f"{joined(grid.rows, grid.kind.model)}: {last} over {plural(n, grid.kind.noun)}{several}"
