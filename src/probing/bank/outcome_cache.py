"""Outcomes of probes that earlier runs trained: a run with further tests, layers or seeds trains only the new ones.

An outcome depends on nothing but its own data, settings and seed, whatever was trained beside it (`train_bank`); so one
that is read here is the one that would be trained again.
"""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
import torch

from polyprobe.formats.files.arrays import UnreadableArrays, read_arrays, write_arrays
from polyprobe.formats.files.shared_work import each_once, sharing
from polyprobe.probing.bank.jobs import ProbeOutcome
from polyprobe.runs.names.identity import with_lasting_names

Outcome = TypeVar("Outcome")
# This room; the probes, which say what is trained and which of a grid's cells counts; what ranks the neurons of a cell,
# and what says which column is which neuron.
SOURCES = (
    Path(__file__).parent,
    Path(__file__).parents[1] / "probes",
    Path(__file__).parents[1] / "item_vectors.py",
    Path(__file__).parents[2] / "metrics" / "neurons.py",
)

_ARRAYS = ("dev_predictions", "test_predictions", "test_losses", "weights", "biases", "searched")
_ELSEWHERE = (*_ARRAYS, "parameters")  # in arrays; in the run's own files of kept probes


class OutcomeFiles(ABC, Generic[Outcome]):
    """Files of outcomes in one folder, each named by the name that it is asked by and by what else it depends on.

    Args:
        about: all that every outcome depends on, plain values: a changed program makes them anew.
    """

    def __init__(self, folder: Path, about: Sequence[Any]):
        self._folder, self._about = Path(folder), json.dumps(about, sort_keys=True)

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
            return self.of_arrays(name, read_arrays(self._path(name)))
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
        outcomes = {name: self.read(name) for name in names}
        pass_over([name for name, outcome in outcomes.items() if outcome is not None])
        pieces = [piece for piece in self.pieces_of(list(outcomes)) if any(outcomes[name] is None for name in piece)]
        for number in each_once([self._path(" ".join(piece)).with_suffix(".lock") for piece in pieces]):
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
        return self._path(name).is_file()

    def write(self, name: str, outcome: Outcome) -> None:
        """Keeps an outcome, whole or not at all."""
        write_arrays(self._path(name), self.arrays_of(name, outcome))

    def _path(self, name: str) -> Path:
        digest = hashlib.sha256(f"{self._about} {name}".encode()).hexdigest()[:32]
        return self._folder / digest[:2] / f"{digest}.npz"


PIECES = 4  # of each process: many enough that all end at about the same time, large enough for chunks of the bank


class KeptOutcomes(OutcomeFiles[ProbeOutcome]):
    """The outcomes of probes; failed ones are not kept.

    They depend on the probe's settings, the number of threads, the version of torch and the source of `SOURCES`.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any]):
        about = [with_lasting_names(settings), torch.__version__, torch.get_num_threads(), source_digest(*SOURCES)]
        super().__init__(folder, about)

    def write(self, name: str, outcome: ProbeOutcome) -> None:
        if outcome.failed is None:
            super().write(name, outcome)

    def of_arrays(self, name: str, saved: Mapping[str, np.ndarray]) -> ProbeOutcome | None:
        plain = json.loads(str(saved["plain"]))
        arrays = {key: saved[key] for key in _ARRAYS}
        if plain.pop("name") != name:
            return None
        return ProbeOutcome(**{**plain, "train_losses": tuple(plain["train_losses"]), **arrays})

    def arrays_of(self, name: str, outcome: ProbeOutcome) -> dict[str, np.ndarray]:
        plain = {field.name: getattr(outcome, field.name) for field in fields(outcome) if field.name not in _ELSEWHERE}
        arrays = {key: getattr(outcome, key) for key in _ARRAYS}
        return {"plain": np.array(json.dumps({**plain, "name": name})), **arrays}

    def pieces_of(self, names: Sequence[str]) -> list[Sequence[str]]:
        """Keeps neighbours together, which are of the same test and layer, and can be trained side by side."""
        n_processes = sharing().n_processes
        n_pieces = 1 if n_processes == 1 else PIECES * n_processes
        size = max(1, -(-len(names) // n_pieces))
        return [names[start : start + size] for start in range(0, len(names), size)]


def source_digest(*sources: Path) -> str:
    """Digests the source of rooms, file by file, and of files."""
    digest = hashlib.sha256()
    for source in sources:
        for path in sorted(source.glob("*.py")) if source.is_dir() else [source]:
            digest.update(path.read_bytes())
    return digest.hexdigest()
