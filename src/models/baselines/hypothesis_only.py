"""The baseline of natural language inference: a classifier that never sees the premise."""

import logging
import warnings
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from polyprobe.formats.pairs.labelled_pairs import LabelledPair, with_label
from polyprobe.frequency import most_frequent
from polyprobe.metrics.classification import majority_score, pair_scores
from polyprobe.metrics.task_score import TaskScore

LEAST_HYPOTHESES = 2
MOST_STEPS = 1000
_log = logging.getLogger(__name__)


class HypothesisOnly:
    """Labels hypotheses by logistic regression over their words and pairs of neighbouring words, weighed by tf-idf."""

    name = "hypothesis_only"

    def __init__(self, pairs: Sequence[LabelledPair]):
        self.majority = most_frequent(Counter(pair.label for pair in pairs))
        least = LEAST_HYPOTHESES if len(pairs) >= LEAST_HYPOTHESES**2 else 1
        self._weights = TfidfVectorizer(analyzer=_words_and_bigrams, min_df=least)
        self._classifier = LogisticRegression(max_iter=MOST_STEPS)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # said below, in words
            self._classifier.fit(self._weights.fit_transform(pairs), [pair.label for pair in pairs])
        if self._classifier.n_iter_.max() >= MOST_STEPS:
            _log.warning("The baseline hypothesis_only is unfinished: no optimum after %s steps.", MOST_STEPS)

    @classmethod
    def counted(cls, train: Sequence[LabelledPair]) -> "HypothesisOnly":
        """Learns from the pairs that have a label."""
        return cls(with_label(train))

    def scores(self, pairs: Sequence[LabelledPair]) -> list[TaskScore]:
        """Returns accuracy and confusion over the pairs that have a label, then the most frequent label's accuracy."""
        pairs = with_label(pairs)
        if not pairs:
            return []
        gold = [pair.label for pair in pairs]
        return [*pair_scores(gold, self.predicted(pairs)), majority_score(self.majority, gold)]

    def predicted(self, pairs: Sequence[LabelledPair]) -> list[str]:
        """Returns a label for each pair."""
        return self._classifier.predict(self._weights.transform(pairs)).tolist() if pairs else []


def _words_and_bigrams(pair: LabelledPair) -> list[str]:
    words = pair.hypothesis
    return [*words, *(" ".join(two) for two in pairwise(words))]
