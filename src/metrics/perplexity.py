"""Perplexity of texts, counted in words and sentence ends, and the same without words that the vocabulary lacks."""

import math
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torchmetrics import Metric

from polyprobe.metrics.task_score import TaskScore

SCORER = "polyprobe"


class Surprise(NamedTuple):
    """The surprisal of a text under a model; a named tuple, since torchmetrics takes no frozen data class."""

    nats: float
    """Minus the summed log-probabilities of all words and sentence ends."""
    n: int
    """Of these."""
    nats_of_unknown: float
    n_unknown: int
    """Both: the part of words that the vocabulary lacks, which are predicted as one word."""

    @property
    def nats_a_word(self) -> float:
        """The mean over words and sentence ends."""
        return self.nats / max(1, self.n)


def surprise_of(surprisals: np.ndarray, is_unknown: np.ndarray) -> Surprise:
    """Sums over words, in this process alone: surprisals in nats, and whether the vocabulary lacks the word."""
    nats = surprisals.astype(np.float64)
    return Surprise(float(nats.sum()), len(nats), float(nats[is_unknown].sum()), int(is_unknown.sum()))


def perplexity_scores(surprise: Surprise) -> list[TaskScore]:
    """Returns the perplexity per word, sentence ends counting as words, and that without unknown words.

    Perplexities are comparable where text and vocabulary are the same. A word that the vocabulary lacks is predicted
    as `<unk>`, which is cheap: the second number leaves such words out.
    """
    n_known = surprise.n - surprise.n_unknown
    known = (surprise.nats - surprise.nats_of_unknown) / max(1, n_known)
    return [
        TaskScore("perplexity", perplexity(surprise.nats_a_word), surprise.n, SCORER),
        TaskScore("perplexity_of_known_words", perplexity(known), n_known, SCORER),
    ]


def perplexity(nats: float) -> float:
    """Returns the exponential of a mean surprisal; infinity where it is too large for a float."""
    return math.exp(nats) if nats < 700 else math.inf


class SurpriseSum(Metric):
    """Sums surprisals over batches and processes."""

    full_state_update = False
    higher_is_better = False
    sums: Tensor

    def __init__(self):
        super().__init__()
        self.add_state("sums", torch.zeros(4, dtype=torch.float64), dist_reduce_fx="sum")

    def update(self, surprisals: Tensor, is_unknown: Tensor) -> None:
        """Adds words: surprisals in nats and whether the vocabulary lacks the word, `[words]` each."""
        nats, unknown = surprisals.double(), is_unknown.double()
        self.sums += torch.stack([nats.sum(), torch.ones_like(nats).sum(), nats @ unknown, unknown.sum()])

    def compute(self) -> Surprise:
        """Returns the surprisal of everything added so far."""
        nats, n, nats_of_unknown, n_unknown = self.sums.tolist()
        return Surprise(nats, int(n), nats_of_unknown, int(n_unknown))
