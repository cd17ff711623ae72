"""Folds: every row in one, every label in each."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from polyprobe.errors import PolyprobeError
from polyprobe.probing.downstream.cross_validation import dev_drawn, stratified_folds

LABELS = np.array([0] * 20 + [1] * 10 + [2] * 5)


def test_every_fold_has_its_share_of_each_label():
    folds = stratified_folds(LABELS, 5, 1111, "all examples")
    assert [np.bincount(LABELS[inside]).tolist() for _, inside in folds] == [[4, 2, 1]] * 5
    assert sorted(np.concatenate([inside for _, inside in folds])) == list(range(35))
    assert all(sorted([*outside, *inside]) == list(range(35)) for outside, inside in folds)


def test_folds_are_those_of_scikit_learn():
    expected = StratifiedKFold(5, shuffle=True, random_state=1111).split(LABELS, LABELS)
    for ours, theirs in zip(stratified_folds(LABELS, 5, 1111, "all examples"), expected, strict=True):
        for rows, others in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(rows, others)


def test_a_label_with_fewer_examples_than_folds_is_refused():
    with pytest.raises(PolyprobeError, match=r"Label 2 has 5 of 35 examples in all examples, but there are 6 folds\."):
        stratified_folds(LABELS, 6, 1111, "all examples")


@pytest.mark.parametrize(("n_rows", "n_dev"), [(100, 5), (119, 5), (3, 1)])
def test_a_share_of_the_rows_is_drawn_for_dev(n_rows, n_dev):
    train, dev = dev_drawn(np.arange(n_rows) + 7, 0.05, np.random.default_rng(1))
    assert len(dev) == n_dev
    assert sorted([*train, *dev]) == list(range(7, n_rows + 7))
