"""Tf-idf of words under naive Bayes: a tiny set by hand."""

import math

from polyprobe.encoders.tfidf import NaiveBayesTfIdf, TfIdf
from polyprobe.items import Sentence
from polyprobe.probing.baselines.columns import count_outcome
from polyprobe.probing.count_classifiers.naive_bayes import NaiveBayes
from polyprobe.probing.suites.tests import Examples, ProbingTest

FEATURES = {
    "unit": "word",
    "tokenizer": None,
    "min_n": 1,
    "max_n": 1,
    "max_features": 100,
    "min_examples": 1,
    "lowercase": False,
    "dotless_i": False,
}


def encoder(**changes):
    return NaiveBayesTfIdf(**{**FEATURES, **changes})


def sentences(*texts):
    return [(Sentence(tuple(text.split(" "))),) for text in texts]


def examples(texts, label_ids):
    return Examples(tuple(sentences(*texts)), tuple(label_ids), tuple(range(1, len(texts) + 1)))


def test_a_tiny_set_comes_out_as_by_hand():
    """Train: "a b" (label 0), "a" and "a" (label 1). a weighs 1, b weighs w = ln(4 / 2) + 1, then length 1.

    Label 0 has a: 1 / r, b: w / r with r = sqrt(1 + w * w); label 1 has a: 2, b: 0; priors are 1 / 3 and 2 / 3.
    """
    w = math.log(4 / 2) + 1
    r = math.hypot(1, w)
    total = 2 + (1 + w) / r
    of_a = (1 / 3 * (1 + 1 / r) / total, 2 / 3 * 3 / 4)
    of_b = (1 / 3 * (1 + w / r) / total, 2 / 3 * 1 / 4)
    assert of_a[0] < of_a[1]
    assert of_b[0] > of_b[1]
    train = examples(["a b", "a", "a"], [0, 1, 1])
    asked = examples(["a", "b", "c"], [1, 0, 1])
    outcome = count_outcome(
        encoder(), NaiveBayes("multinomial", 1.0), ProbingTest("Toy", "v", ("first", "second"), train, asked, asked)
    )
    assert outcome.test_predictions.tolist() == [1, 0, 1]  # of an unknown word: the more frequent label
    assert outcome.dev_accuracy == 1.0


def test_weights_are_those_of_tf_idf():
    texts = sentences("a b", "a", "b c")
    assert (encoder().features(texts)[0] != TfIdf(**FEATURES).features(texts)[0]).nnz == 0
    assert (encoder().own_probe, TfIdf(**FEATURES).own_probe) == ("naive_bayes", None)
