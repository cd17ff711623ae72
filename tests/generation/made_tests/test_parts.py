import numpy as np

from polyprobe.generation.made_tests.labels import parts_by_weight


def test_the_middle_of_a_thing_says_which_part_it_is_in_and_on_a_bound_the_later_one():
    assert parts_by_weight(np.array([5, 4, 2, 9]), [1, 1]).tolist() == [0, 0, 1, 1]
    assert parts_by_weight(np.array([4, 2, 4]), [1, 1]).tolist() == [0, 1, 1]
    assert parts_by_weight(np.zeros(0, int), [7, 2, 1]).tolist() == []


def test_only_the_proportions_of_the_weights_count():
    sizes = np.arange(1, 200)
    assert parts_by_weight(sizes, [7000, 2000, 1000]).tolist() == parts_by_weight(sizes, [0.7, 0.2, 0.1]).tolist()
