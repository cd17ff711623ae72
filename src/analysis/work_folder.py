"""Lists runs, sweeps and caches of a work folder with their disk usage; removes one when its name is typed again."""

import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path

import filelock

from src.analysis.output.tables import Table, show
from src.display.shown import say, short_path, shown
from src.errors import BadValue, PolyprobeError, UnknownChoice
from src.formats.files.locks import FileLock
from src.runs.command.sweep import NOTED
from src.runs.directory import RunDirectory
from src.runs.record.held_folder import LOCK, RunIsBusy
from src.runs.record.run_record import NAME, RESULTS
from src.runs.workspace import CACHE, CACHES, KINDS, RUNS

MARKS = (LOCK, NAME, NOTED)  # one of them is in each run and sweep
MB = 10**6
ADVICE = (
    "clean=<name> removes a run, clean=caches what is made again where it is needed. trainer.keep=best, or [0,2,8], "
    "lets a training run keep fewer checkpoints."
)
ALL_CACHES = "caches"
FIRST, LAST = (NAME, RESULTS), LOCK


def show_disk(work: Path, value: object) -> None:
    """Prints what runs and caches take, the largest first.

    Raises:
        BadValue: `value`, that of the key disk, is not true.
        PolyprobeError: nothing lies there.
    """
    if value is not True:
        raise BadValue("disk", value, "true or null")
    kinds = {
        **{folder: folder.parent.name for folder in run_folders(work)},
        **dict.fromkeys(cache_folders(work), "cache"),
    }
    if not kinds:
        raise PolyprobeError(f"Neither runs nor caches below {work}. Expected the folder that paths.work names.")
    sizes = {folder: size_of_files([folder]) for folder in kinds}
    table = Table(["kind", "name"], ["MB", "checkpoints"])
    for folder in sorted(kinds, key=lambda one: (-sizes[one], one)):
        run = RunDirectory(folder)
        checkpoints = in_megabytes(size_of_files([run.epochs, run.resume]))
        table.add_row(kinds[folder], shown(folder.name), in_megabytes(sizes[folder]), checkpoints)
    free = in_megabytes(shutil.disk_usage(work).free)
    total = in_megabytes(sum(sizes.values()))
    show(table.titled(f"{shown(short_path(work))}: {total} MB, {free} MB are free", [ADVICE]))


def run_folders(work: Path) -> list[Path]:
    """Returns the folders of runs and sweeps of a work folder, in the order of their paths."""
    folders = [folder for kind in KINDS for folder in sorted((work / RUNS / kind).glob("*"))]
    return [folder for folder in folders if any((folder / mark).is_file() for mark in MARKS)]


def run_folder(work: Path, name: str, key: str, others: Sequence[str]) -> Path:
    """Finds the folder of a run or a sweep.

    Args:
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


class NotConfirmed(PolyprobeError):
    """Nobody has typed the name of what is to be removed."""


def clean(work: Path, name: str, confirmation: str | None) -> None:
    """Removes a run or a sweep, or with "caches" all encodings, outcomes, scores and generated corpora.

    Args:
        work: the work folder. No link is followed out of it.
        name: of the run, or its folder; or "caches".
        confirmation: the name again; None asks on the terminal.

    Raises:
        UnknownChoice: there is no such run.
        NotConfirmed: the name typed is another one, or there is no terminal to ask on.
        RunIsBusy: a process is at work there; of caches: on any run of the work folder.
        PolyprobeError: a folder leads out of the work folder, or cannot be removed.
    """
    folders = cache_folders(work) if name == ALL_CACHES else [run_folder(work, name, "clean", [ALL_CACHES])]
    if not folders:
        raise PolyprobeError(f"There are no caches below {work / CACHE}.")
    for folder in folders:
        _check_inside(work, folder)
    very_name = ALL_CACHES if name == ALL_CACHES else folders[0].name
    where = work / CACHE if name == ALL_CACHES else folders[0]
    what = f"{where} ({in_megabytes(size_of_files(folders))} MB)"
    _confirm(very_name, what, confirmation)
    with ExitStack() as held:
        for folder in [*folders, *(run_folders(work) if name == ALL_CACHES else [])]:
            _hold(folder, held)
        for folder in folders:
            _remove(folder)
    say(f"removed   {what}")


def _size(path: Path) -> int:
    try:
        return 0 if path.is_symlink() else path.lstat().st_size
    except FileNotFoundError:  # its writer has renamed it
        return 0


def _check_inside(work: Path, folder: Path) -> None:
    expected = work.resolve() / folder.relative_to(work)
    if folder.resolve() != expected:
        raise PolyprobeError(f"{folder} leads to {folder.resolve()}. Links are not followed: remove that by hand.")


def _confirm(name: str, what: str, confirmation: str | None) -> None:
    if confirmation is None:
        if not sys.stdin.isatty():
            raise NotConfirmed(
                f"{what} is removed only where its name is typed again, and nobody can be asked here: confirm={name}."
            )
        confirmation = input(f"{shown(what)} is removed for good. Type its name, {shown(name)}: ").strip()
    if confirmation != name:
        raise NotConfirmed(f'"{confirmation}" is not {name}: nothing is removed.')


def _hold(folder: Path, held: ExitStack) -> None:
    """Holds the lock of a run, and looks whether any other lock in the folder is held."""
    for path in sorted(folder.rglob("*lock")):
        if path.is_symlink() or not path.is_file() or not (path.name == "lock" or path.name.endswith(".lock")):
            continue
        lock = FileLock(path)
        try:
            lock.acquire(timeout=0)
        except filelock.Timeout as error:
            raise RunIsBusy(f"{path.parent} is in use by another process. Wait for it, or end it.") from error
        if path == folder / LOCK:
            held.callback(lock.release)
        else:
            lock.release()


def _remove(folder: Path) -> None:
    """Removes a folder, first that without which it is no finished run, last that by which it is known as one."""
    order = {**dict.fromkeys(FIRST, -1), LAST: 1}
    try:
        for path in sorted(folder.iterdir(), key=lambda one: order.get(one.name, 0)):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
        folder.rmdir()
    except OSError as error:
        raise PolyprobeError(f"{error.filename} cannot be removed: {error.strerror}.") from error
