"""Similarities of the spaces that layers span: regression, canonical correlations, rotation.

Constant columns are left out: they have no correlation, and no part in a space of centred columns.
"""

from dataclasses import dataclass

import torch

from src.analysis.similarity.centred_layers import NotDefined
from src.analysis.similarity.pair_by_pair import TwoSteps
from src.metrics.similarity import KEPT_VARIANCE, mean_by_products


@dataclass(frozen=True, eq=False)
class Regressed:
    """What linear regression needs of a layer.

    Attributes:
        columns: centred, of length 1: float32 `[items, neurons]`.
        directions: orthogonal, of the same space: float32 `[items, rank]`.
    """

    columns: torch.Tensor
    directions: torch.Tensor

    def reordered(self, order: torch.Tensor) -> "Regressed":
        return Regressed(self.columns[order], self.directions[order])


@dataclass(frozen=True, eq=False)
class Subspace:
    """The large directions of a layer.

    Attributes:
        directions: orthogonal: float64 `[items, kept]`.
        products: of the layer's uncentred columns with them: float64 `[neurons, kept]`.
    """

    directions: torch.Tensor
    products: torch.Tensor

    def reordered(self, order: torch.Tensor) -> "Subspace":
        return Subspace(self.directions[order], self.products)


@dataclass(frozen=True, eq=False)
class Shape:
    """A layer's vectors up to a rotation, centred, of Frobenius norm 1: float64 `[items, at most items]`."""

    vectors: torch.Tensor

    def reordered(self, order: torch.Tensor) -> "Shape":
        return Shape(self.vectors[order])


def _regressed(name: str, vectors: torch.Tensor) -> Regressed:
    columns = _unit_columns(_varying(name, vectors))
    directions, lengths, _ = torch.linalg.svd(columns, full_matrices=False)
    has_variance = lengths > lengths[0] * max(columns.shape) * torch.finfo(torch.float64).eps
    return Regressed(columns.float(), directions[:, has_variance].float())


def _mean_multiple_correlations(x: Regressed, y: Regressed) -> tuple[float, float]:
    return _covered(x.columns, y.directions), _covered(y.columns, x.directions)


def _covered(columns: torch.Tensor, directions: torch.Tensor) -> float:
    """Returns the mean length of columns within a space."""
    return float((directions.T @ columns).norm(dim=0).mean(dtype=torch.float64))


def _subspace(name: str, vectors: torch.Tensor) -> Subspace:
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
    return Subspace(directions, varying.T @ directions)


def _mean_canonical_correlations(x: Subspace, y: Subspace) -> tuple[float, float]:
    mean = float(torch.linalg.svdvals(x.directions.T @ y.directions).mean())
    return mean, mean


def _weighted_canonical_correlations(x: Subspace, y: Subspace) -> tuple[float, float]:
    of_x, correlations, of_y = torch.linalg.svd(x.directions.T @ y.directions, full_matrices=False)
    return _weighted(correlations, x.products @ of_x), _weighted(correlations, y.products @ of_y.T)


def _weighted(correlations: torch.Tensor, products: torch.Tensor) -> float:
    return mean_by_products(correlations.numpy(), products.T.numpy())


def _shape(name: str, vectors: torch.Tensor) -> Shape:
    centred = _varying(name, vectors)
    centred = centred - centred.mean(dim=0)
    if centred.shape[1] > len(centred):  # turned into as many columns as items: no product changes
        centred = torch.linalg.qr(centred.T, mode="r").R.T
    return Shape(centred / centred.norm())


def _nuclear_norm(x: Shape, y: Shape) -> tuple[float, float]:
    norm = float(torch.linalg.svdvals(x.vectors.T @ y.vectors).sum())
    return norm, norm


def _varying(name: str, vectors: torch.Tensor) -> torch.Tensor:
    """Leaves constant columns out; `[items, other neurons]`."""
    varying = vectors[:, vectors.amax(dim=0) > vectors.amin(dim=0)]
    if not varying.shape[1]:
        raise NotDefined(name, f"{name} has the same vector for all {len(vectors)} items: it is like nothing")
    return varying


def _unit_columns(vectors: torch.Tensor) -> torch.Tensor:
    centred = vectors - vectors.mean(dim=0)
    return centred / centred.norm(dim=0)


LINREG = TwoSteps(_regressed, _mean_multiple_correlations, True, None)
SVCCA = TwoSteps(_subspace, _mean_canonical_correlations, True, None)
PWCCA = TwoSteps(_subspace, _weighted_canonical_correlations, True, None)
PROCRUSTES = TwoSteps(_shape, _nuclear_norm, True, None)
