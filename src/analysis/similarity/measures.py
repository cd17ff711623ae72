"""Measures of how alike two layers are on the same items, and what a measure says of all pairs of layers.

Some are `as released` by Wu et al. (2020), with what their code does beside the formula: it is said where a measure is
made, in `products.py`, `correlations.py`, `subspaces.py` and `distances.py`. Every measure is unchanged by shifting
single columns (but `pwcca`, and `rsa`, which compares items over columns) and by one scale for all of them.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated

import numpy as np

from polyprobe.errors import PolyprobeError
from polyprobe.runs.array_records import Array, ArrayRecord, array_record_path

_log = logging.getLogger(__name__)


class NoSimilarity(PolyprobeError):
    """Layers that cannot be compared: other items, too few of them, or no difference between them."""


class NotDefined(NoSimilarity):
    """A measure is not defined for one layer."""

    def __init__(self, layer: str, reason: str):
        super().__init__(reason)
        self.layer, self.reason = layer, reason


@dataclass(frozen=True, slots=True)
class Measure:
    is_directed: bool = False
    """True where exchanging the two layers changes the number: how well the second covers the first."""
    is_standardised: bool = False
    """True where each column is divided by its deviation: a constant one has no place then."""
    least: int = 0
    """The lowest value that there can be; the highest is 1."""
    fewest_items: int = 2


MEASURES = {
    "maxcorr": Measure(is_directed=True, is_standardised=True),
    "mincorr": Measure(is_directed=True, is_standardised=True),
    "linreg": Measure(is_directed=True, is_standardised=True),
    "svcca": Measure(is_standardised=True),
    "pwcca": Measure(is_directed=True, is_standardised=True),
    "lincka": Measure(),
    "rbfcka": Measure(),
    "cka": Measure(least=-1, fewest_items=4),
    "rbf_cka": Measure(least=-1, fewest_items=4),
    "rsa": Measure(least=-1, fewest_items=3),
    "procrustes": Measure(),
}


@dataclass(frozen=True, eq=False)
class MeasuredPairs:
    """One measure of all pairs, before intervals are made of its halves."""

    values: np.ndarray
    """float64 `[layers, layers]`, of all items."""
    permuted: np.ndarray
    """The same with the rows of one side shuffled, the mean over shuffles; NaN without shuffles."""
    halves: np.ndarray
    """float64 `[halves, layers, layers]`, of half of the items each; NaN where a half has no value."""


@dataclass(frozen=True, eq=False)
class Similarities:
    """One measure of all pairs of layers: float64 `[layers, layers]` each, NaN where there is none; row x, column y."""

    values: np.ndarray
    permuted: np.ndarray
    """What is left where the rows of one side are shuffled, the mean over shuffles; NaN where none were asked for and
    the mean is not known without them."""
    low: np.ndarray
    """Lower end of the 95 % interval over items; NaN with fewer than two resamples."""
    high: np.ndarray
    """Its upper end."""

    @property
    def is_symmetric(self) -> bool:
        """Whether the two directions of all pairs are the same number."""
        return np.allclose(self.values, self.values.T, rtol=0, atol=1e-12, equal_nan=True)


@dataclass(frozen=True, eq=False)
class PairValues(Similarities):
    """What is found of all pairs, and of the layers that have no place in it; symmetric measures are symmetric."""

    left_out: np.ndarray
    """Constant columns of each layer, which say nothing about items: int64 `[layers]`; 0 in RSA, whose distances count
    them."""
    undefined: np.ndarray
    """Why the measure is not defined for a layer, in words; "" where it is: str `[layers]`."""


PairNumbers = Annotated[np.ndarray, Array("f", "layers", "layers")]


@dataclass(frozen=True, eq=False)
class KeptSimilarities(ArrayRecord):
    """`PairValues` on the items of one test, named after test and measure: a killed run goes on there."""

    what = "similarities"

    layers: Annotated[np.ndarray, Array("U", "layers")]
    """Identities of the layers, with their encoders' fingerprints."""
    values: PairNumbers
    permuted: PairNumbers
    low: PairNumbers
    high: PairNumbers
    left_out: Annotated[np.ndarray, Array("i", "layers")]
    undefined: Annotated[np.ndarray, Array("U", "layers")]


def keep(folder: Path, test: str, measure: str, layers: Sequence[str], values: PairValues) -> None:
    """Writes the similarities of a measure into a run's folder, whole or not at all."""
    KeptSimilarities(f"{test} {measure}", np.array(layers), **vars(values)).write(folder)


def kept(folder: Path, test: str, measure: str, layers: Sequence[str]) -> PairValues | None:
    """Reads what `keep` wrote for these layers; None where nothing is there, or what is there is damaged."""
    path = array_record_path(folder, f"{test} {measure}")
    if not path.is_file():
        return None
    try:
        record = KeptSimilarities.read(path)
    except PolyprobeError as error:
        _log.warning("%s Its measure is computed again.", error)
        return None
    if record.layers.tolist() != list(layers):
        return None
    return PairValues(**{field.name: getattr(record, field.name) for field in fields(PairValues)})


def mean_over_shuffles(values: Sequence[np.ndarray], n_layers: int) -> np.ndarray:
    """Returns the mean of what each shuffle gave, `[layers, layers]`; NaN if there are none."""
    return np.mean(values, axis=0) if len(values) else np.full((n_layers, n_layers), np.nan)


def constant_columns(vectors: np.ndarray) -> np.ndarray:
    """Returns the columns that have one value for all items: int64 `[constant columns]`.

    They have no correlation with anything. To compare the others:
    `similarity(np.delete(x, constant_columns(x), axis=1), y, "maxcorr")`.
    """
    return np.flatnonzero(vectors.max(axis=0) == vectors.min(axis=0))
