"""The contract of trivial baselines: what every model of a task must beat."""

from collections.abc import Sequence
from typing import Any, Protocol, Self

from src.metrics.task_score import TaskScore


class Baseline(Protocol):
    """Counts something simple in train and is scored as the model is.

    Attributes:
        name: the encoder of its rows in results.jsonl ("frequent_tag").
    """

    name: str

    @classmethod
    def counted(cls, train: Sequence[Any]) -> Self:
        """Counts the examples of train; that of texts also takes their vocabulary."""

    def scores(self, examples: Sequence[Any]) -> list[TaskScore]:
        """Returns the scores of examples with gold labels; none where no example can be scored."""
