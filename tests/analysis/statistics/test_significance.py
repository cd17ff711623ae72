import itertools
import math

import numpy as np
import pytest
import scipy.stats

from polyprobe.analysis.statistics.significance import (
    CORRECTIONS,
    SMALLEST_P,
    benjamini_hochberg,
    bonferroni,
    holm,
    paired_difference,
    rise_p,
)

FIRST, SECOND = np.array([1, 0, 1, 0.5, 0]), np.array([1, 1, 0.5, 1, 1])


def every_resample(differences: np.ndarray) -> np.ndarray:
    """Returns the mean of every resample that can be drawn, in order: float64 `[items ** items]`."""
    return np.array([np.mean(draw) for draw in itertools.product(differences, repeat=len(differences))])


def test_the_p_value_is_the_share_of_all_resamples_that_lie_as_far_off():
    differences = SECOND - FIRST
    means = every_resample(differences)
    exact = np.mean(np.abs(means - differences.mean()) >= differences.mean() - 1e-9)
    assert paired_difference(FIRST, SECOND, 1).p == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 10_000))


def test_the_difference_is_second_minus_first():
    assert paired_difference(FIRST, SECOND, 1).difference == pytest.approx(0.4)
    assert paired_difference(SECOND, FIRST, 1).difference == pytest.approx(-0.4)


def test_the_interval_is_that_of_scipy():
    generator = np.random.default_rng(3)
    first, second = generator.integers(0, 2, 300).astype(float), generator.integers(0, 4, 300) / 3
    found = paired_difference(first, second, 1)
    theirs = scipy.stats.bootstrap(
        (first, second),
        lambda one, other, axis: (other - one).mean(axis),
        paired=True,
        method="percentile",
        rng=np.random.default_rng(4),
    ).confidence_interval
    assert (found.interval_low, found.interval_high) == pytest.approx((theirs.low, theirs.high), abs=0.005)


def test_the_p_value_of_many_items_is_near_that_of_the_permutation_test():
    generator = np.random.default_rng(5)
    first = generator.integers(0, 2, 400).astype(float)
    second = np.where(generator.random(400) < 0.15, 1, first)  # some wrong items become right
    second[:20] = 0
    theirs = scipy.stats.permutation_test(
        (first, second),
        lambda one, other, axis: (other - one).mean(axis),
        permutation_type="samples",
        n_resamples=9999,
        vectorized=True,
        rng=np.random.default_rng(6),
    ).pvalue
    assert paired_difference(first, second, 1).p == pytest.approx(theirs, abs=0.02)


def test_equal_scores_have_no_difference_and_a_p_of_one():
    found = paired_difference(FIRST, FIRST, 1)
    assert (found.difference, found.interval_low, found.interval_high, found.p) == (0, 0, 0, 1)


def test_the_same_seed_gives_the_same_numbers():
    assert paired_difference(FIRST, SECOND, 1) == paired_difference(FIRST, SECOND, 1)
    assert paired_difference(FIRST, SECOND, 1) != paired_difference(FIRST, SECOND, 2)


def test_a_rise_counts_resamples_of_more_than_twice_the_difference():
    differences = SECOND - FIRST
    exact = np.mean(every_resample(differences) > 2 * differences.mean() + 1e-9)
    assert rise_p(FIRST, SECOND, 1) == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 10_000))


def test_a_rise_that_no_resample_contradicts_has_the_smallest_p_and_never_none():
    before, after = np.zeros(300), np.ones(300)
    assert rise_p(before, after, 1) == SMALLEST_P == 1 / 10_001


def test_a_fall_or_a_standstill_is_no_rise():
    assert rise_p(SECOND, FIRST, 1) > 0.5
    assert rise_p(FIRST, FIRST, 1) == 1


def plain_holm(p_values: list[float]) -> list[float]:
    """Rejects one hypothesis after the other: the corrected value is the level at which each falls."""
    corrected = {}
    left = dict(enumerate(p_values))
    level = 0.0
    while left:
        smallest = min(left, key=left.get)
        level = max(level, len(left) * left[smallest])
        corrected[smallest] = min(level, 1.0)
        del left[smallest]
    return [corrected[position] for position in range(len(p_values))]


@pytest.mark.parametrize("p_values", [[], [0.2], [0.01, 0.04, 0.03, 0.005], [0.04, 0.04, 0.9], [0.0, 0.5, 0.6]])
def test_holm_equals_rejecting_one_after_the_other(p_values):
    assert holm(p_values) == pytest.approx(plain_holm(p_values))


@pytest.mark.parametrize(
    ("name", "corrected"),
    [("bonferroni", [0.02, 0.08]), ("holm", [0.02, 0.04]), ("benjamini_hochberg", [0.02, 0.04])],
)
def test_a_p_value_that_is_nan_stays_and_counts_for_nothing(name, corrected):
    found = CORRECTIONS[name]([0.01, math.nan, 0.04])
    assert found == pytest.approx([corrected[0], math.nan, corrected[1]], nan_ok=True)


def test_holm_of_a_worked_example():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_bonferroni_multiplies_by_the_number_of_tests_up_to_one():
    assert bonferroni([0.01, 0.5, 0.0]) == pytest.approx([0.03, 1.0, 0.0])


def test_benjamini_and_hochberg_take_the_least_of_the_larger_ones():
    # In order 0.005, 0.03, 0.035, 0.6: times 4/1, 4/2, 4/3, 4/4 makes 0.02, 0.06, 0.0467, 0.6; 0.06 falls to 0.0467.
    assert benjamini_hochberg([0.035, 0.6, 0.005, 0.03]) == pytest.approx([0.14 / 3, 0.6, 0.02, 0.14 / 3])


@pytest.mark.parametrize("seed", range(5))
def test_benjamini_and_hochberg_is_that_of_scipy(seed):
    p_values = np.random.default_rng(seed).random(40) ** 3
    assert benjamini_hochberg(p_values.tolist()) == pytest.approx(scipy.stats.false_discovery_control(p_values))
