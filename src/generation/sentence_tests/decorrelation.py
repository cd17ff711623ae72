"""Takes a sample in which depth does not go with length (Conneau et al. 2018, TreeDepth).

Deep trees are long sentences. The published test was sampled towards a bivariate Gaussian with diagonal covariance;
with which means and deviations, and how near it came, is not published. Here every pair of depth and length is a cell;
of each cell as many sentences are taken as a Gaussian asks for, or all where there are fewer. The larger the sample,
the more cells fall short and the more of the correlation comes back. Of some Gaussians around the sentences at hand,
the one is taken that keeps most sentences while the correlation stays within a limit. Its deviation of depth is wider
than that of the sentences, so that the outer depths keep their share.
"""

from collections.abc import Sequence
from itertools import product

import numpy as np

_MEANS = (-0.5, -0.25, 0.0, 0.25, 0.5)  # of depth and of length, in deviations from the mean of the sentences
_LENGTH_DEVIATIONS = (1.0, 0.8, 0.6, 0.5, 0.4)  # times that of the sentences
_DEPTH_DEVIATION = 1.5
_STEPS = 25  # of the bisection for each Gaussian


def decorrelated(
    depths: Sequence[int], lengths: Sequence[int], limit: float, generator: np.random.Generator
) -> list[int]:
    """Draws a sample of sentences.

    Args:
        depths, lengths: of each sentence.
        limit: the greatest correlation (Pearson's r, without its sign) of the sample.
        generator: of the draw.

    Returns:
        The places of the sentences of the sample, rising; empty where depth or length is the same everywhere.
    """
    pairs = np.array([depths, lengths]).reshape(2, -1).T
    cells, cell_of, counts = np.unique(pairs, axis=0, return_inverse=True, return_counts=True)
    if len(cells) == 0 or not cells.std(axis=0).all():
        return []
    left = _taken(cells, counts, limit).tolist()
    sample = []
    cell_of = cell_of.reshape(-1).tolist()
    for place in generator.permutation(len(pairs)).tolist():
        if left[cell_of[place]]:
            left[cell_of[place]] -= 1
            sample.append(place)
    return sorted(sample)


def correlation(cells: np.ndarray, counts: np.ndarray) -> float:
    """Returns Pearson's r of two numbers, `[cells, 2]`, each pair counted `counts` times; 0 where one is constant."""
    if not counts.any():
        return 0.0
    centred = cells - np.average(cells, axis=0, weights=counts)
    variances = (centred**2 * counts[:, None]).sum(axis=0)
    return float((centred.prod(axis=1) * counts).sum() / np.sqrt(variances.prod())) if variances.all() else 0.0


def _taken(cells: np.ndarray, counts: np.ndarray, limit: float) -> np.ndarray:
    """Finds how many sentences of each cell are taken, `[cells]`."""
    mean = np.average(cells, axis=0, weights=counts)
    deviation = np.sqrt(np.average((cells - mean) ** 2, axis=0, weights=counts))
    best = np.zeros(len(cells), int)
    for of_depth, of_length, narrowed in product(_MEANS, _MEANS, _LENGTH_DEVIATIONS):
        centre = mean + np.array([of_depth, of_length]) * deviation
        width = deviation * np.array([_DEPTH_DEVIATION, narrowed])
        density = np.exp(-(((cells - centre) / width) ** 2).sum(axis=1) / 2)
        taken = _largest(cells, counts, density, limit)
        best = taken if taken.sum() > best.sum() else best
    return best


def _largest(cells: np.ndarray, counts: np.ndarray, density: np.ndarray, limit: float) -> np.ndarray:
    """Finds the largest sample of one Gaussian within the limit, by bisection over its height."""
    least, most = 0.0, 2.0 * counts.sum()
    for _ in range(_STEPS):
        height = (least + most) / 2
        if abs(correlation(cells, _sample(counts, density, height))) <= limit:
            least = height
        else:
            most = height
    return _sample(counts, density, least)


def _sample(counts: np.ndarray, density: np.ndarray, height: float) -> np.ndarray:
    return np.minimum(counts, np.floor(height * density + 0.5)).astype(int)
