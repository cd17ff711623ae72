"""Lists the runs, sweeps and caches of a work folder with their disk usage."""

import os
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from src.analysis.output.terminal_tables import TitledTable, new_table, show
from src.display.short_paths import short_path
from src.display.shown import shown
from src.errors import BadValue, PolyprobeError, UnknownChoice
from src.runs.command.sweep import NOTED
from src.runs.directory import RunDirectory
from src.runs.record.held_folder import LOCK
from src.runs.record.run_record import NAME
from src.runs.workspace import CACHE, CACHES, KINDS, RUNS

MARKS = (LOCK, NAME, NOTED)  # one of them is in each run and sweep
MB = 10**6
ADVICE = (
    "clean=<name> removes a run, clean=caches what is made again where it is needed. trainer.keep=best, or [0,2,8], "
    "lets a training run keep fewer checkpoints."
)


@dataclass(frozen=True, slots=True)
class DiskUse:
    """What a folder takes.

    Attributes:
        kind: "train", "probe", "generate", "sweeps" or "cache".
        path: of the folder.
        size: bytes of its files; links count nothing.
        checkpoints: bytes of those of them that are checkpoints or states of optimisers.
    """

    kind: str
    path: Path
    size: int
    checkpoints: int


def show_disk(work: Path, value: object) -> None:
    """Prints what runs and caches take, the largest first.

    Args:
        work: the work folder.
        value: of the key disk: true; anything else is refused.

    Raises:
        BadValue: `value` is something else.
        PolyprobeError: nothing lies there.
    """
    if value is not True:
        raise BadValue("disk", value, "true or null")
    uses = sorted(_uses(work), key=lambda use: (-use.size, use.path))
    if not uses:
        raise PolyprobeError(f"Neither runs nor caches below {work}. Expected the folder that paths.work names.")
    table = new_table(["kind", "name"], ["MB", "checkpoints"])
    for use in uses:
        table.add_row(use.kind, shown(use.path.name), in_megabytes(use.size), in_megabytes(use.checkpoints))
    free = in_megabytes(shutil.disk_usage(work).free)
    total = in_megabytes(sum(use.size for use in uses))
    show(TitledTable(f"{shown(short_path(work))}: {total} MB, {free} MB are free", table, [ADVICE]))


def run_folders(work: Path) -> list[Path]:
    """Returns the folders of runs and sweeps of a work folder, in the order of their paths."""
    folders = [folder for kind in KINDS for folder in sorted((work / RUNS / kind).glob("*"))]
    return [folder for folder in folders if any((folder / mark).is_file() for mark in MARKS)]


def run_folder(work: Path, name: str, key: str, others: Sequence[str]) -> Path:
    """Finds the folder of a run or a sweep.

    Args:
        work: the work folder.
        name: of the run or the sweep, or its folder.
        key: for which it is named, for the message.
        others: what that key takes besides.

    Raises:
        UnknownChoice: there is no such run.
        PolyprobeError: there are several.
    """
    folders = run_folders(work)
    chosen = [one for one in folders if one.name == name or one.absolute() == Path(name).absolute()]
    if not chosen:
        raise UnknownChoice("run", Path(name).name or name, [*others, *(one.name for one in folders)])
    if len(chosen) > 1:
        raise PolyprobeError(f"There are {' and '.join(map(str, chosen))}. Name the folder: {key}={chosen[0]}.")
    return chosen[0]


def cache_folders(work: Path) -> list[Path]:
    """Returns the caches of a work folder; other folders next to them are not ours."""
    return [folder for name in CACHES for folder in sorted((work / CACHE).glob(name))]


def size_of_files(folders: Iterable[Path]) -> int:
    """Returns the bytes of all files in folders; follows no link."""
    return sum(_size(Path(place) / name) for one in folders for place, _, names in os.walk(one) for name in names)


def in_megabytes(size: int) -> str:
    return f"{size / MB:,.1f}"


def _uses(work: Path) -> list[DiskUse]:
    found = [(folder.parent.name, folder) for folder in run_folders(work)]
    found += [("cache", folder) for folder in cache_folders(work)]
    return [DiskUse(kind, folder, size_of_files([folder]), _checkpoints(folder)) for kind, folder in found]


def _checkpoints(folder: Path) -> int:
    run = RunDirectory(folder)
    return size_of_files([run.epochs, run.resume])


def _size(path: Path) -> int:
    try:
        return 0 if path.is_symlink() else path.lstat().st_size
    except FileNotFoundError:  # its writer has renamed it
        return 0
