"""Draws without replacement, against all draws one by one."""

from itertools import combinations

import numpy as np
import pytest

from polyprobe.analysis.statistics.significance import even_draws


def shares_of_draws(n_all: int, n_in_group: int, n_drawn: int) -> dict[int, float]:
    """Returns the share of all draws that have so many of the group."""
    found = [sum(one < n_in_group for one in drawn) for drawn in combinations(range(n_all), n_drawn)]
    return {number: found.count(number) / len(found) for number in sorted(set(found))}


@pytest.mark.parametrize(("n_all", "n_in_group", "n_drawn"), [(12, 4, 6), (9, 3, 2), (8, 7, 5), (10, 10, 3)])
def test_mean_and_range_are_those_of_all_draws(n_all, n_in_group, n_drawn):
    shares = shares_of_draws(n_all, n_in_group, n_drawn)
    (expected, _), (low, _), (high, _) = even_draws(np.array([n_in_group, n_all - n_in_group]), n_drawn)
    assert expected == pytest.approx(sum(number * share for number, share in shares.items()))
    fewer = sum(share for number, share in shares.items() if number < low)
    more = sum(share for number, share in shares.items() if number > high)
    assert fewer <= 0.025
    assert more <= 0.025
    assert fewer + shares[low] > 0.025
    assert more + shares[high] >= 0.025
