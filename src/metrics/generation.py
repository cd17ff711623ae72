"""Scores of what a decoder generates: of units, each predicted from the gold units before it, and of whole targets."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torchmetrics import Metric

from polyprobe.metrics.perplexity import perplexity
from polyprobe.metrics.task_score import TaskScore, with_intervals

SCORER = "polyprobe"
N_COUNTS = 4
"""Nats, units, words and best units; see `unit_counts`."""


def unit_counts(surprisals: Tensor, is_best: Tensor, n_words: int) -> Tensor:
    """Sums over the units of targets, their ends included.

    Args:
        surprisals: `[units]`, in nats.
        is_best: `[units]`, whether no other unit is more probable at its place.
        n_words: whole words, as they were before they were divided, and ends.

    Returns:
        float64 `[4]`.
    """
    nats = surprisals.double()
    return torch.stack([nats.sum(), nats.new_tensor(len(nats)), nats.new_tensor(n_words), is_best.double().sum()])


def unit_scores(sums: np.ndarray) -> list[TaskScore]:
    """Returns the perplexity per unit, that per word, and the share of units that are the most probable ones.

    An end counts as a unit and as a word. Only the perplexity per word can be compared between numbers of merges.
    Conneau et al. 2018 select trees by "accuracy" without saying of what: `unit_accuracy` is one reading, the accuracy
    of whole trees another.
    """
    nats, n_units, n_words, n_best = sums.tolist()
    return [
        TaskScore("perplexity", perplexity(nats / max(1, n_units)), int(n_units), SCORER),
        TaskScore("perplexity_per_word", perplexity(nats / max(1, n_words)), int(n_words), SCORER),
        TaskScore("unit_accuracy", n_best / max(1, n_units), int(n_units), SCORER),
    ]


def exact_score(gold: Sequence[Sequence[str]], generated: Sequence[Sequence[str]]) -> TaskScore:
    """Returns the share of targets, at least one, that are generated without any difference."""
    is_right = [tuple(one) == tuple(other) for one, other in zip(gold, generated, strict=True)]
    score = TaskScore("exact", sum(is_right) / len(is_right), len(is_right), SCORER)
    return with_intervals([score], {"exact": [(one, 1) for one in is_right]})[0]


class CountSums(Metric):
    """Sums rows of counts, each of its own name and length.

        sums = CountSums(units=4, bleu=10)
        sums.update(units=…, bleu=…)    # for each batch
        sums.compute()["bleu"]          # of all batches and processes

    Args:
        **sizes: the numbers of each row.
    """

    full_state_update = False

    def __init__(self, **sizes: int):
        super().__init__()
        self._names = tuple(sizes)
        for name, size in sizes.items():
            self.add_state(name, torch.zeros(size, dtype=torch.float64), dist_reduce_fx="sum")

    def update(self, **counts: Tensor | np.ndarray) -> None:
        """Adds to the rows that are named; each `[numbers]`."""
        for name, row in counts.items():
            sums = getattr(self, name)
            sums += torch.as_tensor(row, dtype=sums.dtype, device=sums.device)

    def compute(self) -> dict[str, np.ndarray]:
        """Returns the sums by name, float64."""
        return self.counted_here()

    def counted_here(self) -> dict[str, np.ndarray]:
        """Returns the sums of this process alone."""
        return {name: getattr(self, name).cpu().numpy().copy() for name in self._names}
