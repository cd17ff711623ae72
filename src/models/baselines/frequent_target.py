"""Trivial baselines of generation: what train has most often, whatever the sentence is."""

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import torch

from src.formats.texts.targeted_sentences import TargetedSentence
from src.frequency import most_frequent
from src.metrics.bleu import bleu_scores
from src.metrics.generation import exact_score, unit_counts, unit_scores
from src.metrics.task_score import TaskScore
from src.metrics.trees import tree_scores
from src.models.batches.target_units import END_ID, TargetUnits


class FrequentTarget:
    """Generates the most frequent target of train, and predicts each unit by how often it occurs there.

    Every unit is counted once more than it occurs, so that none is impossible. Of equally frequent targets the first
    when sorted is generated.

    Args:
        target: that is always generated.
        log_probabilities: `[units]`, of each unit at any place, in nats.
        units: of the targets.
    """

    name: ClassVar[str] = "frequent_target"

    def __init__(self, target: tuple[str, ...], log_probabilities: np.ndarray, units: TargetUnits):
        self.target, self._log_probabilities, self._units = target, log_probabilities, units

    @classmethod
    def counted(cls, train: Sequence[TargetedSentence], units: TargetUnits) -> "FrequentTarget":
        """Counts targets and their units."""
        counts = np.bincount(_unit_ids(train, units), minlength=len(units)) + 1
        return cls(most_frequent(Counter(one.target for one in train)), np.log(counts / counts.sum()), units)

    def scores(self, sentences: Sequence[TargetedSentence]) -> list[TaskScore]:
        """Returns the BLEU and the share of exact targets, then the perplexities and the accuracy of units."""
        if not sentences:
            return []
        gold = [one.target for one in sentences]
        generated = [self.target] * len(gold)
        return [*bleu_scores(gold, generated), exact_score(gold, generated), *self._unit_scores(sentences)]

    def _unit_scores(self, sentences: Sequence[TargetedSentence]) -> list[TaskScore]:
        ids = _unit_ids(sentences, self._units)
        surprisals, is_best = -self._log_probabilities[ids], ids == self._log_probabilities.argmax()
        n_words = sum(len(one.target) + 1 for one in sentences)
        return unit_scores(unit_counts(torch.from_numpy(surprisals), torch.from_numpy(is_best), n_words).numpy())


class FrequentTree(FrequentTarget):
    """The same of trees written as symbols."""

    name: ClassVar[str] = "frequent_tree"

    def scores(self, sentences: Sequence[TargetedSentence]) -> list[TaskScore]:
        """Returns the scores of trees, then the perplexities and the accuracy of symbols."""
        if not sentences:
            return []
        gold = [one.target for one in sentences]
        return [*tree_scores(gold, [self.target] * len(gold)), *self._unit_scores(sentences)]


def _unit_ids(sentences: Sequence[TargetedSentence], units: TargetUnits) -> np.ndarray:
    """Returns the units of all targets, each with its end: `[units]`."""
    return np.concatenate([[*units.ids(one.target), END_ID] for one in sentences]).astype(np.int64)
