import numpy as np
import pytest

from src.analysis.neurons.ablations import AblationPoint, minimal_point


def point(n_neurons, dev_accuracy, ranking="weights", manner="retrained", kept="top"):
    return AblationPoint("Case", None, ranking, manner, kept, n_neurons, 0.5, dev_accuracy, np.zeros(2), 1)


FULL = point(100, 0.80, "", "zeroed", "all")


@pytest.mark.parametrize(("tolerance", "size"), [(0.2, 1), (0.05, 10), (0.01, 50)])
def test_the_smallest_size_within_the_tolerance_counts(tolerance, size):
    points = [point(1, 0.61), point(10, 0.76), point(50, 0.79), point(80, 0.85)]
    assert minimal_point(points, FULL, "weights", tolerance).n_neurons == size


def test_the_first_that_is_good_enough_counts_though_a_larger_one_is_not():
    assert minimal_point([point(10, 0.80), point(20, 0.70)], FULL, "weights", 0.01).n_neurons == 10


def test_where_no_size_is_good_enough_there_is_none():
    assert minimal_point([point(10, 0.5)], FULL, "weights", 0.01) is None


def test_only_new_probes_of_the_top_of_the_ranking_count():
    others = [point(1, 0.9, "probeless"), point(1, 0.9, manner="zeroed"), point(1, 0.9, kept="bottom")]
    assert minimal_point([*others, point(5, 0.9)], FULL, "weights", 0.01).n_neurons == 5
