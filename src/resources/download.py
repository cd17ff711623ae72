"""Downloads a published file where it is missing: pinned, checked, once; pooch brings it."""

import hashlib
import logging
import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from functools import cache, lru_cache
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import BinaryIO
from urllib.parse import urlsplit

import pooch
from filelock import Timeout

from polyprobe.display.shown import is_quiet, say
from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.atomic import remove_left_overs, written_atomically
from polyprobe.formats.files.locks import FileLock
from polyprobe.formats.reading.lines import write_lines
from polyprobe.resources.assembled import RULES
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

ATTEMPTS = 5
_WORTH_ANOTHER_TRY = {408, 425, 429, 500, 502, 503, 504}
_LONGEST_REASON = 300  # characters of what a server says
_UNFINISHED = ".download-"
_DEFAULT_ROOT = Path("data")  # of paths.data: the one folder that is made where it is missing
_CHUNK = 1 << 20
_log = logging.getLogger(__name__)
pooch.get_logger().setLevel(logging.WARNING)  # else a line for each of hundreds of parts


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


def ensure(root: Path, target: str, base_url: str | None) -> Path:
    """Returns the path of `target`, see `place_of`, after fetching the file into the data folder if it is missing.

    An existing file is used unchanged; if its blob id is not the published one, one warning says so.

    Args:
        target: the file's path, as for `place_of`.
        base_url: where to fetch from; None: `base_url_of`.

    Raises:
        MissingFile: the file is missing and the table of published files does not have it.
        FailedDownload: it could not be fetched, has other bytes than the published one, or cannot be written.
    """
    check_known(root, target)
    source = source_of(target)
    return ensure_published(root, source, base_url) if source else place_of(Path(root), target)


def check_known(root: Path, target: str) -> None:
    """Checks that a file is there or that it is known where to fetch it from, see `ensure`; nothing is fetched.

    Raises:
        MissingFile: it is neither.
    """
    if source_of(target) is None and not place_of(Path(root), target).is_file():
        raise MissingFile(_not_known(root, target))


def ensure_published(root: Path, source: Published, base_url: str | None) -> Path:
    """Returns the path of a published file in the data folder, after fetching it, or making it of its parts.

    An existing file is used as by `ensure`, whose other arguments these are. Of a file whose publishers say no digest,
    that of the first download is printed and kept in the data folder; a later download has to have the same.

    Raises:
        MissingFile: it is missing, and so is the data folder, which is not the default one.
        FailedDownload: as by `ensure`; also if the parts join to other bytes than those of the table.
    """
    root, path = Path(root), Path(root) / source.target
    if isinstance(source, FirstFetchedFile):
        source = with_first_fetch(root, source)
    if path.is_file():
        _compare(path, source)
        return path
    if root != _DEFAULT_ROOT and not root.is_dir():
        raise MissingFile(f"paths.data={root}: there is no such folder (paths.data, or POLYPROBE_DATA).")
    base_url = base_url_of(base_url)
    parts = _parts(root, source, base_url) if isinstance(source, AssembledFile) else []
    try:
        root.mkdir(exist_ok=True)
        with _alone(root):
            if not path.is_file():  # else another process has fetched it meanwhile
                _make(root, source, base_url, parts)
    except OSError as error:
        raise FailedDownload(f"{path} cannot be written: {error.strerror or error}.") from error
    return path


def _parts(root: Path, source: AssembledFile, base_url: str) -> list[Path]:
    try:
        return [ensure_published(root, part, base_url) for part in source.parts]
    except FailedDownload as error:
        whole = f"It is one of {len(source.parts)} parts; alternatively, put the whole file at {root / source.target}."
        raise FailedDownload(f"{error} {whole}") from error


def _alone(root: Path) -> ExitStack:
    """Returns the lock of the data folder, held, once no other process fetches into it."""
    lock = FileLock(root / ".download.lock")
    try:
        return lock.acquire(timeout=0)
    except Timeout:
        _log.info("Another process fetches files into %s; waiting for it.", root)
        return lock.acquire()


def _make(root: Path, source: Published, base_url: str, parts: Sequence[Path]) -> None:
    """Makes a file in a folder of its own, and moves it to its place once its bytes are the right ones."""
    path = root / source.target
    remove_left_overs(root, f"{_UNFINISHED}*")
    with TemporaryDirectory(prefix=_UNFINISHED, dir=root) as folder:
        made = Path(folder) / path.name
        if isinstance(source, AssembledFile):
            _log.info("Joining %d files to %s.", len(parts), path)
            write_lines(RULES[source.rule](parts), made)
            if blob_id(made) != source.blob:
                changed = [
                    str(one) for one, known in zip(parts, source.parts, strict=True) if blob_id(one) != known.blob
                ]
                found = f"its {len(parts)} parts join to other bytes: git blob id {blob_id(made)}, not {source.blob}"
                what_to_do = f"Remove {', '.join(changed)} to download the published ones, or put the file at {path}."
                raise FailedDownload(f"{source.target} is missing, and {found}. {what_to_do}")
        else:
            _tell_terms(source.dataset, source.repository, terms_of(source.license))
            address = source.address(base_url)
            _fetch(source, address, made, path)
            _check_fetched(root, source, address, made, path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with written_atomically(path) as neighbour:
            copyfile(made, neighbour)  # not renamed: pooch makes files that their owner alone can read


def _fetch(source: PinnedFile | FirstFetchedFile, address: str, made: Path, path: Path) -> None:
    """Downloads a file to `made`, in several attempts where the connection breaks off or the server is busy.

    Args:
        path: where it belongs, for messages.
    """
    bring = pooch.HTTPDownloader(not is_quiet() and sys.stderr.isatty(), headers={"Accept-Encoding": "identity"})

    def download(address: str, output_file: str, of: pooch.Pooch) -> None:
        try:
            with open(output_file, "wb") as file:
                bring(address, file if source.n_bytes is None else _Limited(file, source.n_bytes), of)
        except _TooLong as error:
            reason = f"sends more than {source.n_bytes:,} bytes"
            raise FailedDownload(_failure(source, address, path, reason)) from error
        except OSError as error:
            if _is_unreachable(error):
                raise FailedDownload(_unreachable(source, address, path)) from error
            response = getattr(error, "response", None)
            if response is None or response.status_code in _WORTH_ANOTHER_TRY:
                raise
            reason = f"refuses: {response.status_code} {response.reason}"[:_LONGEST_REASON]
            raise FailedDownload(_failure(source, address, path, reason)) from error

    folder = pooch.create(
        made.parent, base_url="", registry={made.name: None}, urls={made.name: address}, retry_if_failed=ATTEMPTS - 1
    )
    try:
        folder.fetch(made.name, downloader=download)
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno is not None:  # of the disk: those of connections have none
            raise
        reason = f"could not be read in {ATTEMPTS} attempts: {str(error)[:_LONGEST_REASON]}"
        raise FailedDownload(_failure(source, address, path, reason)) from error


class _TooLong(Exception):
    """A server sends more than the bytes of the published file."""


class _Limited:
    """An open file that accepts no more than `n_bytes`: a server may go on until the disk is full."""

    def __init__(self, file: BinaryIO, n_bytes: int):
        self.file, self.n_left, self.flush = file, n_bytes, file.flush

    def write(self, chunk: bytes) -> int:
        self.n_left -= len(chunk)
        if self.n_left < 0:
            raise _TooLong
        return self.file.write(chunk)


def _is_unreachable(error: OSError) -> bool:
    """Says whether a host's name has no address, or its port refuses: neither changes within seconds."""
    reason = getattr(error.args[0] if error.args else None, "reason", None)  # of urllib3, which requests wraps
    reason = getattr(reason, "original_error", reason)  # of a proxy
    return type(reason).__name__ in ("NameResolutionError", "NewConnectionError")


def _check_fetched(root: Path, source: PinnedFile | FirstFetchedFile, address: str, made: Path, path: Path) -> None:
    """Refuses other bytes than the published ones; of a file without a digest, keeps that of the first download."""
    n_bytes, blob = made.stat().st_size, blob_id(made)
    if source.blob is None:
        if _is_no_file_of_data(made):
            raise FailedDownload(_failure(source, address, path, "sends a page or nothing, not the file"))
        keep_first_fetch(root, source.target, blob, n_bytes)
        said = f"{source.target}: {n_bytes:,} bytes, git blob id {blob}; its publishers say neither"
        say(f"{said}. Kept in {root / FETCHED}: other bytes are refused from now on.", sys.stderr)
    elif source.blob != blob:
        known = (
            f"those that were fetched first ({FETCHED}, where removing its line lets these in)"
            if isinstance(source, FirstFetchedFile)
            else "the published ones"
        )
        found = f"sends other bytes than {known}: git blob id {blob}, {n_bytes:,} bytes"
        raise FailedDownload(_failure(source, address, path, found))


def _is_no_file_of_data(path: Path) -> bool:
    """Says whether a server sent nothing, or a page of the web that says why there is no file."""
    with open(path, "rb") as file:
        start = file.read(64).lstrip().lower()
    return not start or start.startswith((b"<!doctype html", b"<html"))


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


def _unreachable(source: PinnedFile | FirstFetchedFile, address: str, path: Path) -> str:
    missing = f"{source.target} is missing, and {urlsplit(address).netloc} cannot be reached (offline?)"
    return f"{missing}. Put it at {path}, or set paths.mirror=https://… (or POLYPROBE_MIRROR)."


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
