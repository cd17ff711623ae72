"""The measures of similarity of two sets of vectors, each from its formula in float64: what all pairs are held against.

Nothing is checked: vectors are float64 `[items, neurons]`, of the same items, that the measure is defined for.
"""

from collections.abc import Callable

import numpy as np


def plain_similarity(x: np.ndarray, y: np.ndarray, measure: str) -> float:
    """Returns how alike x and y are by a measure; of a directed one how well y covers x."""
    return float(PLAIN[measure](x.astype(np.float64), y.astype(np.float64)))


def each_pair(matrices: list[np.ndarray], measure: str) -> np.ndarray:
    """Returns the similarity of each two: float64 `[layers, layers]`."""
    return np.array([[plain_similarity(x, y, measure) for y in matrices] for x in matrices])


def max_correlation(x, y):
    return np.abs(unit_columns(x).T @ unit_columns(y)).max(axis=1).mean()


def cka(kernel: Callable, hsic: Callable) -> Callable:
    def of_pair(x, y):
        of_x, of_y = kernel(x), kernel(y)
        return hsic(of_x, of_y) / np.sqrt(hsic(of_x, of_x) * hsic(of_y, of_y))

    return of_pair


def linear_kernel(vectors):
    centred = vectors - vectors.mean(axis=0)
    return centred @ centred.T


def biased_hsic(first, second):
    means = first.mean(axis=0)
    return ((first - means - means[:, None] + first.mean()) * second).sum()


def unbiased_hsic(first, second):
    """Song et al. (2012), equation 5."""
    n = len(first)
    first, second = (kernel - np.diag(kernel.diagonal()) for kernel in (first, second))
    rows = first.sum(axis=0), second.sum(axis=0)
    of_totals = rows[0].sum() * rows[1].sum() / ((n - 1) * (n - 2))
    return (first * second).sum() + of_totals - 2 / (n - 2) * (rows[0] @ rows[1])


def unit_columns(vectors):
    centred = vectors - vectors.mean(axis=0)
    return centred / np.linalg.norm(centred, axis=0)


PLAIN = {
    "maxcorr": max_correlation,
    "mincorr": max_correlation,
    "lincka": cka(linear_kernel, biased_hsic),
    "cka": cka(linear_kernel, unbiased_hsic),
}
