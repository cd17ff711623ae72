"""Lists runs, sweeps and caches of a work folder with their disk usage; removes one when its name is typed again.

`analyze.py verify=<run>` compares files with the digests that were kept when they were written. A digest
tells damage, and changes by mistake. Whoever changes a file on purpose can write its digest, too.
"""

import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import filelock

from polyprobe.analysis.output.tables import Printable, Table
from polyprobe.analysis.reports.finished_run import made_digests
from polyprobe.display.progress import each
from polyprobe.display.shown import short_path, shown
from polyprobe.errors import BadValue, PolyprobeError, UnknownChoice
from polyprobe.formats.files.digest import BESIDE, SEAL, DamagedJson, digest_beside, file_digest, read_sealed
from polyprobe.formats.files.file_names import file_name
from polyprobe.formats.files.locks import FileLock
from polyprobe.runs.command.sweep import NOTED
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.record.held_folder import LOCK, RunIsBusy
from polyprobe.runs.record.run_record import NAME, RESULTS, DamagedRun
from polyprobe.runs.workspace import CACHE, CACHES, KINDS, RUNS

MARKS = (LOCK, NAME, NOTED)  # one of them is in each run and sweep
MB = 10**6
ADVICE = (
    "clean=<name> removes a run, clean=caches removes what is recreated when needed. trainer.keep=best, or [0,2,8], "
    "lets a training run keep fewer checkpoints."
)
ALL_CACHES = "caches"
FIRST, LAST = (NAME, RESULTS), LOCK


def disk_usage(work: Path, value: object) -> Iterator[Printable]:
    """Tables what runs and caches take, the largest first.

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
    yield table.titled(f"{shown(short_path(work))}: {total} MB, {free} MB are free", [ADVICE])


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


def clean(work: Path, name: object, confirmation: str | None) -> Iterator[Printable]:
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
    name = str(name)
    folders = cache_folders(work) if name == ALL_CACHES else [run_folder(work, name, "clean", [ALL_CACHES])]
    if not folders:
        raise PolyprobeError(f"There are no caches below {work / CACHE}.")
    for folder in folders:
        if folder.resolve() != work.resolve() / folder.relative_to(work):
            raise PolyprobeError(f"{folder} leads to {folder.resolve()}. Links are not followed: remove that by hand.")
    very_name = ALL_CACHES if name == ALL_CACHES else folders[0].name
    where = work / CACHE if name == ALL_CACHES else folders[0]
    what = f"{where} ({in_megabytes(size_of_files(folders))} MB)"
    _confirm(very_name, what, confirmation)
    with ExitStack() as held:
        for folder in [*folders, *(run_folders(work) if name == ALL_CACHES else [])]:
            _hold(folder, held)
        for folder in folders:
            _remove(folder)
    yield f"removed   {what}"


def _size(path: Path) -> int:
    try:
        return 0 if path.is_symlink() else path.lstat().st_size
    except FileNotFoundError:  # its writer has renamed it
        return 0


def _confirm(name: str, what: str, confirmation: str | None) -> None:
    if confirmation is None:
        if not sys.stdin.isatty():
            raise NotConfirmed(f"{what} is removed only after confirmation, and there is no terminal: confirm={name}.")
        confirmation = input(f"{shown(what)} is removed permanently. Type its name, {shown(name)}: ").strip()
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
            raise RunIsBusy(f"{path.parent} is in use by another process. Wait for it, or stop it.") from error
        if path == folder / LOCK:
            held.callback(lock.release)
        else:
            lock.release()


def _remove(folder: Path) -> None:
    """Removes a folder, first that without which it is not a finished run, last that by which it is known as one."""
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


ALL = "work"
SOUND, STALE, ALTERED, MISSING, UNRECORDED = "sound", "stale", "altered", "missing", "unrecorded"
FAULTS = (STALE, ALTERED, MISSING)


FileState = tuple[Path, str, str]
"""A file, its state, and what was found; "" where it is sound.

It is "sound"; "stale": of other results than the run has now; "altered": it differs from its digest; "missing"; or
"unrecorded": nobody kept a digest of it.
"""


def verify(work: Path, name: object) -> Iterator[Printable]:
    """Tells the state of every file of a run, or of all runs and sweeps, and how many there are of each.

    Args:
        name: of a run or a sweep, or its folder; "work", or the path of a work folder, for all of them.

    Raises:
        UnknownChoice: there is no such run.
        PolyprobeError: a file is stale, altered or missing; or there are no runs.
    """
    name = str(name)
    of_all = work if name == ALL else Path(name)
    folders = run_folders(of_all) if (of_all / RUNS).is_dir() else [run_folder(work, name, "verify", [ALL])]
    if not folders:
        raise PolyprobeError(f"There are no runs below {of_all / RUNS}.")
    counts: Counter[str] = Counter()
    for folder in each(folders, "comparing with digests", "runs"):
        for path, state, reason in file_states(folder):
            counts[state] += 1
            yield f"{state:<11}{short_path(path)}{f'  ({reason})' if reason else ''}"
    yield ", ".join(f"{counts[state]:,} {state}" for state in (SOUND, *FAULTS, UNRECORDED))
    if faults := sum(counts[state] for state in FAULTS):
        advice = "A run's command recreates tables and pictures; results, too, after removing its results.jsonl."
        raise PolyprobeError(f"{faults:,} of {counts.total():,} files differ from what was written. {advice}")


def file_states(folder: Path) -> Iterator[FileState]:
    """Yields the state of every file of a run or a sweep, in the order of their paths, locks aside.

    The file of a digest belongs to the file that it is about. No link is followed.
    """
    run = RunDirectory(folder)
    sealed = {run.provenance, run.made_files, folder / NOTED, *folder.glob("jobs/*.json")}
    kept = _kept_digests(run)
    try:
        results, made = made_digests(run)
    except (OSError, DamagedJson):  # which is said of that file itself
        results, made = None, {}
    of_other_results = results is not None and _digest(run.results) != results
    expected_here = set() if (folder / NOTED).is_file() else {run.provenance}
    for path in sorted({*_files_below(folder), *kept, *made, *expected_here}):
        if path.is_symlink():
            is_there = path.exists()
            yield path, *((SOUND, "") if is_there else (MISSING, f"leads to {os.readlink(path)}"))
        elif path in sealed:
            yield path, *_sealed_state(path)
        elif path in kept:
            yield path, *_state(path, kept[path])
        elif path in made:
            state, reason = _state(path, made[path])
            is_stale = state == SOUND and of_other_results
            yield path, *((STALE, "made of other results than the run has now") if is_stale else (state, reason))
        else:
            yield path, UNRECORDED, "no digest of it was kept"


def _files_below(folder: Path) -> Iterator[Path]:
    for above, folders, names in os.walk(folder):
        linked = [name for name in folders if Path(above, name).is_symlink()]
        kept = [name for name in [*names, *linked] if not name.startswith(".") and not name.endswith(BESIDE)]
        yield from (Path(above, name) for name in kept)


def _kept_digests(run: RunDirectory) -> dict[Path, str]:
    """Returns the digests in run.json, and those beside checkpoints and states of optimisers."""
    beside = [path.with_name(path.name.removesuffix(BESIDE)) for path in run.path.glob(f"*/*.ckpt{BESIDE}")]
    kept = {path: digest for path in beside if (digest := digest_beside(path)) is not None}
    try:
        record = run.record()
    except DamagedRun:
        return kept
    vectors = record.get("vectors", {})
    of_vectors = vectors.items() if isinstance(vectors, dict) else ()
    kept |= {run.vectors / file_name(name): str(digest) for name, digest in of_vectors}
    return kept | {run.path / name: str(digest) for name, digest in record.get("files", {}).items()}


def _sealed_state(path: Path) -> tuple[str, str]:
    try:
        has_seal = SEAL in read_sealed(path)
    except FileNotFoundError:
        return MISSING, ""
    except OSError as error:
        return ALTERED, f"it cannot be read: {error.strerror}"
    except DamagedJson as error:
        return ALTERED, str(error)
    return (SOUND, "") if has_seal else (UNRECORDED, "an earlier version wrote no digest")


def _state(path: Path, expected: str) -> tuple[str, str]:
    found = _digest(path)
    if found is None:
        is_there = path.is_file()
        return ALTERED if is_there else MISSING, "it cannot be read" if is_there else ""
    return (SOUND, "") if found == expected else (ALTERED, "it differs from its digest")


def _digest(path: Path) -> str | None:
    try:
        return file_digest(path)
    except OSError:
        return None
