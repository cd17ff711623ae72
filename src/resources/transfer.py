"""One try at bringing a file over HTTP into its `.part` neighbour, from where the try before left off.

Files that are published in parts are made of them by the rules that the table `assembled.tsv` names.
"""

import gzip
import os
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
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

from polyprobe.display.progress import watched_transfer
from polyprobe.errors import MalformedLine, PolyprobeError
from polyprobe.formats.reading.lines import numbered_bytes, text_of
from polyprobe.resources.pace import Pace

_BLANKS = re.compile(r"[ \t]+")
_COLUMNS = 3
TIMEOUT_SECONDS = 30.0
_CHUNK = 1 << 16
_TOO_LARGE = 1 << 32
_LONGEST_REASON = 200  # characters of what a server says
_WORTH_ANOTHER_TRY = {408, 425, 429, 500, 502, 503, 504}
_NO_SUCH_RANGE = 416


def unpacked_lines(parts: Sequence[Path]) -> Iterator[str]:
    """Yields the lines of packed files one after the other, without their line feeds."""
    for part in parts:
        try:
            with gzip.open(part, "rb") as file:
                for line in file:
                    yield line.decode("utf-8").removesuffix("\n")
        except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
            raise PolyprobeError(f"{part} cannot be unpacked: {error}. Expected text in UTF-8, by gzip.") from error


def joined_trees(parts: Sequence[Path]) -> Iterator[str]:
    """Writes each tree in a line, after the name of its document, which is that of its file without the ending.

        (ROOT                               GUM_news_asylum <tab> (ROOT (NP (NNP Asylum)))
          (NP (NNP Asylum)))

    Blanks and ends of lines between brackets and words become one blank each; words and brackets stay as they are.

    Yields:
        `document TAB tree`, without line feeds, in the order of the parts.
    """
    for part in parts:
        for tree in _trees(part):
            yield f"{part.stem}\t{tree}"


def _trees(part: Path) -> Iterator[str]:
    number, lines, n_open = 0, [], 0
    for number, content in numbered_bytes(part):
        line = _BLANKS.sub(" ", text_of(part, number, content)).strip(" ")
        if not line:
            continue
        lines.append(line)
        n_open += line.count("(") - line.count(")")
        if n_open < 0:
            raise MalformedLine(part, number, "more brackets are closed than are open", "trees in brackets")
        if n_open == 0:
            yield " ".join(lines)
            lines = []
    if lines:
        raise MalformedLine(
            part, number, f"the file ends with {n_open} brackets open", "as many closing as opening ones"
        )


def joined_inflections(parts: Sequence[Path]) -> Iterator[str]:
    """Joins the rows of three columns of all files; others, such as forms that were to be guessed, are passed over.

    Rows with the same lemma, form and set of labels are one. A set of labels is written in its most frequent order,
    counted over all rows; of equally frequent ones in the smallest. Lines are sorted by their characters.

    Yields:
        `lemma TAB form TAB labels`, without line feeds.
    """
    rows = [row for part in parts for row in _rows(part)]
    orders: dict[frozenset[str], Counter[str]] = defaultdict(Counter)
    for _, _, bundle in rows:
        orders[frozenset(bundle.split(";"))][bundle] += 1
    usual = {labels: min(counts, key=lambda one: (-counts[one], one)) for labels, counts in orders.items()}
    yield from sorted({f"{lemma}\t{form}\t{usual[frozenset(bundle.split(';'))]}" for lemma, form, bundle in rows})


def _rows(part: Path) -> Iterator[list[str]]:
    for number, line in numbered_bytes(part):
        cells = text_of(part, number, line).split("\t")
        if len(cells) == _COLUMNS:
            yield cells


RULES: Mapping[str, Callable[[Sequence[Path]], Iterator[str]]] = {
    "joined_inflections": joined_inflections,
    "joined_trees": joined_trees,
    "unpacked": unpacked_lines,
}
"""Each returns the lines of the file, without line feeds."""


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
