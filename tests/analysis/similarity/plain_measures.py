"""The measures of similarity of two sets of vectors, each from its formula in float64: what all pairs are held against.

Nothing is checked: vectors are float64 `[items, neurons]`, of the same items, that the measure is defined for.
"""

import math
from collections.abc import Callable

import numpy as np

from polyprobe.metrics.correlation import SPEARMAN, correlation


def plain_similarity(x: np.ndarray, y: np.ndarray, measure: str) -> float:
    """Returns how alike x and y are by a measure; of a directed one how well y covers x."""
    return float(PLAIN[measure](x.astype(np.float64), y.astype(np.float64)))


def each_pair(matrices: list[np.ndarray], measure: str) -> np.ndarray:
    """Returns the similarity of each two: float64 `[layers, layers]`."""
    return np.array([[plain_similarity(x, y, measure) for y in matrices] for x in matrices])


def max_correlation(x, y):
    return np.abs(unit_columns(x).T @ unit_columns(y)).max(axis=1).mean()


def linear_regression(x, y):
    directions, lengths, _ = np.linalg.svd(unit_columns(y), full_matrices=False)
    has_variance = lengths > lengths[0] * max(y.shape) * np.finfo(np.float64).eps
    return np.linalg.norm(directions[:, has_variance].T @ unit_columns(x), axis=0).mean()


def svcca(x, y):
    return np.linalg.svd(large_directions(x).T @ large_directions(y), compute_uv=False).mean()


def pwcca(x, y):
    of_x, of_y = large_directions(x), large_directions(y)
    rotation, correlations, _ = np.linalg.svd(of_x.T @ of_y, full_matrices=False)
    squares = ((of_x @ rotation).T @ x) ** 2
    starts = np.flatnonzero(np.diff(correlations, prepend=np.inf) < -1e-9)  # ties are one
    sizes = np.diff(starts, append=len(correlations))
    weights = np.array([n * mean_cosine(n) for n in sizes]) * np.sqrt(np.add.reduceat(squares, starts)).sum(axis=1)
    return weights @ correlations[starts] / weights.sum()


def mean_cosine(n_dimensions):
    """The mean |cosine| of a random direction to a given one."""
    return math.exp(math.lgamma(n_dimensions / 2) - math.lgamma((n_dimensions + 1) / 2)) / math.sqrt(math.pi)


def cka(kernel: Callable, hsic: Callable) -> Callable:
    def of_pair(x, y):
        of_x, of_y = kernel(x), kernel(y)
        return hsic(of_x, of_y) / np.sqrt(hsic(of_x, of_x) * hsic(of_y, of_y))

    return of_pair


def linear_kernel(vectors):
    centred = vectors - vectors.mean(axis=0)
    return centred @ centred.T


def gaussian_kernel(vectors):
    products = linear_kernel(vectors)
    distances = np.maximum(products.diagonal()[:, None] + products.diagonal() - 2 * products, 0)
    np.fill_diagonal(distances, 0)
    return np.exp(-distances / (2 * np.sort(distances, axis=None)[(distances.size - 1) // 2]))


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


def representational_similarity(x, y):
    return correlation(SPEARMAN, *(distances_of_items(vectors) for vectors in (x, y)))


def distances_of_items(vectors):
    of_items = unit_columns(vectors.T)
    return np.round(1 - (of_items.T @ of_items)[np.triu_indices(len(vectors), 1)], 12)


def procrustes(x, y):
    one, other = (vectors - vectors.mean(axis=0) for vectors in (x, y))
    return np.linalg.norm(one.T @ other, ord="nuc") / np.linalg.norm(one) / np.linalg.norm(other)


def unit_columns(vectors):
    centred = vectors - vectors.mean(axis=0)
    return centred / np.linalg.norm(centred, axis=0)


def large_directions(vectors):
    directions, lengths, _ = np.linalg.svd(unit_columns(vectors), full_matrices=False)
    return directions[:, np.cumsum(lengths**2) / np.sum(lengths**2) < 0.99]


PLAIN = {
    "maxcorr": max_correlation,
    "mincorr": max_correlation,
    "linreg": linear_regression,
    "svcca": svcca,
    "pwcca": pwcca,
    "lincka": cka(linear_kernel, biased_hsic),
    "rbfcka": cka(gaussian_kernel, biased_hsic),
    "cka": cka(linear_kernel, unbiased_hsic),
    "rbf_cka": cka(gaussian_kernel, unbiased_hsic),
    "rsa": representational_similarity,
    "procrustes": procrustes,
}
