"""Text from the vector of a sentence: its translation, or itself (objective=nmt, objective=autoencoder)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from src.formats.texts.targeted_sentences import TargetedSentence
from src.metrics import bleu
from src.metrics.count_sums import CountSums
from src.metrics.generation import N_COUNTS, exact_score
from src.metrics.task_score import TaskScore
from src.models.batches.target_batch import TargetBatch
from src.models.decoders.decoder import EncodedSentences
from src.models.objectives.objective import Answers
from src.models.objectives.target_generation import Generation


class TextGeneration(Generation):
    """Scores text by BLEU and by its perplexity."""

    def new_metric(self) -> CountSums:
        return CountSums(units=N_COUNTS, bleu=bleu.N_COUNTS, sentences=1)

    def count(self, metric: CountSums, encoded: EncodedSentences, batch: TargetBatch) -> None:
        self.count_units(metric, encoded, batch)
        counts = bleu.bleu_counts(*self.greedy_and_gold(encoded, batch))
        metric.update(bleu=counts.sum(0), sentences=[len(counts)])

    def scores_of_sums(self, sums: Mapping[str, np.ndarray]) -> list[TaskScore]:
        score = TaskScore("bleu", bleu.bleu(sums["bleu"]), int(sums["sentences"][0]), bleu.SCORER)
        return [score, *super().scores_of_sums(sums)]

    def scored(self, sentences: Sequence[TargetedSentence], answers: Answers, metric: CountSums) -> list[TaskScore]:
        """Returns the scores after every epoch, then BLEU and the share of exact answers as found with the beam."""
        gold, found = [one.target for one in sentences], answers(sentences)
        of_beam = [replace(score, metric="bleu_beam") for score in bleu.bleu_scores(gold, found)]
        return [*self.scores_of_sums(metric.counted_here()), *of_beam, exact_score(gold, found)]
