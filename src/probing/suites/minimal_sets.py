"""Suites of minimal sets in memory, prepared as they are scored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from polyprobe.formats.minimal_sets.clams import MinimalSet, Variant
from polyprobe.formats.reading.case import with_capital


@dataclass(frozen=True)
class Construction:
    """The minimal sets that are scored under one name, in the order of their file."""

    name: str
    """As the published tables have it ("simple_agrmt")."""
    sets: Sequence[MinimalSet]
    """Those without an ungrammatical sentence, too: they are counted, not scored."""
    n_bad_lines: int = 0
    """Lines of the file that could not be read; their sets are not there. Of several constructions in one file
    the first has them all."""
    groups: Mapping[str, np.ndarray] = field(default_factory=dict)
    """Of each grouping of the suite the group of each set, "" where it has none: str `[sets]`."""

    @property
    def n_sentences(self) -> int:
        return sum(len(one.variants) for one in self.sets)

    @property
    def identical(self) -> list[int]:
        """The numbers of the sets with a variant that is spelt as the grammatical sentence."""
        return [one.number for one in self.sets if one.has_identical]


@dataclass(frozen=True, slots=True)
class Preparation:
    """What is done to every sentence before it is scored."""

    end_of_sentence: str | None
    """A word put after the last one, or None."""
    capitalise: bool
    """Whether the first letter becomes a capital."""
    dotless_i: bool
    """Whether i is written İ as a capital (Turkish)."""

    def prepared(self, one: MinimalSet) -> MinimalSet:
        """Returns the set with its sentences prepared; `positions` and `forms` stay those of the file."""
        if self.end_of_sentence is None and not self.capitalise:
            return one
        variants = tuple(self._prepared(variant, one.between) for variant in one.ungrammatical)
        return replace(one, grammatical=self._prepared(one.grammatical, one.between), ungrammatical=variants)

    def _prepared(self, variant: Variant, between: str) -> Variant:
        """Returns one sentence prepared; no word changes its place."""
        text = with_capital(variant.sentence, self.dotless_i) if self.capitalise else variant.sentence
        text = text if self.end_of_sentence is None else f"{text}{between}{self.end_of_sentence}"
        return Variant(text, variant.positions, variant.forms)


@dataclass(frozen=True)
class MinimalSuite:
    """A named group of constructions."""

    name: str
    """Of the suite ("clams")."""
    constructions: Sequence[Construction]
    """At least one, in the order of the tables."""
    versions: Mapping[str, str]
    """A digest of the content behind each construction, by its name."""
    files: Sequence[Path] = ()
    means: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Of which constructions and groups unweighted means are taken, by the names of the means."""
    preparation: Preparation | None = None
    """What is done to every sentence when it is read. None: nothing."""
