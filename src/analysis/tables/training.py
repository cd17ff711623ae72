"""Formats the scores of training runs as a table."""

from collections.abc import Iterable, Sequence

from polyprobe.analysis.output.tables import BELOW, Cells, Table
from polyprobe.analysis.results.rows import (
    Row,
    distinct,
    epoch_order,
    epoch_scores,
    interval_behind,
    notes_on_metrics,
    notes_on_one_sided,
    percent,
    percent_sign,
    said_of_one,
    trivial_baseline,
    value_of,
    written_score,
)
from polyprobe.runs.metric_units import is_worse, metric_in_words

BASELINES = {
    "frequent_role": "most frequent role by part of speech, side and distance",
    "frequent_tag": "most frequent tag of the word",
    "next_word": "the next word is the head",
    "previous_word": "the previous word is the head",
    "gazetteer": "the entities of train, looked up",
    "hypothesis_only": "logistic regression that does not see the premise",
    "frequent_target": "most frequent target of train",
    "frequent_tree": "most frequent target of train",
    "unigrams": "each word by how often it occurs in train",
}
"""What each predicts, by the name in rows; see docs/results.md."""
WORSE = f"{BELOW} worse than its baseline."
Compared = tuple[Row, Row | None]
"""A score, and that of the best of its trivial baselines."""


def training_table(rows: Iterable[Row]) -> Table:
    """Formats the scores of a trained model in percent: a line per test set and metric, with the baseline."""
    rows = [row for row in rows if not row.get("test")]
    scores = [row for row in rows if row["stage"] == "test"]
    left = {"split": lambda one: one[0]["split"], "metric": lambda one: metric_in_words(one[0]["metric"])}
    compared = with_baselines(scores, rows)
    table = Table.of(compared, left, OF_SCORES)
    title = f"Scores{percent_sign(row['metric'] for row in scores)}: {said_of_one(scores, 'lang', 'suite', 'corpus')}"
    absent = [f"{row['split']}: {row.get('note') or 'no value'}." for row in scores if row["value"] is None]
    has_interval = any(row.get("interval_low") is not None for row in scores)
    interval = ["±: half-width of the 95 % bootstrap CI over sentences."] if has_interval else []
    interval += notes_on_one_sided(scores)
    notes = [*_best_epoch(scores, rows), *_ill_formed(scores), *notes_on_compared(compared), *interval, *absent]
    return table.titled(title, notes)


def label_tables(rows: Sequence[Row]) -> list[Table]:
    """Formats the scores of single labels beside their baselines; none where the rows have none."""
    labels = with_baselines([row for row in rows if row["stage"] == "test" and row.get("test")], rows)
    left = {
        "split": lambda one: one[0]["split"],
        "label": lambda one: one[0]["test"],
        "metric": lambda one: metric_in_words(one[0]["metric"]),
    }
    cells = {"n": OF_SCORES["n"]} | {name: cell for name, cell in OF_SCORES.items() if name != "n"}
    table = Table.of(labels, left, cells).titled("Scores by label (%)", notes_on_compared(labels))
    return [table] if labels else []


def with_baselines(scores: Iterable[Row], rows: Sequence[Row]) -> list[Compared]:
    """Puts scores of a trained model beside their baselines, which are among the rows of its run."""
    return [(row, trivial_baseline(row, rows)) for row in scores]


def notes_on_compared(compared: Sequence[Compared]) -> list[str]:
    """Names the baselines of scores, explains the mark of those that are worse, says where less is better."""
    names = [
        f"{name} ({BASELINES[name]})" if name in BASELINES else name
        for (name,) in distinct((one for _, one in compared if one), "encoder")
        if name
    ]
    return [
        *([f"baseline: {', '.join(names)}."] if names else []),
        *([WORSE] if any(_is_below(one) for one in compared) else []),
        *notes_on_metrics(row["metric"] for row, _ in compared),
    ]


def _is_below(compared: Compared) -> bool:
    row, baseline = compared
    return baseline is not None and is_worse(row["metric"], value_of(row), baseline["value"])


def _score(compared: Compared) -> str:
    """Writes a score, a mark where its baseline is better, and its interval: "59.1↓ ±2.3"."""
    row = compared[0]
    interval = interval_behind(row["metric"], row["value"], row.get("interval_low"), row.get("interval_high"))
    return f"{written_score(row['metric'], row['value'])}{BELOW if _is_below(compared) else ''}{interval}"


OF_SCORES: Cells = {
    "score": _score,
    "precision": lambda one: written_score(one[0]["metric"], one[0].get("precision")),
    "recall": lambda one: written_score(one[0]["metric"], one[0].get("recall")),
    "baseline": lambda one: written_score(one[0]["metric"], one[1] and one[1]["value"]),
    "n": lambda one: f"{one[0]['n']}",
}
"""The columns of numbers of what is `Compared`."""


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
