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
from src.probing.suites.minimal_set_files import ConstructionFile, Counted, SetFiles
from src.probing.suites.minimal_sets import Preparation
from src.resources.download import ensure


@dataclass(frozen=True)
class RegionConstruction:
    """The items of one of SyntaxGym's test suites, which is a construction here.

    Attributes:
        name: as published ("number_src").
        predictions: what is predicted of each item.
        items: in the order of the file.
        n_bad_lines: items that could not be read.
        groups: see `ConstructionSets`; of each item.
    """

    name: str
    predictions: Sequence[Prediction]
    items: Sequence[RegionItem]
    n_bad_lines: int = 0
    groups: Mapping[str, np.ndarray] = field(default_factory=dict)

    @property
    def n_sets(self) -> int:
        return len(self.items)

    @property
    def n_sentences(self) -> int:
        return sum(len(item.conditions) for item in self.items)


@dataclass(frozen=True)
class RegionSuite:
    """SyntaxGym's test suites together.

    Attributes:
        name, versions, files, means: see `MinimalSuite`.
        constructions: at least one.
        preparation: what is done to every sentence before it is scored; it changes no region.
    """

    name: str
    constructions: Sequence[RegionConstruction]
    versions: Mapping[str, str]
    files: Sequence[Path]
    preparation: Preparation
    means: Mapping[str, Sequence[str]] = field(default_factory=dict)


def load_regions(
    files: SetFiles,
    language: Mapping[str, Any],
    listed: Sequence[ConstructionFile],
    root: Path,
    mirror: str | None,
    on_malformed: OnMalformed,
) -> RegionSuite:
    """Reads test suites, files that are missing after fetching them. Arguments as `minimal_set_files.load`.

    Raises:
        MalformedLine: a file is no test suite, or whatever `on_malformed` raises.
        PolyprobeError: a file cannot be fetched, or has no item that can be read.
    """
    files.tell_license()
    scored = [file.name for file in listed]
    constructions, paths = [], [ensure(root, file.target, mirror) for file in listed]
    for file, path in each(list(zip(listed, paths, strict=True)), "reading items", "test suites"):
        bad_lines = Counted(on_malformed)
        test = syntaxgym.read(path, bad_lines)
        if not test.items:
            raise PolyprobeError(f"{path} has no item that can be read. Expected at least one.")
        groups = {one.name: one.groups_of(file.name, test.items, file.folders, scored) for one in files.groupings}
        constructions.append(RegionConstruction(file.name, test.predictions, test.items, bad_lines.n, groups))
    versions = {file.name: content_version([path]) for file, path in zip(listed, paths, strict=True)}
    preparation, means = files.preparation(language), files.means_of(scored)
    return RegionSuite(files.name, constructions, versions, paths, preparation, means)
