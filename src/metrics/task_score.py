"""One score of a downstream model, whatever the task: what its rows in results.jsonl are made of."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TaskScore:
    """A number with its name.

    Attributes:
        metric: "role_f1", "semantic_f1", "accuracy" …
        value: a fraction, 0 to 1; a perplexity is 1 or more.
        n: what it rests on (gold arguments, words).
        scorer: the program whose counting it equals.
        part: the label that it is about; "" for the whole.
        precision, recall: fractions, where the metric has them.
    """

    metric: str
    value: float
    n: int
    scorer: str
    part: str = ""
    precision: float | None = None
    recall: float | None = None


def is_fraction(metric: str) -> bool:
    """Says whether a metric's values are fractions, which are printed as percentages; "perplexity…" is none.

    Args:
        metric: its name, perhaps with its split ("dev/perplexity").
    """
    return not metric.rpartition("/")[2].startswith("perplexity")


def is_lower_better(metric: str) -> bool:
    """Says whether a smaller value is a better one; see `is_fraction`."""
    return not is_fraction(metric)
