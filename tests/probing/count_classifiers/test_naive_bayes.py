"""Naive Bayes against probabilities by hand and against scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.naive_bayes import ComplementNB, MultinomialNB

from polyprobe.errors import BadValue, UnknownChoice
from polyprobe.probing.count_classifiers.naive_bayes import NaiveBayes

LABELS = np.array([3, 3, 7])
TRAIN = csr_matrix([[2.0, 0, 0], [0, 1, 0], [0, 2, 1]])
"""Counts of label 3: 2, 1, 0; of label 7: 0, 2, 1. Smoothed by one: 3, 2, 1 of 6 and 1, 3, 2 of 6."""


def fitted(variant, smoothing=1.0, features=TRAIN, labels=LABELS):
    return NaiveBayes(variant, smoothing).fitted(features, labels, "Toy")


def test_multinomial_scores_are_the_probabilities_of_label_and_example():
    scores = fitted("multinomial").scores(csr_matrix([[1.0, 0, 0], [0, 1, 0], [0, 1, 1], [0, 0, 0]]))
    np.testing.assert_allclose(
        np.exp(scores),
        [
            [2 / 3 * 3 / 6, 1 / 3 * 1 / 6],
            [2 / 3 * 2 / 6, 1 / 3 * 3 / 6],
            [2 / 3 * 2 / 6 * 1 / 6, 1 / 3 * 3 / 6 * 2 / 6],
            [2 / 3, 1 / 3],
        ],
    )


def test_labels_are_those_of_train_and_the_prior_decides_without_features():
    examples = csr_matrix([[1.0, 0, 0], [0, 1, 0], [0, 1, 1], [0, 0, 0]])
    assert fitted("multinomial").predict(examples).tolist() == [3, 3, 7, 3]


def test_complement_scores_are_of_the_counts_of_all_other_labels():
    """Smoothed counts of all: 3, 4, 2. Less those of label 3: 1, 3, 2 of 6; less those of label 7: 3, 2, 1 of 6."""
    scores = fitted("complement").scores(csr_matrix([[1.0, 0, 0], [0, 1, 1]]))
    difference = scores[:, 0] - scores[:, 1]
    np.testing.assert_allclose(np.exp(difference), [3 / 1, (2 * 1) / (3 * 2)])


def test_complement_has_no_prior_and_of_equals_the_first_label_wins():
    assert fitted("complement").predict(csr_matrix([[0.0, 0, 0]])).tolist() == [3]
    assert fitted("complement", labels=np.array([7, 7, 3])).predict(csr_matrix([[0.0, 0, 0]])).tolist() == [3]


def test_smoothing_is_added_to_every_count():
    scores = fitted("multinomial", smoothing=0.5).scores(csr_matrix([[0, 0, 1.0]]))
    np.testing.assert_allclose(np.exp(scores), [[2 / 3 * 0.5 / 4.5, 1 / 3 * 1.5 / 4.5]])


@given(seed=st.integers(0, 10**6), smoothing=st.sampled_from([0.01, 1.0, 3.0]))
@pytest.mark.parametrize(("variant", "peer"), [("multinomial", MultinomialNB), ("complement", ComplementNB)])
def test_scores_are_those_of_scikit_learn(variant, peer, seed, smoothing):
    generator = np.random.default_rng(seed)
    draw = np.where(generator.random((30, 9)) < 0.3, generator.random((30, 9)), 0.0)
    labels = np.concatenate([np.arange(4), generator.integers(0, 4, 16)])
    ours, theirs = fitted(variant, smoothing, csr_matrix(draw[:20]), labels), peer(alpha=smoothing)
    theirs.fit(draw[:20], labels)
    found, expected = ours.scores(csr_matrix(draw[20:])), theirs.predict_joint_log_proba(draw[20:])
    np.testing.assert_allclose(found - found[:, :1], expected - expected[:, :1], atol=1e-9)
    np.testing.assert_array_equal(ours.predict(csr_matrix(draw[20:])), theirs.predict(draw[20:]))


@pytest.mark.parametrize(("variant", "smoothing"), [("bernoulli", 1.0), ("multinomial", 0), ("multinomial", -1)])
def test_an_option_out_of_its_range_is_refused(variant, smoothing):
    with pytest.raises((BadValue, UnknownChoice), match=r"probe\.(variant|smoothing)"):
        NaiveBayes(variant, smoothing)
