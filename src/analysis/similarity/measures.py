"""Measures of how alike two layers are on the same items, and what a measure says of all pairs of layers.

Some are `as released` by Wu et al. (2020), with what their code does beside the formula: it is said where a measure is
made, in `products.py` and `correlations.py`. Every measure is unchanged by shifting single columns and by one scale for
all of them.
"""

import dataclasses
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import numpy as np
from annotated_types import Ge, MinLen

from polyprobe.errors import BadValue, PolyprobeError
from polyprobe.runs.array_records import Array, ArrayRecord, array_record_path
from polyprobe.runs.workspace import Workspace
from polyprobe.section import Count, Expected, Key, Section, Seed

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
    "lincka": Measure(),
    "cka": Measure(least=-1, fewest_items=4),
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
    """Constant columns of each layer, which say nothing about items: int64 `[layers]`."""
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


Names = Annotated[Sequence[str | int], MinLen(1)]
_RUNS = Expected("a list of runs such as [runA,runB] or [runA:8,runB:encoding/8]", of_parts=True)
_TESTS = Expected("a list of tests such as [Case,Tense], or null", of_parts=True)
_EPOCHS = Expected("a list such as [0,8], or null", of_parts=True)


class SimilaritySettings(Section, key="of_similarity"):
    """The section `of_similarity`, with the keys `similarity` and `tests`."""

    references: Annotated[Names, Key("similarity"), _RUNS]
    """Of the runs: "run", "run:8", "run:encoding", "run:encoding/8"."""
    measures: Annotated[Sequence[Literal[*MEASURES]], MinLen(1), Expected("a list of measures such as [cka,maxcorr]")]
    """Similarity measures: maxcorr, mincorr, lincka (as released); cka (unbiased)."""
    tests: Annotated[Names, Key("tests"), _TESTS] | None
    """Test whose items are used; null: the first that all runs share."""
    items: Annotated[str, Expected("a file with one sentence per line, or null")] | None
    """File with one sentence per line; null: the test split of tests."""
    suite: str | None
    """Suite of the tests, such as linspector_token, if all runs are of train.py; null: as in their configuration."""
    sample: Count | None
    """Number of items, sampled by label; null: all."""
    epochs: Annotated[Sequence[Annotated[int, Ge(0)]], MinLen(1), _EPOCHS] | None
    """Epochs of trained models, such as [0,8]; null: all."""
    permutations: Count
    """Number of permutations of the items, for the chance level."""
    resamples: Annotated[int, Ge(2)]
    """Number of random halves of the items, for the interval."""
    seed: Seed
    """Random seed of sample, permutations and halves."""
    workspace: Workspace
    """Of the command."""
    section: Any
    """As it is typed: a run is known by it."""

    @classmethod
    def of_runs(cls, runs: Any, tests: Any, section: Mapping[str, Any], workspace: Workspace) -> Self:
        """Reads what is typed: the keys `similarity` and `tests`, and the section `of_similarity`.

        Raises:
            BadValue: a value is not of its kind, or out of range.
            UnknownChoice: there is no such measure.
        """
        references = [runs] if isinstance(runs, str) else runs
        given = cls.of(section, references=references, tests=tests, section=section, workspace=workspace)
        if given.items is not None and given.tests is not None:
            raise BadValue("tests", given.tests, "null where of_similarity.items names a file")
        measures, references = dict.fromkeys(given.measures), map(str, given.references)
        return dataclasses.replace(given, measures=[*measures], references=[*references])

    @property
    def text(self) -> Path | None:
        """The file of sentences whose lines are the items."""
        return None if self.items is None else Path(self.items)
