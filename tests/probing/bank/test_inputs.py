"""Rows of few entries: what they hold, take out and multiply to, by dense matrices."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from polyprobe.probing.bank.inputs import SparseRows


def dense(rows: SparseRows) -> np.ndarray:
    return csr_matrix((rows.values, rows.columns, rows.starts), rows.shape).toarray()


def counts(seed: int, n_rows: int = 7, width: int = 9, share: float = 0.3) -> np.ndarray:
    random = np.random.default_rng(seed)
    return np.where(random.random((n_rows, width)) < share, random.random((n_rows, width)), 0.0).astype(np.float32)


def test_entries_of_one_place_are_added_up():
    matrix = csr_matrix(([1.0, 2.0, 4.0], [3, 3, 1], [0, 2, 2, 3]), (3, 5))
    rows = SparseRows.of(matrix)
    np.testing.assert_array_equal(dense(rows), [[0, 0, 0, 3, 0], [0] * 5, [0, 4, 0, 0, 0]])
    assert (len(rows), rows.shape, rows.columns.tolist()) == (3, (3, 5), [3, 1])
    assert matrix.nnz == 3  # the given one stays as it is


@given(st.lists(st.integers(0, 6), max_size=9), st.integers(0, 3), st.integers(0, 50))
def test_taken_rows_are_those_of_the_dense_matrix(chosen, n_more, seed):
    matrix = counts(seed)
    rows = SparseRows.of(csr_matrix(matrix)).taken(torch.tensor(chosen, dtype=torch.int64), len(chosen) + n_more)
    expected = np.vstack([matrix[chosen], np.zeros((n_more, 9), np.float32)])
    np.testing.assert_array_equal(dense(rows), expected)


@pytest.mark.parametrize("n_rows", [1, 3, 6, 7, 8])
def test_blocks_are_the_rows_in_their_order(n_rows):
    matrix = counts(5, n_rows=6)
    blocks = SparseRows.of(csr_matrix(matrix)).split(n_rows)
    assert [len(block) for block in blocks] == [len(part) for part in torch.zeros(6).split(n_rows)]
    np.testing.assert_array_equal(np.vstack([dense(block) for block in blocks]), matrix)


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("n_outputs", [1, 16, 250])
def test_products_are_those_of_the_dense_matrix(share, n_outputs):
    matrix, generator = counts(2, share=share), torch.Generator().manual_seed(1)
    rows = SparseRows.of(csr_matrix(matrix))
    weights, errors = torch.randn(9, n_outputs, generator=generator), torch.randn(7, n_outputs, generator=generator)
    torch.testing.assert_close(rows.times(weights), torch.from_numpy(matrix) @ weights)
    found, slopes = rows.transposed_times(errors)
    assert found.tolist() == np.flatnonzero(matrix.any(0)).tolist()
    torch.testing.assert_close(slopes, (torch.from_numpy(matrix).T @ errors)[found])
