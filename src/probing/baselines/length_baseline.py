"""The length baseline of sentence tests: what the number of words alone gives."""

import numpy as np

from src.encoders.length import Length
from src.probing.baselines.count_probe import count_outcome
from src.probing.count_classifiers.logistic_regression import LogisticRegressionOfCounts
from src.probing.suites.tests import ProbingTest

# As conf/probe/logistic_regression.yaml.
_INVERSE_PENALTY, _MAX_ITERATIONS = 1.0, 1000


def length_accuracy(test: ProbingTest) -> float:
    """Returns the accuracy on test, 0 to 1, of a logistic regression on the number of words (SentEval's "Length").

    For forms it is the number of characters, see `Length`. Not a number where train has one label only.
    """
    outcome = count_outcome(Length(), LogisticRegressionOfCounts(_INVERSE_PENALTY, _MAX_ITERATIONS), test)
    if outcome.failed is not None:
        return float("nan")
    return float(np.mean(outcome.test_predictions == np.array(test.test.label_ids)))
