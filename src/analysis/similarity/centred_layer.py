"""A layer as all pairs need it: read once, centred in float64, kept as float32, group by group.

Vectors that are given in float64 stay so.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

from polyprobe.analysis.similarity.half_samples import HalfSamples
from polyprobe.errors import PolyprobeError

BLOCK_ROWS = 4096  # that are held in float64 at a time


@dataclass(frozen=True, eq=False)
class LayerVectors:
    """One layer's vectors of the items; all that are compared have the same items in the same order."""

    name: str
    """As messages call it ("minilm, layer 3")."""
    n_items: int
    read: Callable[[], np.ndarray]
    """Returns the vectors, `[items, width]` in float64, 32 or 16."""


@dataclass(frozen=True, eq=False)
class CentredLayer:
    """A layer's vectors minus their mean, over one scale, so that their mean squared length is 1."""

    vectors: torch.Tensor
    """`[rows, columns]`, in the order of groups; rows of padding are 0. Constant columns are absent."""
    n_constant: int
    """How many columns have the same number for all items."""

    @property
    def width(self) -> int:
        """Columns that are not constant."""
        return self.vectors.shape[1]


def centred_layer(layer: LayerVectors, samples: HalfSamples) -> CentredLayer:
    """Reads and centres a layer; PolyprobeError where a number is not finite."""
    given = layer.read()
    if not np.isfinite(given).all():
        raise PolyprobeError(f"{layer.name} has values that are not finite. Expected finite vectors: encode again.")
    is_constant = (given == given[0]).all(axis=0)
    if is_constant.any():
        given = given[:, ~is_constant]
    vectors = np.zeros((samples.n_rows, given.shape[1]), np.promote_types(given.dtype, np.float32))
    vectors[samples.places] = given
    _centre(vectors, given.sum(axis=0, dtype=np.float64) / len(given), samples)
    return CentredLayer(torch.from_numpy(vectors), int(is_constant.sum()))


def _centre(vectors: np.ndarray, means: np.ndarray, samples: HalfSamples) -> None:
    """Takes the means from the rows of items and divides by one scale, in place."""
    total = 0.0
    for start in range(0, len(samples.places), BLOCK_ROWS):
        places = samples.places[start : start + BLOCK_ROWS]
        centred = vectors[places] - means
        total += np.square(centred).sum()
        vectors[places] = centred
    if total:
        vectors *= vectors.dtype.type(np.sqrt(len(samples.places) / total))
