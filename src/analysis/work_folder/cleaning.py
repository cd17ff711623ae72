"""Removes a run, a sweep or all caches, after the user has typed its name."""

import shutil
import sys
from contextlib import ExitStack
from pathlib import Path

import filelock

from src.analysis.work_folder.disk_usage import cache_folders, in_megabytes, run_folder, run_folders, size_of_files
from src.display.shown import say, shown
from src.errors import PolyprobeError
from src.formats.files.locks import FileLock
from src.runs.record.held_folder import LOCK, RunIsBusy
from src.runs.record.run_record import NAME, RESULTS
from src.runs.workspace import CACHE

ALL_CACHES = "caches"
FIRST, LAST = (NAME, RESULTS), LOCK


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
