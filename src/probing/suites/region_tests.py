"""How SyntaxGym's test suites are read from the files of a suite."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from polyprobe.display.progress import each
from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.digest import content_version
from polyprobe.formats.minimal_sets import syntaxgym
from polyprobe.formats.reading.malformed import OnMalformed
from polyprobe.probing.suites.minimal_set_files import BadLineCount, ConstructionFile, SetFiles
from polyprobe.probing.suites.minimal_sets import MinimalSuite, RegionConstruction
from polyprobe.resources.download import ensure


def load_regions(
    files: SetFiles,
    language: Mapping[str, Any],
    listed: Sequence[ConstructionFile],
    root: Path,
    mirror: str | None,
    on_malformed: OnMalformed,
) -> MinimalSuite:
    """Reads test suites, files that are missing after fetching them. Arguments as `minimal_set_files.load`."""
    files.tell_license()
    scored = [file.name for file in listed]
    constructions, paths = [], [ensure(root, file.target, mirror) for file in listed]
    for file, path in each(list(zip(listed, paths, strict=True)), "reading items", "test suites"):
        bad_lines = BadLineCount(on_malformed)
        predictions, items = syntaxgym.read(path, bad_lines)
        if not items:
            raise PolyprobeError(f"{path} has no item that can be read. Expected at least one.")
        groups = {one.name: one.groups_of(file.name, items, file.folders, scored) for one in files.groupings}
        constructions.append(RegionConstruction(file.name, predictions, items, bad_lines.n, groups))
    versions = {file.name: content_version([path]) for file, path in zip(listed, paths, strict=True)}
    preparation, means = files.preparation(language), files.means_of(scored)
    return MinimalSuite(files.name, constructions, versions, paths, means, preparation)
