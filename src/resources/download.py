"""Fetches a published file where it is missing: pinned, checked, resumed, once."""

import hashlib
import logging
import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from functools import cache, lru_cache
from pathlib import Path

from filelock import Timeout

from polyprobe.display.shown import say
from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.atomic import written_atomically
from polyprobe.formats.files.locks import FileLock
from polyprobe.formats.reading.lines import write_lines
from polyprobe.resources.pace import Clock, Pace, TooSlow
from polyprobe.resources.pinned_files import (
    FETCHED,
    GITHUB,
    AssembledFile,
    FirstFetchedFile,
    PinnedFile,
    Published,
    keep_first_fetch,
    source_of,
    terms_of,
    with_first_fetch,
)
from polyprobe.resources.transfer import RULES, Interrupted, TransferRefused, resume

PAUSES_SECONDS = (0.5, 1.0, 2.0, 4.0)
"""How long to wait before the second to the fifth try."""

Pause = Callable[[float], None]
_CHUNK = 1 << 20
_log = logging.getLogger(__name__)


class MissingFile(PolyprobeError):
    """A file is missing and not known as a published one."""


class FailedDownload(PolyprobeError):
    """A published file could not be fetched, or has other bytes than the published one."""


def base_url_of(mirror: str | None) -> str:
    """Returns the address to fetch from: `paths.mirror`, else the environment's POLYPROBE_MIRROR, else GitHub's."""
    base_url = mirror or os.environ.get("POLYPROBE_MIRROR") or GITHUB
    if not base_url.startswith(("http://", "https://")):
        raise PolyprobeError(f'paths.mirror (or POLYPROBE_MIRROR) is "{base_url}". Expected http://… or https://….')
    return base_url


def place_of(root: Path, target: str) -> Path:
    """Returns the path of a file: in the data folder if it is there or can be fetched, else from the current folder.

    Args:
        target: a path from the data folder or from the current one, with forward slashes, or an absolute one.
    """
    below, here = Path(root) / target, Path.cwd() / target
    is_ours = below.is_file() or source_of(target) is not None or not here.is_file()
    return below if is_ours else here


def ensure(
    root: Path, target: str, base_url: str | None, pause: Pause = time.sleep, clock: Clock = time.monotonic
) -> Path:
    """Returns the path of `target`, see `place_of`, after fetching the file into the data folder if it is missing.

    An existing file is used unchanged; if its blob id is not the published one, one warning says so.

    Args:
        target: the file's path, as for `place_of`.
        base_url: where to fetch from; None: `base_url_of`.
        pause: waits for so many seconds between tries.
        clock: seconds since some moment, by which slow servers are given up (`limit_downloads`).

    Raises:
        MissingFile: the file is missing and the table of published files does not have it.
        FailedDownload: it could not be fetched, has other bytes than the published one, or cannot be written.
    """
    check_known(root, target)
    source = source_of(target)
    return ensure_published(root, source, base_url, pause, clock) if source else place_of(Path(root), target)


def check_known(root: Path, target: str) -> None:
    """Checks that a file is there or that it is known where to fetch it from, see `ensure`; nothing is fetched.

    Raises:
        MissingFile: it is neither.
    """
    if source_of(target) is None and not place_of(Path(root), target).is_file():
        raise MissingFile(_not_known(root, target))


def ensure_published(
    root: Path,
    source: Published,
    base_url: str | None,
    pause: Pause = time.sleep,
    clock: Clock = time.monotonic,
) -> Path:
    """Returns the path of a published file in the data folder, after fetching it, or making it of its parts.

    An existing file is used as by `ensure`, whose other arguments these are. Of a file whose publishers say no digest,
    that of the first download is printed and kept in the data folder; a later download has to have the same.

    Raises:
        FailedDownload: as by `ensure`; also if the parts join to other bytes than those of the table.
    """
    root, path = Path(root), Path(root) / source.target
    if path.is_file():
        _compare(path, with_first_fetch(root, source) if isinstance(source, FirstFetchedFile) else source)
        return path
    base_url = base_url_of(base_url)
    if isinstance(source, AssembledFile):
        try:
            parts = [ensure_published(root, part, base_url, pause, clock) for part in source.parts]
        except FailedDownload as error:
            n_parts = len(source.parts)
            raise FailedDownload(
                f"{error} It is one of {n_parts} parts; alternatively, put the whole file at {path}."
            ) from error
        _write_once(root, path, lambda: _assemble(source, parts, path))
    else:
        address = source.address(base_url)
        _write_once(root, path, lambda: _fetch(source, root, address, path, pause, clock))
    return path


def _write_once(root: Path, path: Path, write: Callable[[], None]) -> None:
    """Writes a file of the data folder, unless another process has done so meanwhile."""
    try:
        if not root.is_dir():
            _log.info("Making the data folder %s: there is none (paths.data, or POLYPROBE_DATA).", root)
            root.mkdir(parents=True, exist_ok=True)
        with _alone(root):
            if path.is_file():
                return
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                write()
            finally:
                _remove_empty_folders(path.parent, root)
    except OSError as error:
        raise FailedDownload(f"{path} cannot be written: {error.strerror or error}.") from error


def _assemble(source: AssembledFile, parts: Sequence[Path], path: Path) -> None:
    """Joins the parts of a file; what is not the file that the table knows is not kept."""
    _log.info("Joining %d files to %s.", len(parts), path)
    with written_atomically(path) as neighbour:
        write_lines(RULES[source.rule](parts), neighbour)
        blob = blob_id(neighbour)
        if blob != source.blob:
            changed = [
                str(part) for part, known in zip(parts, source.parts, strict=True) if blob_id(part) != known.blob
            ]
            what_to_do = f"Remove {', '.join(changed)} to download the published one; or" if changed else "To continue,"
            raise FailedDownload(
                f"{source.target} is missing, and its {len(parts)} parts join to other bytes than the known ones: git "
                f"blob id {blob}, expected {source.blob}. {what_to_do} put the file at {path}."
            )


def _remove_empty_folders(folder: Path, root: Path) -> None:
    """Removes the folders of a failed download: a folder without files looks like an available test."""
    with suppress(OSError):  # not empty
        while folder != root:
            folder.rmdir()
            folder = folder.parent


def _alone(root: Path) -> ExitStack:
    """Returns the lock of the data folder, held, once no other process fetches into it."""
    lock = FileLock(root / ".download.lock")
    try:
        return lock.acquire(timeout=0)
    except Timeout:
        _log.info("Another process fetches files into %s; waiting for it.", root)
        return lock.acquire()


def _is_no_file_of_data(path: Path) -> bool:
    """Says whether a server sent nothing, or a page of the web that says why there is no file."""
    with open(path, "rb") as file:
        start = file.read(64).lstrip().lower()
    return not start or start.startswith((b"<!doctype html", b"<html"))


def _fetch(
    source: PinnedFile | FirstFetchedFile, root: Path, address: str, path: Path, pause: Pause, clock: Clock
) -> None:
    """Downloads a file; if its bytes are wrong, removes it and downloads it once more.

    Of a file without a published digest, its own is kept, or compared with that of the first download.
    """
    if isinstance(source, FirstFetchedFile):
        source = with_first_fetch(root, source)
    _tell_terms(source.dataset, source.repository, terms_of(source.license))
    part = path.with_name(f"{path.name}.part")
    for _ in range(2):
        _bring(source, address, path, part, pause, clock)
        n_bytes, blob = part.stat().st_size, blob_id(part)
        if source.blob is None:
            _keep(source, root, address, path, part)
        if source.blob in (None, blob):
            with written_atomically(path) as neighbour:
                os.replace(part, neighbour)
            return
        part.unlink()
        _log.warning("What came from %s has blob id %s, not %s; it was discarded.", address, blob, source.blob)
    known = (
        f"those that were fetched first ({FETCHED}, where removing its line lets these in)"
        if isinstance(source, FirstFetchedFile)
        else "the published ones"
    )
    found = f"sends other bytes than {known}, twice: git blob id {blob}, {n_bytes:,} bytes read"
    raise FailedDownload(_failure(source, address, path, found))


def _keep(source: FirstFetchedFile, root: Path, address: str, path: Path, part: Path) -> None:
    """Records what was fetched first of a file, and says so."""
    n_bytes, blob = part.stat().st_size, blob_id(part)
    if _is_no_file_of_data(part):
        part.unlink()
        raise FailedDownload(_failure(source, address, path, "sends a page or nothing, not the file"))
    keep_first_fetch(root, source.target, blob, n_bytes)
    said = f"{source.target}: {n_bytes:,} bytes, git blob id {blob}; its publishers say neither"
    say(f"{said}. Kept in {root / FETCHED}: other bytes are refused from now on.", sys.stderr)


def _bring(
    source: PinnedFile | FirstFetchedFile, address: str, path: Path, part: Path, pause: Pause, clock: Clock
) -> None:
    for seconds in (*PAUSES_SECONDS, None):
        try:
            return resume(address, part, source.n_bytes, Pace(clock=clock))
        except TooSlow as error:
            reason = (
                f"is too slow: {error}. What was received is kept: the same command resumes there, also with a mirror"
            )
            raise FailedDownload(_failure(source, address, path, reason)) from error
        except TransferRefused as error:
            raise FailedDownload(_failure(source, address, path, f"refuses: {error}")) from error
        except Interrupted as error:
            if seconds is None:
                reason = f"could not be read in {len(PAUSES_SECONDS) + 1} attempts: {error}"
                raise FailedDownload(_failure(source, address, path, reason)) from error
            _log.info("%s: %s; trying again in %s s.", address, error, seconds)
            pause(seconds)
    return None


@cache
def _compare(path: Path, source: Published) -> None:
    """Warns, once in a process, of a file that is not the published one."""
    if source.blob is None:
        return
    found = blob_id(path)
    if found != source.blob:
        _log.warning(
            "%s is not the published file (git blob id %s, published %s); it is used as it is, so that numbers may "
            "differ from published ones.",
            path,
            found,
            source.blob,
        )


@cache
def _tell_terms(dataset: str, repository: str, terms: str) -> None:
    """Prints, once in a process, under which terms a collection was published."""
    say(f"Fetching {dataset} from {repository}. Licence: {terms}.", sys.stderr)


def _not_known(root: Path, target: str) -> str:
    if folder := next((place for place in (root / target, Path.cwd() / target) if place.is_dir()), None):
        return f"{folder} is a folder. Expected a file."
    if Path(target).is_absolute():
        return f"{target} is missing: there is no such file. Expected a path from the data folder, or an absolute one."
    return (
        f"{target} is missing: there is no file {root / target} and none at {Path.cwd() / target}, and it is not among "
        f"the published files that can be fetched. Put the file there, or name another data folder: paths.data=… (now "
        f"{root})."
    )


def _failure(source: PinnedFile | FirstFetchedFile, address: str, path: Path, reason: str) -> str:
    size = "" if source.n_bytes is None else f", {source.n_bytes:,} bytes"
    expected = "a file of data" if source.blob is None else f"git blob id {source.blob}{size}"
    return (
        f"{source.target} is missing, and {address} {reason}. Expected {expected}. "
        f"To do without the network, put the file at {path}; to fetch from elsewhere: paths.mirror=https://… "
        "(or POLYPROBE_MIRROR)."
    )


def blob_id(path: Path) -> str:
    """Returns the git blob id of a file: SHA-1 of `blob <bytes>`, a NUL and the content, 40 hexadecimal digits."""
    status = Path(path).stat()
    return _blob_id(Path(path), status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=4096)
def _blob_id(path: Path, n_bytes: int, modified_ns: int) -> str:
    """Reads a file once as long as its size and time of change are the same."""
    digest = hashlib.sha1(b"blob %d\0" % n_bytes, usedforsecurity=False)
    with open(path, "rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
