import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyprobe.generation.made_tests.labels import check_labels, check_train, label_quotas
from polyprobe.generation.made_tests.row_statistics import TooFew


@pytest.mark.parametrize(("labels", "found"), [([], "0 labels left"), (["Nom"], r"1 label left \(Nom\)")])
def test_a_test_of_less_than_two_labels_is_refused(labels, found):
    with pytest.raises(TooFew, match=rf"Case: {found}\. A test needs 2\."):
        check_labels("Case", labels)


@pytest.mark.parametrize(("labels", "found"), [([], "train has no item"), (["A", "A"], "have the label A")])
def test_a_train_of_less_than_two_labels_is_refused(labels, found):
    check_train("Case", iter(["B", "A", "B"]))
    with pytest.raises(TooFew, match=rf"Case: .*{found}\. A test needs 2 labels there\."):
        check_train("Case", iter(labels))


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 3)), min_size=1, max_size=6), st.floats(0, 1))
def test_quotas_add_up_and_never_ask_for_more_than_there_is(labels, share):
    counts, weights = (np.array(column) for column in zip(*labels, strict=True))
    n_items = int(share * counts.sum())
    quotas = label_quotas(counts, weights, n_items)
    assert quotas.sum() == n_items
    assert (quotas <= counts).all()


def test_quotas_follow_the_weights_and_labels_that_are_over_fill_up():
    assert label_quotas(np.array([50, 50, 50]), np.array([1, 2, 3]), 60).tolist() == [10, 20, 30]
    assert label_quotas(np.array([5, 50, 50]), np.array([1, 1, 1]), 65).tolist() == [5, 30, 30]
    assert label_quotas(np.array([5, 50, 50]), np.array([1, 1, 1]), 66).tolist() == [5, 31, 30]
    assert label_quotas(np.array([5, 50]), np.array([1, 0]), 10).tolist() == [5, 5]
