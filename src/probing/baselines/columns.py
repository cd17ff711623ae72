"""The baseline columns of a test's rows: majority, memoriser, leakage and, of sentences, length."""

from src.items import Sentence
from src.probing.baselines.length_baseline import length_accuracy
from src.probing.baselines.memory import leakage, majority_accuracy, memoriser_accuracy
from src.probing.suites.surface_forms import inputs
from src.probing.suites.tests import Examples, ProbingTest


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
