"""SyntaxGym's test suites in memory, and how they are read from the files of a suite."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from src.display.progress import each
from src.errors import PolyprobeError
from src.formats.files.digest import content_version
from src.formats.minimal_sets import syntaxgym
from src.formats.minimal_sets.syntaxgym import Prediction, RegionItem
from src.formats.reading.malformed import OnMalformed
from src.probing.suites.minimal_set_files import BadLineCount, ConstructionFile, SetFiles
from src.probing.suites.minimal_sets import Preparation
from src.resources.download import ensure


@dataclass(frozen=True)
class RegionConstruction:
    """The items of one of SyntaxGym's test suites, which is a construction here."""

    name: str
    """As published ("number_src")."""
    predictions: Sequence[Prediction]
    """What is predicted of each item."""
    items: Sequence[RegionItem]
    """In the order of the file."""
    n_bad_lines: int = 0
    """Items that could not be read."""
    groups: Mapping[str, np.ndarray] = field(default_factory=dict)
    """See `ConstructionSets`; of each item."""

    @property
    def n_sets(self) -> int:
        return len(self.items)

    @property
    def n_sentences(self) -> int:
        return sum(len(item.conditions) for item in self.items)


@dataclass(frozen=True)
class RegionSuite:
    """SyntaxGym's test suites together."""

    name: str
    constructions: Sequence[RegionConstruction]
    """At least one."""
    versions: Mapping[str, str]
    files: Sequence[Path]
    preparation: Preparation
    """What is done to every sentence before it is scored; it changes no region."""
    means: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """See `MinimalSuite`."""


def load_regions(
    files: SetFiles,
    language: Mapping[str, Any],
    listed: Sequence[ConstructionFile],
    root: Path,
    mirror: str | None,
    on_malformed: OnMalformed,
) -> RegionSuite:
    """Reads test suites, files that are missing after fetching them. Arguments as `minimal_set_files.load`."""
    files.tell_license()
    scored = [file.name for file in listed]
    constructions, paths = [], [ensure(root, file.target, mirror) for file in listed]
    for file, path in each(list(zip(listed, paths, strict=True)), "reading items", "test suites"):
        bad_lines = BadLineCount(on_malformed)
        test = syntaxgym.read(path, bad_lines)
        if not test.items:
            raise PolyprobeError(f"{path} has no item that can be read. Expected at least one.")
        groups = {one.name: one.groups_of(file.name, test.items, file.folders, scored) for one in files.groupings}
        constructions.append(RegionConstruction(file.name, test.predictions, test.items, bad_lines.n, groups))
    versions = {file.name: content_version([path]) for file, path in zip(listed, paths, strict=True)}
    preparation, means = files.preparation(language), files.means_of(scored)
    return RegionSuite(files.name, constructions, versions, paths, preparation, means)
