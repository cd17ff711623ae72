import numpy as np
import pytest

from polyprobe.generation.sentence_tests.from_trees.described_sentences import correlation, decorrelated


def numbers(n):
    generator = np.random.default_rng(3)
    lengths = generator.integers(5, 29, n)
    return np.clip(np.round(3 + lengths / 4 + generator.normal(0, 1.5, n)), 4, 12).astype(int), lengths


@pytest.mark.parametrize("limit", [0.05, 0.2])
def test_the_sample_is_within_the_limit_of_correlation(limit):
    depths, lengths = numbers(4000)
    sample = decorrelated(depths, lengths, limit, np.random.default_rng(1))
    assert np.corrcoef(depths, lengths)[0, 1] > 0.7
    assert abs(np.corrcoef(depths[sample], lengths[sample])[0, 1]) <= limit
    assert sample == sorted(set(sample))
    assert len(sample) > 200


def test_a_wider_limit_keeps_more_sentences():
    depths, lengths = numbers(1000)
    sizes = [len(decorrelated(depths, lengths, limit, np.random.default_rng(1))) for limit in (0.02, 0.3)]
    assert sizes == sorted(set(sizes))


@pytest.mark.parametrize(("depths", "lengths"), [([], []), ([5, 5], [7, 8]), ([5, 6], [7, 7])])
def test_of_one_depth_or_one_length_there_is_no_sample(depths, lengths):
    assert decorrelated(depths, lengths, 0.1, np.random.default_rng(1)) == []


def test_the_correlation_of_counted_pairs_is_that_of_the_pairs_repeated():
    cells, counts = np.array([[1, 4], [2, 5], [3, 2]]), np.array([3, 1, 2])
    repeated = np.repeat(cells, counts, axis=0).T
    assert correlation(cells, counts) == pytest.approx(np.corrcoef(repeated)[0, 1])
