"""The cache of scores: blocks of answers in files; an interrupted scoring resumes after its last block.

    cache/scores/<fingerprint>/               one predictor
        3f2a9c1e….npz                         a block: arrays, named by all that they depend on
        3f2a9c1e….lock                        held while it is computed; stays, empty

A block is computed by one process: another one that needs it computes other blocks first, then waits. Its lock file
is not removed afterwards: another process may hold it open, and a third one would lock a new file next to it.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import filelock
import numpy as np

from src.display.progress import watched
from src.formats.files.arrays import UnreadableArrays, read_arrays, write_arrays
from src.formats.files.atomic import remove_left_overs
from src.formats.files.locks import FileLock

Arrays = Mapping[str, np.ndarray]
_NAME = "name"  # of the array that repeats the name of the block
_log = logging.getLogger(__name__)


class Keeper(Protocol):
    """Returns the blocks of a predictor's work, each computed once."""

    def blocks(self, names: Sequence[str], compute: Callable[[int], Arrays]) -> list[Arrays]:
        """Returns the arrays of all blocks, in the order of their names.

        Args:
            names: one for each block, hexadecimal digests of all that its arrays depend on other than the predictor
                (its questions); distinct.
            compute: returns the arrays of block number i; called for blocks that are not kept yet, in their order.
        """


class NothingKept:
    """Computes every block each time: for tests, and for weights that change from one call to the next."""

    def blocks(self, names: Sequence[str], compute: Callable[[int], Arrays]) -> list[Arrays]:
        """See `Keeper`."""
        return [compute(number) for number in range(len(names))]


class KeptBlocks:
    """Keeps blocks as `.npz` files; a damaged one is named in the log and computed again.

    Args:
        folder: of one predictor: its fingerprint is the folder's name. Made if absent.
    """

    def __init__(self, folder: Path):
        self._folder = Path(folder)

    def blocks(self, names: Sequence[str], compute: Callable[[int], Arrays]) -> list[Arrays]:
        """See `Keeper`."""
        self._folder.mkdir(parents=True, exist_ok=True)
        remove_left_overs(self._folder)
        found = [_read(self._path(name)) for name in names]
        missing = [number for number, arrays in enumerate(found) if arrays is None]
        with watched("scoring", "blocks of sentences", len(missing)) as progress:
            elsewhere = []
            for number in missing:  # first all that no other process works on
                found[number] = self._computed(names[number], number, compute, patience=0)
                if found[number] is None:
                    elsewhere.append(number)
                else:
                    progress.advance()
            for number in elsewhere:
                found[number] = self._computed(names[number], number, compute, patience=-1)
                progress.advance()
        return found

    def _computed(self, name: str, number: int, compute: Callable[[int], Arrays], patience: float) -> Arrays | None:
        """Computes a block under its lock, or reads what another process has written; None where it is locked."""
        lock = FileLock(self._folder / f"{name}.lock")
        try:
            with lock.acquire(timeout=patience):
                arrays = _read(self._path(name))
                if arrays is None:
                    if self._path(name).exists():
                        _log.warning("%s is damaged. Its block is computed again.", self._path(name))
                    arrays = compute(number)
                    write_arrays(self._path(name), {**arrays, _NAME: np.array(name)})
                return arrays
        except filelock.Timeout:
            return None

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.npz"


def _read(path: Path) -> Arrays | None:
    """Reads a block; None if it is missing or damaged, or is another one under this name."""
    try:
        arrays = read_arrays(path)
    except UnreadableArrays:
        return None
    name = arrays.pop(_NAME, None)  # blocks of earlier versions have none
    return arrays if name is None or str(name) == path.stem else None
