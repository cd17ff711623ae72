"""Compares the files of runs with the digests that were kept when they were written: `analyze.py verify=<run>`.

A digest tells damage, and changes by mistake. Whoever changes a file on purpose can write its digest, too.
"""

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from src.analysis.reports.made_files import MadeDigests, made_digests
from src.analysis.work_folder import run_folder, run_folders
from src.display.progress import each
from src.display.shown import say, short_path
from src.errors import PolyprobeError
from src.formats.files.digest import BESIDE, SEAL, DamagedJson, digest_beside, file_digest, read_sealed
from src.runs.command.sweep import NOTED
from src.runs.directory import RunDirectory
from src.runs.record.run_record import DamagedRun
from src.runs.workspace import RUNS

ALL = "work"
SOUND, STALE, ALTERED, MISSING, UNRECORDED = "sound", "stale", "altered", "missing", "unrecorded"
FAULTS = (STALE, ALTERED, MISSING)
_NO_RESULTS = MadeDigests("", {})


@dataclass(frozen=True, slots=True)
class FileState:
    """Whether a file is as it was written."""

    path: Path
    state: str
    """One of "sound"; "stale": of other results than the run has now; "altered": it differs from its digest; "missing";
    "unrecorded": nobody kept a digest of it."""
    reason: str = ""
    """What was found; "" where it is sound."""


def verify(work: Path, name: str) -> None:
    """Prints the state of every file of a run, or of all runs and sweeps, and how many there are of each.

    Args:
        work: the work folder.
        name: of a run or a sweep, or its folder; "work", or the path of a work folder, for all of them.

    Raises:
        UnknownChoice: there is no such run.
        PolyprobeError: a file is stale, altered or missing; or there are no runs.
    """
    of_all = work if name == ALL else Path(name)
    folders = run_folders(of_all) if (of_all / RUNS).is_dir() else [run_folder(work, name, "verify", [ALL])]
    if not folders:
        raise PolyprobeError(f"There are no runs below {of_all / RUNS}.")
    counts: Counter[str] = Counter()
    for folder in each(folders, "comparing with digests", "runs"):
        for file in file_states(folder):
            counts[file.state] += 1
            say(f"{file.state:<11}{short_path(file.path)}{f'  ({file.reason})' if file.reason else ''}")
    print(", ".join(f"{counts[state]:,} {state}" for state in (SOUND, *FAULTS, UNRECORDED)))
    if faults := sum(counts[state] for state in FAULTS):
        advice = "A run's command makes tables and pictures again, and results once its results.jsonl is removed."
        raise PolyprobeError(f"{faults:,} of {counts.total():,} files are not as they were written. {advice}")


def file_states(folder: Path) -> Iterator[FileState]:
    """Yields the state of every file of a run or a sweep, in the order of their paths, locks aside.

    The file of a digest belongs to the file that it is about. No link is followed.
    """
    run = RunDirectory(folder)
    sealed = {run.provenance, run.made_files, folder / NOTED, *folder.glob("jobs/*.json")}
    kept = _kept_digests(run)
    made = _made(run)
    of_other_results = made is not _NO_RESULTS and _digest(run.results) != made.results
    expected_here = set() if (folder / NOTED).is_file() else {run.provenance}
    for path in sorted({*_files_below(folder), *kept, *made.of_files, *expected_here}):
        if path.is_symlink():
            is_there = path.exists()
            yield FileState(path, SOUND if is_there else MISSING, "" if is_there else f"leads to {os.readlink(path)}")
        elif path in sealed:
            yield _sealed_state(path)
        elif path in kept:
            yield _state(path, kept[path])
        elif path in made.of_files:
            state = _state(path, made.of_files[path])
            is_stale = state.state == SOUND and of_other_results
            yield FileState(path, STALE, "made of other results than the run has now") if is_stale else state
        else:
            yield FileState(path, UNRECORDED, "no digest of it was kept")


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
    kept |= {run.vectors / name: str(digest) for name, digest in of_vectors if Path(name).name == name}
    return kept | {run.path / name: str(digest) for name, digest in record.get("files", {}).items()}


def _made(run: RunDirectory) -> MadeDigests:
    try:
        return made_digests(run)
    except (OSError, DamagedJson):  # which is said of that file itself
        return _NO_RESULTS


def _sealed_state(path: Path) -> FileState:
    try:
        has_seal = SEAL in read_sealed(path)
    except FileNotFoundError:
        return FileState(path, MISSING)
    except OSError as error:
        return FileState(path, ALTERED, f"it cannot be read: {error.strerror}")
    except DamagedJson as error:
        return FileState(path, ALTERED, str(error))
    return FileState(path, SOUND) if has_seal else FileState(path, UNRECORDED, "an earlier version wrote no digest")


def _state(path: Path, expected: str) -> FileState:
    found = _digest(path)
    if found is None:
        is_there = path.is_file()
        return FileState(path, ALTERED if is_there else MISSING, "it cannot be read" if is_there else "")
    return FileState(path, SOUND) if found == expected else FileState(path, ALTERED, "it differs from its digest")


def _digest(path: Path) -> str | None:
    try:
        return file_digest(path)
    except OSError:
        return None
