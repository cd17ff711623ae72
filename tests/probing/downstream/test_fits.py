"""Features of pairs and their cosines, dense and sparse alike; folds joined."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from polyprobe.probing.downstream.cross_validation import FitOutcome
from polyprobe.probing.downstream.fits import cosines, features_of, outcome_of_folds

FIRST = np.array([[1.0, 2.0], [0.0, 3.0]], dtype=np.float32)
SECOND = np.array([[3.0, -1.0], [0.0, 0.0]], dtype=np.float32)


def dense(matrix):
    return matrix.toarray() if hasattr(matrix, "toarray") else matrix


@pytest.mark.parametrize("kind", [np.asarray, csr_matrix])
def test_features_are_joined_in_their_order(kind):
    found = features_of(kind(FIRST), kind(SECOND), ("first", "second", "product", "difference"))
    assert dense(found).tolist() == [[1, 2, 3, -1, 3, -2, 2, 3], [0, 3, 0, 0, 0, 0, 0, 3]]
    assert dense(features_of(kind(FIRST), None, ("first",))).tolist() == FIRST.tolist()


def test_dense_features_stay_as_small_as_they_are():
    assert features_of(FIRST, SECOND, ("difference", "product")).dtype == np.float32


@pytest.mark.parametrize("kind", [np.asarray, csr_matrix])
def test_a_vector_without_length_has_no_cosine(kind):
    found = cosines(kind(FIRST), kind(SECOND))
    assert found[0] == pytest.approx(1 / np.sqrt(5 * 10))
    assert np.isnan(found[1])


def test_folds_are_joined_in_the_order_of_the_examples():
    one = FitOutcome(np.array([1, 0]), chosen_l2=0.1, dev_accuracy=0.5, rows=np.array([0, 3]))
    other = FitOutcome(np.array([2, 1]), chosen_l2=0.01, dev_accuracy=1.0, rows=np.array([1, 2]))
    found = outcome_of_folds([one, other], np.array([1, 2, 1, 1]))
    assert found.predictions.tolist() == [1, 2, 1, 0]
    assert (found.fold_accuracies, found.dev) == ((0.5, 1.0), 0.75)
    assert found.cell == "weight_decay=0.01 in 1 folds, 0.1 in 1"
