"""One score of a downstream model, whatever the task: what its rows in results.jsonl are made of."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TaskScore:
    """A number with its name.

    Attributes:
        metric: "role_f1", "semantic_f1", "accuracy" …
        value: a fraction, 0 to 1.
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
