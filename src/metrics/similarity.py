"""How alike two sets of vectors of the same items are.

Some measures are `as released` by Wu et al. (2020), with what their code does beside the formula: it is said at each.
Every measure is unchanged by shifting single columns (but `pwcca`) and by one scale for all of them.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from src.errors import PolyprobeError, check_choice
from src.metrics.correlation import SPEARMAN, correlation

KEPT_VARIANCE = 0.99  # of svcca and pwcca
FEWEST_ITEMS_UNBIASED = 4
TIE = 1e-9  # canonical correlations that are nearer to each other count as equal
NO_VARIATION = 1e-13  # of a kernel's squared norm: rounding may leave as much where nothing is left
DISTANCE_DECIMALS = 12  # of `rsa`: what is equal but for rounding is a tie


class NoSimilarity(PolyprobeError):
    """Two sets of vectors of which a measure is not defined."""


@dataclass(frozen=True)
class Measure:
    """A measure of similarity.

    Args:
        score: from float64 `[items, neurons]` twice, already checked, to a number.
        is_directed: True where exchanging the two changes the number.
        is_standardised: True where each column is divided by its deviation: a constant one has no place then.
        least: the lowest value that there can be; the highest is 1.
    """

    score: Callable[[np.ndarray, np.ndarray], float]
    is_directed: bool
    is_standardised: bool
    least: float


def similarity(x: np.ndarray, y: np.ndarray, measure: str) -> float:
    """Returns how alike the vectors of two encoders for the same items are.

    Args:
        x: float64 `[items, neurons]`.
        y: float64 `[items, neurons]`, the same items in the same order; its own number of neurons.
        measure: a name of `MEASURES`. Of a directed one, this is how well y covers x.

    Raises:
        UnknownChoice: there is no such measure.
        NoSimilarity: it is not defined for these vectors; says where and why. Columns that stand in its way are found
            by `constant_columns`.
    """
    check_choice("measure", measure, MEASURES)
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    _check_same_items(x, y)
    _check_values("x", x)
    _check_values("y", y)
    x, y = _of_size_one(x), _of_size_one(y)
    chosen = MEASURES[measure]
    if chosen.is_standardised:
        _check_no_constant_column("x", x)
        _check_no_constant_column("y", y)
    with np.errstate(all="ignore"):
        found = chosen.score(x, y)
    if not np.isfinite(found):
        raise NoSimilarity(f"{measure} is {found}: the values of x or of y are of too different sizes for float64.")
    return float(found)


def constant_columns(vectors: np.ndarray) -> np.ndarray:
    """Returns the columns that have one value for all items: int64 `[constant columns]`.

    They have no correlation with anything. To compare the others:
    `similarity(np.delete(x, constant_columns(x), axis=1), y, "maxcorr")`.
    """
    return np.flatnonzero(vectors.max(axis=0) == vectors.min(axis=0))


def max_correlation(x: np.ndarray, y: np.ndarray) -> float:
    """Returns the mean over neurons of x of the largest |correlation| with a neuron of y (Wu et al. 2020, section 3).

    The released code takes covariances in one pass, E[ab] - E[a] E[b]; here columns are centred first, which keeps the
    digits of columns far from 0. Its `mincorr` differs in the order of neurons over several models, not in this number.
    """
    return float(np.abs(_unit_columns(x).T @ _unit_columns(y)).max(axis=1).mean())


def linear_regression(x: np.ndarray, y: np.ndarray) -> float:
    """Returns the mean multiple correlation R of neurons of x, regressed on all neurons of y (Wu et al. 2020).

    R, not R squared, and not adjusted: 1 where y has as many independent columns as there are items. The released code
    keeps directions of y that have no variance, and whose place is therefore arbitrary; here they are left out.
    """
    directions, lengths, _ = np.linalg.svd(_unit_columns(y), full_matrices=False)
    has_variance = lengths > lengths[0] * max(y.shape) * np.finfo(np.float64).eps
    explained = directions[:, has_variance].T @ _unit_columns(x)
    return float(np.linalg.norm(explained, axis=0).mean())


def svcca(x: np.ndarray, y: np.ndarray) -> float:
    """Returns the mean canonical correlation of the largest directions of either (Raghu et al. 2017), as released.

    Columns are standardised. Kept are the directions whose cumulative variance stays below 99 %: the one that crosses
    it is left out, as in the released code.

    Raises:
        NoSimilarity: the first direction already holds 99 %, so none is kept.
    """
    products = _large_directions("x", x).T @ _large_directions("y", y)
    return float(np.linalg.svd(products, compute_uv=False).mean())


def pwcca(x: np.ndarray, y: np.ndarray) -> float:
    """Returns the mean of the canonical correlations of `svcca`, weighted by their part in x (Morcos et al. 2018).

    As released: weights are sums of |products| with the columns of x, uncentred. Where correlations tie, any basis of
    their directions is as good, and the released code takes what its solver returns, which moves the third digit.
    Here such directions weigh what they do in the mean over all bases: |cosine| of a random direction to a given one.

    Raises:
        NoSimilarity: as for `svcca`.
    """
    return projection_weighted(_large_directions("x", x), _large_directions("y", y), x)


def projection_weighted(of_x: np.ndarray, of_y: np.ndarray, x: np.ndarray) -> float:
    """Returns what `pwcca` does, from the orthonormal directions that are kept of x and of y: `[items, directions]`."""
    rotation, correlations, _ = np.linalg.svd(of_x.T @ of_y, full_matrices=False)
    return mean_by_products(correlations, (of_x @ rotation).T @ x)


def mean_by_products(correlations: np.ndarray, products: np.ndarray) -> float:
    """Returns the mean of canonical correlations by the weights of `pwcca`.

    Args:
        correlations: falling: `[directions]`.
        products: of the canonical directions of x with its columns, uncentred: `[directions, neurons]`.
    """
    starts = np.flatnonzero(np.diff(correlations, prepend=np.inf) < -TIE)
    sizes = np.diff(starts, append=len(correlations))
    lengths = np.sqrt(np.add.reduceat(products**2, starts, axis=0)).sum(axis=1)
    weights = np.array([size * _mean_cosine(size) for size in sizes]) * lengths
    return float(weights @ correlations[starts] / weights.sum())


def linear_cka(x: np.ndarray, y: np.ndarray) -> float:
    """Returns the linear CKA from the biased HSIC (Kornblith et al. 2019, section 3), as released.

    It rises with neurons per item, also between vectors that have nothing to do with each other: see
    `unbiased_linear_cka`.
    """
    x, y = _varying("x", x), _varying("y", y)
    return _cosine(_squared_products, x, y)


def rbf_kernel_cka(x: np.ndarray, y: np.ndarray) -> float:
    """Returns the CKA of Gaussian kernels from the biased HSIC (Kornblith et al. 2019), as released.

    The kernel is exp(-d^2 / 2 m) for a squared distance d^2 and the lower median m of all of them, those of each item
    to itself among them.

    Raises:
        NoSimilarity: m is 0: too many items are equal.
    """
    return _cosine(np.vdot, _gaussian_kernel("x", x), _gaussian_kernel("y", y))


def unbiased_linear_cka(x: np.ndarray, y: np.ndarray) -> float:
    """Returns the linear CKA from the unbiased HSIC (Song et al. 2012, equation 5; Nguyen et al. 2021, section 3).

    About 0 for vectors that have nothing to do with each other, however many neurons there are; it may fall below.

    Raises:
        NoSimilarity: fewer than 4 items, or vectors whose unbiased HSIC with themselves is 0.
    """

    _check_items_for_unbiased(len(x))
    x, y = _varying("x", x), _varying("y", y)
    return _unbiased_cosine(_squared_products, x, y, (x**2).sum(axis=1), (y**2).sum(axis=1))


def unbiased_rbf_cka(x: np.ndarray, y: np.ndarray) -> float:
    """As `unbiased_linear_cka`, of the Gaussian kernels of `rbf_kernel_cka`."""

    _check_items_for_unbiased(len(x))
    of_x, of_y = _gaussian_kernel("x", x), _gaussian_kernel("y", y)
    return _unbiased_cosine(np.vdot, of_x, of_y, of_x.diagonal(), of_y.diagonal())


def representational_similarity(x: np.ndarray, y: np.ndarray) -> float:
    """Returns Spearman's correlation of the distances between items in x and in y (RSA; Kriegeskorte et al. 2008).

    The distance of two items is 1 minus the correlation of their vectors over the neurons; each pair of items counts
    once; equal distances share the mean of their ranks. All of this is assumed, for the article leaves it open.

    Raises:
        NoSimilarity: fewer than 3 items, an item whose neurons all have one value, or all distances equal.
    """
    if len(x) < 3:
        raise NoSimilarity(f"There are {len(x)} items. rsa ranks the distances of at least 3.")
    found = correlation(SPEARMAN, _distances("x", x), _distances("y", y))
    if np.isnan(found):
        raise NoSimilarity("All pairs of items have the same distance in x or in y: rsa has nothing to rank.")
    return found


def procrustes(x: np.ndarray, y: np.ndarray) -> float:
    """Returns 1 - d^2 / 2 of the orthogonal Procrustes distance d (Ding et al. 2021, section 2).

    Both are centred and scaled to Frobenius norm 1, and y is turned as near to x as a rotation brings it; then d^2 is
    2 minus twice the nuclear norm of y^T x, so that this is the nuclear norm: 1 where y is a rotation of x, 0 where no
    column of x correlates with one of y.
    """
    one, other = (_narrow(vectors / np.linalg.norm(vectors)) for vectors in (_varying("x", x), _varying("y", y)))
    return float(np.linalg.svd(one.T @ other, compute_uv=False).sum())


MEASURES = {
    "maxcorr": Measure(max_correlation, is_directed=True, is_standardised=True, least=0),
    "mincorr": Measure(max_correlation, is_directed=True, is_standardised=True, least=0),
    "linreg": Measure(linear_regression, is_directed=True, is_standardised=True, least=0),
    "svcca": Measure(svcca, is_directed=False, is_standardised=True, least=0),
    "pwcca": Measure(pwcca, is_directed=True, is_standardised=True, least=0),
    "lincka": Measure(linear_cka, is_directed=False, is_standardised=False, least=0),
    "rbfcka": Measure(rbf_kernel_cka, is_directed=False, is_standardised=False, least=0),
    "cka": Measure(unbiased_linear_cka, is_directed=False, is_standardised=False, least=-1),
    "rbf_cka": Measure(unbiased_rbf_cka, is_directed=False, is_standardised=False, least=-1),
    "rsa": Measure(representational_similarity, is_directed=False, is_standardised=False, least=-1),
    "procrustes": Measure(procrustes, is_directed=False, is_standardised=False, least=0),
}


def _check_same_items(x: np.ndarray, y: np.ndarray) -> None:
    for name, vectors in (("x", x), ("y", y)):
        if vectors.ndim != 2 or len(vectors) < 2 or not vectors.shape[1]:
            shape = list(vectors.shape)
            raise NoSimilarity(
                f"{name} has the shape {shape}. Expected [items, neurons], at least 2 items and 1 neuron."
            )
    if len(x) != len(y):
        raise NoSimilarity(f"x has {len(x)} items, y has {len(y)}. Expected the same items in both.")


def _check_values(name: str, vectors: np.ndarray) -> None:
    bad = np.argwhere(~np.isfinite(vectors))
    if len(bad):
        item, column = bad[0]
        where = f"the first at item {item}, column {column}"
        raise NoSimilarity(f"{name} has {len(bad)} values that are not finite numbers, {where}. Expected none.")


def _check_no_constant_column(name: str, vectors: np.ndarray) -> None:
    constant = constant_columns(vectors)
    if len(constant):
        others = f" ({len(constant)} of {vectors.shape[1]} columns are)" if len(constant) > 1 else ""
        raise NoSimilarity(
            f"column {constant[0]} of {name} is constant over {len(vectors)} items{others}: it has no correlation. "
            "Leave such columns out, or take a measure that does not standardise, such as cka."
        )


def _check_items_for_unbiased(n_items: int) -> None:
    if n_items < FEWEST_ITEMS_UNBIASED:
        raise NoSimilarity(f"There are {n_items} items. The unbiased HSIC needs at least {FEWEST_ITEMS_UNBIASED}.")


def _of_size_one(vectors: np.ndarray) -> np.ndarray:
    """Divides by a power of 2, which loses no digits, so that squares of very large and very small values exist."""
    return np.ldexp(vectors, -np.frexp(np.abs(vectors).max())[1])


def _varying(name: str, vectors: np.ndarray) -> np.ndarray:
    """Centres the columns, of which one has to vary."""
    if len(constant_columns(vectors)) == vectors.shape[1]:
        raise NoSimilarity(f"All {len(vectors)} items have the same vector in {name}: it is like nothing.")
    return _centred(vectors)


def _centred(vectors: np.ndarray) -> np.ndarray:
    """Takes the mean of each column off; the first item before, so that columns far from 0 lose no digits."""
    shifted = vectors - vectors[0]
    return shifted - shifted.mean(axis=0)


def _unit_columns(vectors: np.ndarray) -> np.ndarray:
    """Centres the columns and scales them to length 1, so that products are correlations."""
    centred = _centred(vectors)
    centred /= np.abs(centred).max(axis=0)  # before squares of small columns vanish
    return centred / np.linalg.norm(centred, axis=0)


def _large_directions(name: str, vectors: np.ndarray) -> np.ndarray:
    """Returns the left singular directions that `svcca` keeps: `[items, directions]`."""
    directions, lengths, _ = np.linalg.svd(_unit_columns(vectors), full_matrices=False)
    shares = np.cumsum(lengths**2) / np.sum(lengths**2)
    n_kept = int((shares < KEPT_VARIANCE).sum())
    if not n_kept:
        raise NoSimilarity(
            f"The first direction of {name} holds {100 * shares[0]:.2f} % of the variance of its {vectors.shape[1]} "
            f"standardised columns. svcca and pwcca keep directions below {100 * KEPT_VARIANCE:g} %: none is left."
        )
    return directions[:, :n_kept]


def _mean_cosine(n_dimensions: int) -> float:
    """Returns the mean |cosine| of a random direction to a given one in so many dimensions; 1 in one."""
    return math.exp(math.lgamma(n_dimensions / 2) - math.lgamma((n_dimensions + 1) / 2)) / math.sqrt(math.pi)


def _squared_products(x: np.ndarray, y: np.ndarray) -> float:
    """Returns |y^T x|^2 (Frobenius), through products of items where these are fewer operations."""
    n_items, through_neurons = len(x), x.shape[1] * y.shape[1]
    if n_items * (x.shape[1] + y.shape[1]) < through_neurons:
        return float(np.vdot(x @ x.T, y @ y.T))
    return float(np.linalg.norm(y.T @ x) ** 2)


def _gaussian_kernel(name: str, vectors: np.ndarray) -> np.ndarray:
    """Returns the kernel of `rbf_kernel_cka`, centred in rows and columns: `[items, items]`."""
    centred = _varying(name, vectors)
    squares = (centred**2).sum(axis=1)
    distances = np.maximum(squares[:, None] + squares - 2 * centred @ centred.T, 0)
    np.fill_diagonal(distances, 0)
    middle = (distances.size - 1) // 2
    median = np.partition(distances.ravel(), middle)[middle]
    if not median:
        raise NoSimilarity(
            f"At least half of the pairs of {len(vectors)} items are equal in {name}: the kernel has no width."
        )
    kernel = np.exp(-distances / (2 * median))
    of_items = kernel.mean(axis=0)
    return kernel - of_items - of_items[:, None] + of_items.mean()


def _cosine(product: Callable[[np.ndarray, np.ndarray], float], x: np.ndarray, y: np.ndarray) -> float:
    return float(product(x, y) / np.sqrt(product(x, x) * product(y, y)))


def _unbiased_cosine(
    product: Callable[[np.ndarray, np.ndarray], float],
    x: np.ndarray,
    y: np.ndarray,
    of_x: np.ndarray,
    of_y: np.ndarray,
) -> float:
    """Returns the cosine by the unbiased HSIC.

    Args:
        product: of two sets of vectors or two kernels, the sum of the products of their centred kernels.
        x, y: centred vectors or kernels, as it takes them.
        of_x, of_y: the diagonals of their centred kernels, `[items]`.
    """
    product_of_x, product_of_y = product(x, x), product(y, y)
    own_of_x, own_of_y = _unbiased(product_of_x, of_x, of_x), _unbiased(product_of_y, of_y, of_y)
    for name, hsic, whole in (("x", own_of_x, product_of_x), ("y", own_of_y, product_of_y)):
        if hsic <= NO_VARIATION * whole:
            raise NoSimilarity(
                f"The unbiased HSIC of {name} with itself is 0: at most one item differs from the others."
            )
    return _unbiased(product(x, y), of_x, of_y) / math.sqrt(own_of_x * own_of_y)


def _unbiased(product: float, of_x: np.ndarray, of_y: np.ndarray) -> float:
    """Returns n (n - 3) times the unbiased HSIC.

    Song et al. (2012) set the diagonals of the kernels to 0. Centred before, the rows of a kernel sum to 0, and without
    the diagonal to minus what stood there: their three terms are these three.
    """
    n = len(of_x)
    return float(product - n / (n - 2) * (of_x @ of_y) + of_x.sum() * of_y.sum() / ((n - 1) * (n - 2)))


def _distances(name: str, vectors: np.ndarray) -> np.ndarray:
    """Returns 1 minus the correlation of each pair of items: `[pairs]`."""
    constant = constant_columns(vectors.T)
    if len(constant):
        raise NoSimilarity(
            f"item {constant[0]} of {name} has one value in all its {vectors.shape[1]} neurons ({len(constant)} of "
            f"{len(vectors)} items have): rsa correlates items over neurons."
        )
    of_items = _unit_columns(vectors.T)
    correlations = (of_items.T @ of_items)[np.triu_indices(len(vectors), 1)]
    return np.round(1 - correlations, DISTANCE_DECIMALS)


def _narrow(vectors: np.ndarray) -> np.ndarray:
    """Turns vectors of more neurons than items into as many neurons as items; a rotation, which changes no product."""
    return np.linalg.qr(vectors.T, mode="r").T if vectors.shape[1] > len(vectors) else vectors
