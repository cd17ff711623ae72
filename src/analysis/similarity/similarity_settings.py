"""What is compared, and how, as a configuration says: read and checked once, before anything is imported for it."""

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from annotated_types import Ge, MinLen

from polyprobe.analysis.similarity.measures import MEASURES
from polyprobe.errors import BadValue
from polyprobe.runs.workspace import Workspace
from polyprobe.section import Count, Expected, Key, Section, Seed

Names = Annotated[Sequence[str | int], MinLen(1)]
_RUNS = Expected("a list of runs such as [runA,runB] or [runA:8,runB:encoding/8]", of_parts=True)
_TESTS = Expected("a list of tests such as [Case,Tense], or null", of_parts=True)
_EPOCHS = Expected("a list such as [0,8], or null", of_parts=True)


class SimilaritySettings(Section, key="of_similarity"):
    """The section `of_similarity`, with the keys `similarity` and `tests`."""

    references: Annotated[Names, Key("similarity"), _RUNS]
    """Of the runs: "run", "run:8", "run:encoding", "run:encoding/8"."""
    measures: Annotated[Sequence[Literal[*MEASURES]], MinLen(1), Expected("a list of measures such as [cka,maxcorr]")]
    """Similarity measures: maxcorr, mincorr, linreg, svcca, pwcca, lincka, rbfcka (as released); cka, rbf_cka
    (unbiased); rsa; procrustes.
    """
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
