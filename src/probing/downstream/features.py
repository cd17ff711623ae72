"""What is fitted on, and how alike two sentences are: features and cosines of the vectors of pairs, dense or sparse."""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_matrix, hstack, issparse

Matrix = np.ndarray | csr_matrix


def features_of(first: Matrix, second: Matrix | None, names: Sequence[str]) -> Matrix:
    """Joins features of one or two sentences.

    Args:
        first: of the first sentences, `[items, width]`.
        second: of the second ones; None where an item has one sentence.
        names: what is joined, in this order: "first", "second", "difference" (|u - v|), "product" (u * v).

    Returns:
        `[items, width x names]`.
    """
    parts = [_part(first, second, name) for name in names]
    if len(parts) == 1:
        return parts[0]
    return hstack(parts).tocsr() if issparse(first) else np.concatenate(parts, axis=1)


def cosines(first: Matrix, second: Matrix) -> np.ndarray:
    """Returns the cosine of each pair, float64 `[items]`; NaN where a vector has no length."""
    first, second = first.astype(np.float64), second.astype(np.float64)
    products = _sums(_product(first, second))
    lengths = np.sqrt(_sums(_product(first, first)) * _sums(_product(second, second)))
    return np.divide(products, lengths, out=np.full(len(products), np.nan), where=lengths > 0)


def _part(first: Matrix, second: Matrix | None, name: str) -> Matrix:
    if name in ("first", "second"):
        return first if name == "first" else second
    return abs(first - second) if name == "difference" else _product(first, second)


def _product(first: Matrix, second: Matrix) -> Matrix:
    return first.multiply(second).tocsr() if issparse(first) else first * second


def _sums(matrix: Matrix) -> np.ndarray:
    return np.asarray(matrix.sum(axis=1)).ravel()
