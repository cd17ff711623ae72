"""How the constructions of a suite of minimal sets are grouped, such as the 67 of BLiMP into 12 phenomena.

A suite's file says it under `groups`: the name of each grouping, and where the group of a set comes from.

    phenomenon: {field: linguistics_term, same: {s-selection: argument_structure}}   # a column or key of the files
    phenomenon: {folder: phenomenon}                                                  # {phenomenon} in the files' paths
    pooled: {tests: {prep: [prep_anim, prep_inanim]}}                                 # the constructions themselves

A group is scored on all sets of its constructions together: a larger construction counts for more.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from polyprobe.errors import BadValue
from polyprobe.formats.minimal_sets.clams import MinimalSet

_KEYS = ("field", "folder", "tests")
_EXPECTED = "one of field, folder and tests, such as {field: phenomenon} or {tests: {prep: [prep_anim, prep_inanim]}}"


@dataclass(frozen=True, slots=True)
class Grouping:
    """One way to group the sets of a suite; one of `field`, `folder` and `tests` is given."""

    name: str
    """Of the grouping ("phenomenon")."""
    field: str | None = None
    """Of the rows of the files, whose value names the group of a set."""
    folder: str | None = None
    """Name in braces in the suite's pattern of paths."""
    tests: Mapping[str, Sequence[str]] = dataclasses.field(default_factory=dict)
    """The constructions of each group; a group is there where all of them are scored."""
    same: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Other names of a group in the files, with the name that is meant."""

    def groups_of(
        self, test: str, sets: Sequence[MinimalSet], folders: Mapping[str, str], scored: Sequence[str]
    ) -> np.ndarray:
        """Returns the group of each set of a construction, "" where it has none: str `[sets]`.

        Args:
            sets: with the fields of their rows.
            folders: what stands in the path of their file in the place of each name.
            scored: all constructions that are scored.
        """
        if self.field is not None:
            found = [one.fields.get(self.field, "").strip() for one in sets]
        elif self.folder is not None:
            found = [folders.get(self.folder, "")] * len(sets)
        else:
            found = [next((group for group, tests in self.there(scored).items() if test in tests), "")] * len(sets)
        return np.array([self.same.get(one, one) for one in found], dtype=str)

    def there(self, scored: Sequence[str]) -> dict[str, Sequence[str]]:
        """Returns the listed groups whose constructions are all scored."""
        return {group: tests for group, tests in self.tests.items() if set(tests) <= set(scored)}


def groupings_of(groups: Mapping[str, Mapping] | None) -> list[Grouping]:
    """Reads `groups` of a suite's file."""
    for name, said in (groups or {}).items():
        if not isinstance(said, Mapping) or len(set(said) - {"same"}) != 1 or not set(said) <= {*_KEYS, "same"}:
            raise BadValue(f"suite.groups.{name}", said, _EXPECTED)
    return [Grouping(str(name), **said) for name, said in (groups or {}).items()]


def means_there(
    means: Mapping[str, Sequence[str]], groupings: Sequence[Grouping], scored: Sequence[str]
) -> dict[str, Sequence[str]]:
    """Returns the means of whose constructions and groups none is missing.

    Args:
        means: of which constructions and groups each is the unweighted mean, by its name.
    """
    known = {*scored, *(group for one in groupings for group in one.there(scored))}
    return {name: members for name, members in means.items() if set(members) <= known}
