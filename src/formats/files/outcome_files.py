"""Outcomes of long work in files, each made once: by whoever needs it first, and read by all others."""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from polyprobe.formats.files.arrays import UnreadableArrays, read_arrays, write_arrays
from polyprobe.formats.files.atomic import remove_left_overs
from polyprobe.formats.files.shared_work import each_once

Outcome = TypeVar("Outcome")


class OutcomeFiles(ABC, Generic[Outcome]):
    """Files of outcomes in one folder, each named by the name that it is asked by and by what else it depends on.

    Args:
        about: all that every outcome depends on, plain values: with others they are made anew.
    """

    def __init__(self, folder: Path, about: Sequence[Any]):
        self.folder, self._about = Path(folder), json.dumps(about, sort_keys=True)

    @abstractmethod
    def of_arrays(self, name: str, saved: Mapping[str, np.ndarray]) -> Outcome | None:
        """Returns the outcome that a file has; None where it is that of another name."""

    @abstractmethod
    def arrays_of(self, name: str, outcome: Outcome) -> dict[str, np.ndarray]:
        """Returns what a file has of an outcome."""

    def pieces_of(self, names: Sequence[str]) -> list[Sequence[str]]:
        """Cuts names into what one process makes at a time, the same in each."""
        return [[name] for name in names]

    def read(self, name: str) -> Outcome | None:
        """Returns an outcome that was kept under this name; None where there is none, or it is damaged."""
        try:
            return self.of_arrays(name, read_arrays(self.path(name)))
        except (UnreadableArrays, KeyError, ValueError, TypeError, AttributeError):
            return None

    def read_or_make(
        self,
        names: Iterable[str],
        make: Callable[[list[str]], Iterable[Outcome]],
        pass_over: Callable[[list[str]], None] = lambda names: None,
    ) -> dict[str, Outcome]:
        """Returns the outcomes of some names: those that were kept, the others made together, and kept.

        Where several processes share the work they are made piece by piece, each piece by the process that takes it.

        Args:
            names: each once.
            make: returns outcome i for name i of those that were not kept.
            pass_over: called with names whose outcomes were kept, by this process or another.
        """
        remove_left_overs(self.folder, "**/.*.tmp")
        outcomes = {name: self.read(name) for name in names}
        pass_over([name for name, outcome in outcomes.items() if outcome is not None])
        pieces = [piece for piece in self.pieces_of(list(outcomes)) if any(outcomes[name] is None for name in piece)]
        for number in each_once([self.path(" ".join(piece)).with_suffix(".lock") for piece in pieces]):
            absent = [name for name in pieces[number] if outcomes[name] is None]
            outcomes |= {name: self.read(name) for name in absent}  # another process may have made it meanwhile
            new = [name for name in absent if outcomes[name] is None]
            pass_over([name for name in absent if name not in new])
            for name, outcome in zip(new, make(new), strict=True):
                self.write(name, outcome)
                outcomes[name] = outcome
        return outcomes

    def has(self, name: str) -> bool:
        """Says whether there is a file of this name, without reading it."""
        return self.path(name).is_file()

    def write(self, name: str, outcome: Outcome) -> None:
        """Keeps an outcome, whole or not at all."""
        write_arrays(self.path(name), self.arrays_of(name, outcome))

    def path(self, name: str) -> Path:
        """Returns the file of an outcome, whether it is there or not."""
        digest = hashlib.sha256(f"{self._about} {name}".encode()).hexdigest()[:32]
        return self.folder / digest[:2] / f"{digest}.npz"
