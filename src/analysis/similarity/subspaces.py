"""Similarities of the spaces that layers span: regression, canonical correlations, rotation.

Constant columns are left out: they have no correlation, and no part in a space of centred columns. Each measure has two
steps: what is made of a layer once, from its name and its vectors `[items, neurons]`, and what two layers have in
common: how well y covers x, and x covers y.
"""

import math

import numpy as np
import torch

from polyprobe.analysis.similarity.measures import NotDefined

KEPT_VARIANCE = 0.99  # of svcca and pwcca
TIE = 1e-9  # canonical correlations that are nearer to each other count as equal


Pair = tuple[torch.Tensor, torch.Tensor]


def regressed(name: str, vectors: torch.Tensor) -> Pair:
    """Finds the directions of a layer; the released code keeps those without variance, whose place is arbitrary.

    Returns:
        The columns, centred, of length 1: `[items, neurons]`; orthogonal directions of the same space: `[items, rank]`;
        both in the layer's numbers.
    """
    columns = _unit_columns(_varying(name, vectors))
    directions, lengths, _ = torch.linalg.svd(columns, full_matrices=False)
    has_variance = lengths > lengths[0] * max(columns.shape) * torch.finfo(torch.float64).eps
    return columns.to(vectors.dtype), directions[:, has_variance].to(vectors.dtype)


def mean_multiple_correlations(x: Pair, y: Pair) -> tuple[float, float]:
    """Returns the mean multiple correlation R of neurons of x, regressed on all neurons of y (Wu et al. 2020).

    R, not R squared, and not adjusted: 1 where y has as many independent columns as there are items.
    """
    (columns_of_x, directions_of_x), (columns_of_y, directions_of_y) = x, y
    return _covered(columns_of_x, directions_of_y), _covered(columns_of_y, directions_of_x)


def _covered(columns: torch.Tensor, directions: torch.Tensor) -> float:
    """Returns the mean length of columns within a space."""
    return float((directions.T @ columns).norm(dim=0).mean(dtype=torch.float64))


def subspace(name: str, vectors: torch.Tensor) -> Pair:
    """Finds the largest directions of the standardised columns of a layer, as released.

    Kept are those whose cumulative variance stays below 99 %: the one that crosses it is left out, as in the released
    code.

    Returns:
        The orthogonal directions: float64 `[items, kept]`; products of the layer's uncentred columns with them: float64
        `[neurons, kept]`.

    Raises:
        NotDefined: the first direction already holds 99 %, so none is kept.
    """
    varying = _varying(name, vectors)
    directions, lengths, _ = torch.linalg.svd(_unit_columns(varying), full_matrices=False)
    shares = lengths.square().cumsum(0) / lengths.square().sum()
    n_kept = int((shares < KEPT_VARIANCE).sum())
    if not n_kept:
        raise NotDefined(
            name,
            f"the first direction of {name} holds {100 * float(shares[0]):.2f} % of the variance of its "
            f"{varying.shape[1]} standardised columns; svcca and pwcca keep directions below "
            f"{100 * KEPT_VARIANCE:g} %: none is left",
        )
    directions = directions[:, :n_kept].contiguous()
    return directions, varying.T @ directions


def mean_canonical_correlations(x: Pair, y: Pair) -> tuple[float, float]:
    """Returns the mean canonical correlation of the largest directions of either (svcca: Raghu et al. 2017)."""
    mean = float(torch.linalg.svdvals(x[0].T @ y[0]).mean())
    return mean, mean


def weighted_canonical_correlations(x: Pair, y: Pair) -> tuple[float, float]:
    """Returns the mean of the same correlations, weighted by their part in x (pwcca: Morcos et al. 2018).

    As released: weights are sums of |products| with the columns of x, uncentred. Where correlations tie, any basis of
    their directions is as good, and the released code takes what its solver returns, which moves the third digit.
    Here such directions weigh what they do in the mean over all bases: |cosine| of a random direction to a given one.
    """
    (directions_of_x, products_of_x), (directions_of_y, products_of_y) = x, y
    of_x, correlations, of_y = torch.linalg.svd(directions_of_x.T @ directions_of_y, full_matrices=False)
    products = (products_of_x @ of_x).T.numpy(), (products_of_y @ of_y.T).T.numpy()
    return mean_by_products(correlations.numpy(), products[0]), mean_by_products(correlations.numpy(), products[1])


def mean_by_products(correlations: np.ndarray, products: np.ndarray) -> float:
    """Returns the mean of canonical correlations by the weights of pwcca.

    Args:
        correlations: falling: `[directions]`.
        products: of the canonical directions of x with its columns, uncentred: `[directions, neurons]`.
    """
    starts = np.flatnonzero(np.diff(correlations, prepend=np.inf) < -TIE)
    sizes = np.diff(starts, append=len(correlations))
    lengths = np.sqrt(np.add.reduceat(products**2, starts, axis=0)).sum(axis=1)
    # The mean |cosine| of a random direction to a given one in so many dimensions; 1 in one.
    cosines = [math.exp(math.lgamma(n / 2) - math.lgamma((n + 1) / 2)) / math.sqrt(math.pi) for n in sizes]
    weights = np.array([size * cosine for size, cosine in zip(sizes, cosines, strict=True)]) * lengths
    return float(weights @ correlations[starts] / weights.sum())


def shape(name: str, vectors: torch.Tensor) -> tuple[torch.Tensor]:
    """Centres a layer and scales it to Frobenius norm 1; up to a rotation, float64 `[items, at most items]`."""
    centred = _varying(name, vectors)
    centred = centred - centred.mean(dim=0)
    if centred.shape[1] > len(centred):  # turned into as many columns as items: no product changes
        centred = torch.linalg.qr(centred.T, mode="r").R.T
    return (centred / centred.norm(),)


def nuclear_norm(x: tuple[torch.Tensor], y: tuple[torch.Tensor]) -> tuple[float, float]:
    """Returns 1 - d^2 / 2 of the orthogonal Procrustes distance d (Ding et al. 2021, section 2).

    y is turned as near to x as a rotation brings it; then d^2 is 2 minus twice the nuclear norm of y^T x, so that this
    is the nuclear norm: 1 where y is a rotation of x, 0 where no column of x correlates with one of y.
    """
    norm = float(torch.linalg.svdvals(x[0].T @ y[0]).sum())
    return norm, norm


def _varying(name: str, vectors: torch.Tensor) -> torch.Tensor:
    """Leaves constant columns out; float64 `[items, other neurons]`."""
    varying = vectors.double()[:, vectors.amax(dim=0) > vectors.amin(dim=0)]
    if not varying.shape[1]:
        raise NotDefined(name, f"{name} has the same vector for all {len(vectors)} items: its similarity is undefined")
    return varying


def _unit_columns(vectors: torch.Tensor) -> torch.Tensor:
    centred = vectors - vectors.mean(dim=0)
    return centred / centred.norm(dim=0)
