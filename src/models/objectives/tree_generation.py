"""The tree of a sentence as symbols, from its vector (objective=seq2tree)."""

from collections.abc import Mapping, Sequence

import numpy as np

from src.formats.texts.targeted_sentences import TargetedSentence
from src.metrics import trees
from src.metrics.count_sums import CountSums
from src.metrics.generation import N_COUNTS
from src.metrics.task_score import TaskScore
from src.models.batches.target_batch import TargetBatch
from src.models.decoders.decoder import EncodedSentences
from src.models.objectives.objective import Answers
from src.models.objectives.target_generation import Generation


class TreeGeneration(Generation):
    """Scores trees by their symbols, each after the gold symbols before it, as wholes, and by their brackets."""

    def new_metric(self) -> CountSums:
        return CountSums(units=N_COUNTS, trees=trees.N_COUNTS)

    def count(self, metric: CountSums, encoded: EncodedSentences, batch: TargetBatch) -> None:
        self.count_units(metric, encoded, batch)
        answers, gold = self.greedy_and_gold(encoded, batch)
        metric.update(trees=trees.tree_counts(gold, answers).sum(0))

    def scores_of_sums(self, sums: Mapping[str, np.ndarray]) -> list[TaskScore]:
        return [*self._of_units(sums), *trees.scores_of_sums(sums["trees"])]

    def scored(self, sentences: Sequence[TargetedSentence], answers: Answers, metric: CountSums) -> list[TaskScore]:
        """Returns the scores of symbols, and those of the trees that are found with the beam."""
        of_units = self._of_units(metric.counted_here())
        return [*of_units, *trees.tree_scores([one.target for one in sentences], answers(sentences))]

    def _of_units(self, sums: Mapping[str, np.ndarray]) -> list[TaskScore]:
        """Returns the accuracy of symbols first: the best epoch is known by it."""
        perplexity, _, accuracy = super().scores_of_sums(sums)  # a symbol is a unit and a word
        return [accuracy, perplexity]
