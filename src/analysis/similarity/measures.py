"""Measures of how alike two layers are on the same items, what is found of all pairs, and the keys of the job.

`maxcorr`, `mincorr` and `lincka` are as released by Wu et al. (2020), `cka` is unbiased: see `correlations.py` and
`products.py`. Every measure is unchanged by shifting single columns and by one scale for all of them.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import numpy as np
from annotated_types import Ge, MinLen

from polyprobe.errors import BadValue
from polyprobe.runs.workspace import Workspace
from polyprobe.section import Count, Expected, Key, Section, Seed

LEAST = {"maxcorr": 0, "mincorr": 0, "lincka": 0, "cka": -1}
"""The lowest value that each measure can have; the highest is 1."""
DIRECTED = ("maxcorr", "mincorr")
"""Those of which exchanging the two layers changes the number: how well the second covers the first."""


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
    """What is left where the rows of one side are shuffled, the mean over shuffles."""
    low: np.ndarray
    """Lower end of the 95 % interval over items."""
    high: np.ndarray
    """Its upper end."""

    @property
    def is_symmetric(self) -> bool:
        """Whether the two directions of all pairs are the same number."""
        return np.allclose(self.values, self.values.T, rtol=0, atol=1e-12, equal_nan=True)


@dataclass(frozen=True, eq=False)
class PairValues(Similarities):
    """What is found of all pairs; symmetric measures are symmetric."""

    left_out: np.ndarray
    """Constant columns of each layer, which say nothing about items: int64 `[layers]`."""


Names = Annotated[Sequence[str | int], MinLen(1)]
OPTIONS = ("measures", "items", "sample", "permutations", "resamples", "seed")
"""Keys of `job=similarity` beside `runs` and `tests`."""
_RUNS = Expected("a list of runs such as [runA,runB] or [runA:8,runB:encoding/8]", of_parts=True)
_TESTS = Expected("a list of tests such as [Case,Tense], or null", of_parts=True)


class SimilaritySettings(Section):
    """The keys of `job=similarity`."""

    references: Annotated[Names, Key("runs"), _RUNS]
    """Of the runs: "run", "run:8", "run:encoding", "run:encoding/8"."""
    measures: Annotated[Sequence[Literal[*LEAST]], MinLen(1), Expected("a list of measures such as [cka,maxcorr]")]
    """Similarity measures: maxcorr, mincorr, lincka (as released); cka (unbiased)."""
    tests: Annotated[Names, _TESTS] | None
    """Test whose items are used; null: the first that all runs share."""
    items: Annotated[str, Expected("a file with one sentence per line, or null")] | None
    """File with one sentence per line; null: the test split of tests."""
    sample: Count | None
    """Number of items, sampled by label; null: all."""
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
        """Reads what is typed: the keys `similarity` and `tests`, and the keys of the job.

        Raises:
            BadValue: a value is not of its kind, or out of range.
            UnknownChoice: there is no such measure.
        """
        given = cls.of(section, references=runs, tests=tests, section=section, workspace=workspace)
        if given.items is not None and given.tests is not None:
            raise BadValue("tests", given.tests, "null where items names a file")
        measures, references = dict.fromkeys(given.measures), map(str, given.references)
        return dataclasses.replace(given, measures=[*measures], references=[*references])

    @property
    def text(self) -> Path | None:
        """The file of sentences whose lines are the items."""
        return None if self.items is None else Path(self.items)
