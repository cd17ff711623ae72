"""The contract of objectives: what a sentence encoder is trained to do with the vectors of sentences."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import torch
from torch import Tensor
from torchmetrics import Metric

from src.metrics.task_score import TaskScore
from src.models.base.task_coder import TaskCoder
from src.models.decoders.decoder import EncodedSentences

Answers = Callable[[Sequence[Any]], list[Any]]


class Objective(Protocol):
    """A module over encoded sentences."""

    coder: TaskCoder
    """Makes the batches, whose `words` are the sentences that are encoded."""

    def loss(self, encoded: EncodedSentences, batch: Any) -> Tensor:
        """Returns the loss of a batch in nats, over its `n_items`."""

    def new_metric(self) -> Metric:
        """Returns the counts behind the scores of dev or test, with nothing in them."""

    def count(self, metric: Metric, encoded: EncodedSentences, batch: Any) -> None:
        """Counts the right answers of a batch."""

    def measured(self, metric: Metric) -> Mapping[str, Any]:
        """Returns the scores of everything counted, by name."""

    def answered(self, encoded: EncodedSentences) -> list[Any]:
        """Returns what the scores are about, one for each example."""

    def scored(self, examples: Sequence[Any], answers: Answers, metric: Metric) -> list[TaskScore]:
        """Returns the scores of examples with gold labels.

        Args:
            answers: returns what is answered to examples.
            metric: in which all of them have been counted.
        """

    def initialise(self, generator: torch.Generator) -> None:
        """Draws all parameters."""
