"""The folders of a command: data, runs and caches."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polyprobe.errors import BadValue

RUNS, CACHE = "runs", "cache"
"""The two folders below a work folder."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """The folders of a command, from the `paths` section of its configuration."""

    data: Path
    """The folder of corpora and suites."""
    work: Path
    """The folder of everything that is written: runs and caches."""
    mirror: str | None
    """Where missing files are fetched from instead of their own addresses; None for those."""

    @classmethod
    def of(cls, paths: Mapping[str, Any]) -> "Workspace":
        """Reads the `paths` section of a configuration.

        Raises:
            BadValue: a folder is none: a list, a number, null.
        """
        for key in ("data", "work"):
            if not isinstance(paths[key], str | Path):
                raise BadValue(f"paths.{key}", paths[key], "the name of a folder (a name of digits as '\"2024\"')")
        return cls(Path(paths["data"]), Path(paths["work"]), paths.get("mirror"))

    cache = property(lambda self: self.work / CACHE)
    """The folder of everything that can be computed again: it may be removed at any time when nothing runs."""
    encodings = property(lambda self: self.cache / "encodings")
    """The cache of encoders' vectors."""
    probes = property(lambda self: self.cache / "probes")
    """The cache of outcomes of probes."""
    scores = property(lambda self: self.cache / "scores")
    """The cache of scores of sentences of minimal sets."""
    vectors = property(lambda self: self.cache / "vectors")
    """The vectors that functions of the user's computed, a folder for each."""
    log_probabilities = property(lambda self: self.cache / "log_probabilities")
    """The log-probabilities that functions of the user's computed, a file for each."""

    def runs(self, kind: str) -> Path:
        """Returns the folder of runs of one kind: train, probe, generate, analyze or sweeps."""
        return self.work / RUNS / kind
