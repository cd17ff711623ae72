"""Representational similarity analysis: ranks of the distances between items, made once for each layer."""

from dataclasses import dataclass

import numpy as np
import torch
from scipy.stats import rankdata

from src.analysis.similarity.centred_layers import NotDefined
from src.analysis.similarity.pair_by_pair import TwoSteps
from src.metrics.similarity import DISTANCE_DECIMALS


@dataclass(frozen=True, eq=False)
class RankedDistances:
    """Ranks of 1 minus the correlation of every two items, centred, of length 1: float32 `[items * (items - 1) / 2]`.

    2 MB for 1,000 items, 200 MB for 10,000.
    """

    ranks: torch.Tensor

    def reordered(self, order: torch.Tensor) -> "RankedDistances":
        assert torch.equal(order, torch.arange(len(order))), "the mean over shuffles is known, 0: none is drawn"
        return self


def _ranked_distances(name: str, vectors: torch.Tensor) -> RankedDistances:
    """Ranks the distances of a layer; constant columns count, as they do in an item's own mean and deviation."""
    is_flat = vectors.amax(dim=1) == vectors.amin(dim=1)
    if is_flat.any():
        raise NotDefined(
            name,
            f"{int(is_flat.sum())} of {len(vectors)} items have one value in all {vectors.shape[1]} neurons of {name}, "
            f"the first is item {int(is_flat.nonzero()[0])}: rsa correlates items over neurons",
        )
    centred = vectors - vectors.mean(dim=1, keepdim=True)
    centred /= centred.norm(dim=1, keepdim=True)
    correlations = (centred @ centred.T).numpy()[np.triu_indices(len(vectors), 1)]
    ranks = rankdata(np.round(1 - correlations, DISTANCE_DECIMALS))
    ranks -= ranks.mean()
    length = np.linalg.norm(ranks)
    if not length:
        raise NotDefined(name, f"all pairs of items have the same distance in {name}: rsa has nothing to rank")
    return RankedDistances(torch.from_numpy((ranks / length).astype(np.float32)))


def _correlation(x: RankedDistances, y: RankedDistances) -> tuple[float, float]:
    found = float(torch.dot(x.ranks.double(), y.ranks.double()))
    return found, found


# Over all orders each two items meet each two others equally often: the mean of a product of centred ranks is 0.
RSA = TwoSteps(_ranked_distances, _correlation, False, 0.0)
