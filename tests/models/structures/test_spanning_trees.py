"""The best tree is the best of all trees."""

from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyprobe.formats.treebanks.dependencies import word_on_cycle
from polyprobe.models.structures.spanning_trees import ScoresAreNoNumbers, best_tree, best_trees


@cache
def trees_of_any_roots(n_words: int) -> np.ndarray:
    """Every choice of heads without a cycle: `[trees, words]`."""
    choices = product(range(n_words + 1), repeat=n_words)
    return np.array([heads for heads in choices if word_on_cycle(heads) is None])


@cache
def all_trees(n_words: int) -> np.ndarray:
    """Every choice of heads that is a tree with one root: `[trees, words]`."""
    trees = trees_of_any_roots(n_words)
    return trees[(trees == 0).sum(1) == 1]


def values(scores: np.ndarray, trees: np.ndarray) -> np.ndarray:
    """The scores of trees, worst first by the number of forbidden arcs: `[trees, 2]`."""
    arcs = scores[np.arange(1, len(scores)), trees]
    is_forbidden = np.isneginf(arcs)
    return np.stack([-is_forbidden.sum(-1), np.where(is_forbidden, 0, arcs).sum(-1)], axis=-1)


def matrices(numbers) -> st.SearchStrategy[np.ndarray]:
    def of(n_nodes: int):
        return st.lists(numbers, min_size=n_nodes**2, max_size=n_nodes**2).map(
            lambda cells: np.array(cells, dtype=np.float64).reshape(n_nodes, n_nodes)
        )

    return st.integers(2, 6).flatmap(of)


def best_value(scores: np.ndarray) -> tuple[float, float]:
    return max(map(tuple, values(scores, all_trees(len(scores) - 1)).tolist()))


def found_value(scores: np.ndarray) -> tuple[float, float]:
    heads = best_tree(scores)
    assert np.count_nonzero(heads == 0) == 1
    assert word_on_cycle(heads.tolist()) is None
    return tuple(values(scores, heads).tolist())


def test_there_are_as_many_trees_as_cayley_says():
    assert [len(all_trees(n)) for n in range(1, 6)] == [1, 2, 9, 64, 625]


@given(matrices(st.integers(-3, 3)))
def test_the_tree_is_the_best_of_all_also_among_ties(scores):
    assert found_value(scores) == best_value(scores)


@given(matrices(st.sampled_from([-np.inf, -np.inf, -1.0, 0.0, 2.0])))
def test_forbidden_arcs_are_taken_as_seldom_as_can_be(scores):
    assert found_value(scores) == best_value(scores)


@given(matrices(st.floats(-1e6, 1e6)))
def test_the_tree_is_the_best_of_all_by_real_scores(scores):
    assert found_value(scores) == pytest.approx(best_value(scores), rel=1e-9, abs=1e-6)


@given(matrices(st.integers(-3, 3)), st.sampled_from([1e3, 1e9, 1e15]))
def test_one_word_hangs_on_the_root_however_high_its_arcs_score(scores, bonus):
    scores[:, 0] += bonus
    assert found_value(scores) == best_value(scores)


@pytest.mark.parametrize("seed", range(20))
def test_six_words_with_cycles_in_cycles(seed):
    scores = np.random.default_rng(seed).integers(-9, 10, (7, 7)).astype(np.float64)
    scores[1:, 0] -= 20
    assert found_value(scores) == best_value(scores)


def test_sentences_of_a_batch_do_not_see_each_other_nor_padding():
    generator = np.random.default_rng(1)
    scores = generator.normal(size=(3, 9, 9))
    together = best_trees(scores, [8, 1, 5])
    for of_sentence, n_words, heads in zip(scores, [8, 1, 5], together, strict=True):
        assert heads.tolist() == best_tree(of_sentence[: n_words + 1, : n_words + 1]).tolist()


def test_a_non_projective_tree_is_found():
    scores = np.zeros((5, 5))
    for dependent, head in enumerate([3, 0, 2, 2], start=1):  # 1 hangs on 3, across the root 2
        scores[dependent, head] = 1.0
    assert best_tree(scores).tolist() == [3, 0, 2, 2]


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_scores_that_are_no_numbers_are_no_scores(bad):
    with pytest.raises(ScoresAreNoNumbers):
        best_tree(np.full((3, 3), bad))


def test_there_are_as_many_trees_of_any_roots_as_cayley_says():
    assert [len(trees_of_any_roots(n)) for n in range(1, 6)] == [1, 3, 16, 125, 1296]
