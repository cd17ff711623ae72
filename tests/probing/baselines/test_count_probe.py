"""Classifiers on counts, and the length baseline."""

import logging

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from polyprobe.encoders.base.encoder import CountEncoder
from polyprobe.encoders.length import Length
from polyprobe.encoders.tfidf import TfIdf
from polyprobe.items import Form, Sentence
from polyprobe.probing.baselines.columns import count_outcome, length_accuracy
from polyprobe.probing.count_classifiers import logistic_regression
from polyprobe.probing.count_classifiers.logistic_regression import LogisticRegressionOfCounts
from polyprobe.probing.suites.tests import Examples, ProbingTest

LABELS = ("long", "middle", "short")
CLASSIFIER = LogisticRegressionOfCounts(1.0, 1000)


def characters(**changes):
    options = {"unit": "char", "tokenizer": None, "min_n": 1, "max_n": 2, "max_features": 1000, "min_examples": 1}
    return TfIdf(**{**options, "lowercase": False, "dotless_i": False, **changes})


def examples(generator, n):
    lengths = generator.integers(1, 13, n)
    items = tuple((Sentence(tuple("abc"[number] for number in generator.integers(0, 3, size))),) for size in lengths)
    return Examples(items, tuple(int(2 - (size - 1) // 4) for size in lengths), tuple(range(n)))


@pytest.fixture
def by_length():
    generator = np.random.default_rng(3)
    return ProbingTest("Len", "v", LABELS, *(examples(generator, n) for n in (300, 50, 80)))


def gold(test):
    return np.array(test.test.label_ids)


def test_length_solves_a_test_of_length_and_fails_one_of_letters(by_length):
    assert length_accuracy(by_length) > 0.95
    letters = Examples(tuple((Form(form),) for form in "abab"), (0, 1, 0, 1), (1, 2, 3, 4))
    assert length_accuracy(ProbingTest("Letter", "v", ("a", "b"), letters, letters, letters)) == 0.5
    outcome = count_outcome(characters(), CLASSIFIER, ProbingTest("Letter", "v", ("a", "b"), letters, letters, letters))
    assert outcome.test_predictions.tolist() == [0, 1, 0, 1]
    assert outcome.dev_accuracy == 1.0


def test_equal_rows_joined_give_the_predictions_of_all_rows(by_length):
    encoder = Length()
    train, _, test = encoder.features(by_length.train.items, by_length.dev.items, by_length.test.items)
    plain = LogisticRegression(C=1.0, max_iter=1000).fit(train, by_length.train.label_ids)
    np.testing.assert_array_equal(count_outcome(encoder, CLASSIFIER, by_length).test_predictions, plain.predict(test))
    rows, labels, weights = logistic_regression._compressed(train, np.array(by_length.train.label_ids))
    assert (len(rows), len(labels), weights.sum()) == (12, 12, 300)


def test_nothing_is_learnt_from_dev_and_test():
    class Noting(CountEncoder):
        asked = ()

        def features(self, train, *others):
            self.asked = (train, *others)
            return [np.zeros((len(split), 1)) for split in self.asked]

    splits = [Examples(((Form(form),),) * 2, (0, 1), (1, 2)) for form in ("train", "dev", "test")]
    encoder = Noting()
    count_outcome(encoder, CLASSIFIER, ProbingTest("Toy", "v", ("a", "b"), *splits))
    assert [split[0][0].form for split in encoder.asked] == ["train", "dev", "test"]


def test_a_label_that_train_lacks_is_never_said(by_length):
    test = ProbingTest("Len", "v", ("extra", *LABELS), *(by_length.train, by_length.dev, by_length.test))
    shifted = [Examples(one.items, tuple(i + 1 for i in one.label_ids), one.lines) for one in (test.train, test.dev)]
    only = Examples(by_length.test.items, (0,) * 80, by_length.test.lines)
    assert length_accuracy(ProbingTest("Len", "v", test.labels, *shifted, only)) == 0


def test_one_label_in_train_fails(by_length):
    same = Examples(by_length.train.items, (1,) * 300, by_length.train.lines)
    outcome = count_outcome(Length(), CLASSIFIER, ProbingTest("Len", "v", LABELS, same, by_length.dev, by_length.test))
    assert outcome.failed == "train has one label only"
    assert len(outcome.test_predictions) == 0


def test_more_weights_than_memory_holds_fail_with_advice(by_length, monkeypatch):
    monkeypatch.setattr(logistic_regression, "_MOST_WEIGHTS", 29)
    assert count_outcome(characters(max_features=10), CLASSIFIER, by_length).failed == (
        "3 labels x 10 features are more than 29 weights; lower encoder.max_features"
    )
    assert count_outcome(characters(max_features=9), CLASSIFIER, by_length).failed is None


def test_a_solver_that_has_not_ended_is_said(by_length, caplog):
    with caplog.at_level(logging.WARNING):
        assert count_outcome(characters(), LogisticRegressionOfCounts(1.0, 1), by_length).failed is None
    assert "Len: 1 iterations are not enough" in caplog.text
