"""Where a command reads and writes: data, runs and caches."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Workspace:
    """The folders of a command, from the `paths` section of its configuration.

    Attributes:
        data: the folder of corpora and suites.
        work: the folder of all that is written: runs and caches.
        mirror: where missing files are fetched from instead of their own addresses; None for those.
    """

    data: Path
    work: Path
    mirror: str | None

    @classmethod
    def of(cls, paths: Mapping[str, Any]) -> "Workspace":
        """Reads the `paths` section of a configuration."""
        return cls(Path(paths["data"]), Path(paths["work"]), paths.get("mirror"))

    @property
    def cache(self) -> Path:
        """The folder of what can be made again: it may be removed at any time when nothing runs."""
        return self.work / "cache"

    @property
    def encodings(self) -> Path:
        """The cache of encoders' vectors."""
        return self.cache / "encodings"

    @property
    def probes(self) -> Path:
        """The cache of what trained probes came to."""
        return self.cache / "probes"

    @property
    def scores(self) -> Path:
        """The cache of what models make of sentences of minimal sets."""
        return self.cache / "scores"

    def runs(self, kind: str) -> Path:
        """Returns the folder of runs of a kind: "train", "probe", "generate" or "sweeps"."""
        return self.work / "runs" / kind
