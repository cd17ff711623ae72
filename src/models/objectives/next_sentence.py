"""The sentence that follows, from the vector of a sentence (objective=skipthought)."""

from collections.abc import Sequence

from src.formats.texts.targeted_sentences import TargetedSentence
from src.metrics.count_sums import CountSums
from src.metrics.generation import N_COUNTS
from src.metrics.task_score import TaskScore
from src.models.batches.target_batch import TargetBatch
from src.models.decoders.decoder import EncodedSentences
from src.models.objectives.objective import Answers
from src.models.objectives.target_generation import Generation


class NextSentence(Generation):
    """Scores the next sentence by its perplexity alone: there are many, and one is in the text."""

    def new_metric(self) -> CountSums:
        return CountSums(units=N_COUNTS)

    def count(self, metric: CountSums, encoded: EncodedSentences, batch: TargetBatch) -> None:
        self.count_units(metric, encoded, batch)

    def scored(self, sentences: Sequence[TargetedSentence], answers: Answers, metric: CountSums) -> list[TaskScore]:
        return self.scores_of_sums(metric.counted_here())  # one process scores a finished run
