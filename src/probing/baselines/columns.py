"""The baseline columns of a test's rows: majority, memoriser, leakage and, of sentences, length."""

import numpy as np

from src.encoders.length import Length
from src.items import Sentence
from src.probing.baselines.count_probe import count_outcome
from src.probing.baselines.memory import leakage, majority_accuracy, memoriser_accuracy
from src.probing.count_classifiers.logistic_regression import LogisticRegressionOfCounts
from src.probing.suites.surface_forms import inputs
from src.probing.suites.tests import Examples, ProbingTest

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


def baseline_columns(test: ProbingTest) -> dict[str, float]:
    """Returns the baselines of a test under the names of their columns in a result row.

    Only tests of sentences have the one of length.
    """
    train, asked = inputs(test.train), inputs(test.test)
    labels, gold = _labels(test, test.train), _labels(test, test.test)
    columns = {
        "majority": majority_accuracy(labels, gold),
        "memoriser": memoriser_accuracy(train, labels, asked, gold),
        "leakage": leakage(train, asked),
    }
    is_about_sentences = isinstance(test.test.items[0][0], Sentence)
    return {**columns, "length": length_accuracy(test)} if is_about_sentences else columns


def _labels(test: ProbingTest, examples: Examples) -> list[str]:
    return [test.labels[label_id] for label_id in examples.label_ids]
