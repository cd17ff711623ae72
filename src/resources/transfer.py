"""One try at bringing a file over HTTP into its `.part` neighbour, from where the try before left off."""

import os
import re
from collections.abc import Iterator
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
    UnknownHandler,
)

from src.display.progress import watched_transfer
from src.resources.pace import Pace

TIMEOUT_SECONDS = 30.0
_CHUNK = 1 << 16
_TOO_LARGE = 1 << 32
_LONGEST_REASON = 200  # characters of what a server says
_WORTH_ANOTHER_TRY = {408, 425, 429, 500, 502, 503, 504}
_NO_SUCH_RANGE = 416


class Interrupted(Exception):
    """The transfer broke off or the server is busy: worth another try."""


class TransferRefused(Exception):
    """The server has no such file, or sends us somewhere we do not go: no use in trying again."""


def resume(address: str, part: Path, n_bytes: int | None, pace: Pace) -> None:
    """Brings what is missing of a file.

    Args:
        address: of the file, http or https.
        part: what is there of it already, or nothing; grows by what comes.
        n_bytes: the size of the whole; at most one byte more is read. None: as the server announces.
        pace: gives the server up where it is too slow.

    Raises:
        TooSlow: it is; what came is kept.
        Interrupted: the connection fails or ends early; what came is kept.
        TransferRefused: the server refuses for good.
    """
    done = part.stat().st_size if part.exists() else 0
    if n_bytes is not None and done >= n_bytes:
        return
    with _answer(address, part, done) as response:
        start = _start(response, done)
        announced = _announced(response, start)
        with open(part, "r+b" if start else "wb") as file:
            file.seek(start)
            with watched_transfer(part.stem, n_bytes or announced, start) as progress:
                for chunk in _chunks(response, (n_bytes or announced or _TOO_LARGE) + 1 - start):
                    file.write(chunk)
                    progress.advance(len(chunk))
                    pace.advance(len(chunk))
            file.flush()
            os.fsync(file.fileno())
    _check_end(part, n_bytes or announced)


def _answer(address: str, part: Path, done: int) -> HTTPResponse:
    request = Request(address, headers={"Range": f"bytes={done}-"} if done else {})
    try:
        return _opener().open(request, timeout=TIMEOUT_SECONDS)
    except HTTPError as error:
        with error:
            reason = f"{error.code} {str(error.reason)[:_LONGEST_REASON]}"
        if error.code == _NO_SUCH_RANGE:
            part.unlink(missing_ok=True)
        if error.code in _WORTH_ANOTHER_TRY | {_NO_SUCH_RANGE}:
            raise Interrupted(reason) from error
        raise TransferRefused(reason) from error
    except (OSError, HTTPException) as error:
        raise Interrupted(str(getattr(error, "reason", error))[:_LONGEST_REASON]) from error


def _opener() -> OpenerDirector:
    """Returns an opener that knows http and https and nothing else: no file:, no ftp:, wherever a server sends us."""
    opener = OpenerDirector()
    for handler in (
        ProxyHandler,
        HTTPHandler,
        HTTPSHandler,
        HTTPRedirectHandler,
        HTTPDefaultErrorHandler,
        HTTPErrorProcessor,
        UnknownHandler,
    ):
        opener.add_handler(handler())
    return opener


def _start(response: HTTPResponse, done: int) -> int:
    """Returns the place of the first byte that comes: 0 where the server pays no heed to the range."""
    if response.status != 206:
        return 0
    given = re.match(r"bytes (\d+)-", response.headers.get("Content-Range", ""))
    if given is None or int(given[1]) != done:
        raise TransferRefused(f"bytes from {done} on were requested and the server answered with others")
    return done


def _announced(response: HTTPResponse, start: int) -> int | None:
    length = response.headers.get("Content-Length")
    return start + int(length) if length and length.isdigit() else None


def _chunks(response: HTTPResponse, limit: int) -> Iterator[bytes]:
    """Reads to the end, but never more than `limit` bytes."""
    while limit > 0:
        try:
            chunk = response.read1(min(_CHUNK, limit))
        except (OSError, HTTPException) as error:
            raise Interrupted(str(error)) from error
        if not chunk:
            return
        limit -= len(chunk)
        yield chunk


def _check_end(part: Path, n_bytes: int | None) -> None:
    found = part.stat().st_size
    if n_bytes is not None and found < n_bytes:
        raise Interrupted(f"the transfer ended after {found:,} of {n_bytes:,} bytes")
