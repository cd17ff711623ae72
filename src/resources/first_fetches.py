"""What was fetched first of files whose publishers say no digest: kept in the data folder, beside them.

fetched.tsv     target, git blob id, bytes
"""

import re
from dataclasses import replace
from pathlib import Path

from src.errors import MalformedLine
from src.formats.reading.lines import cells_to_line, numbered_lines, write_lines
from src.resources.pinned_files import FirstFetchedFile

NAME = "fetched.tsv"
_HEADER = ("target", "blob", "bytes")
_BLOB = re.compile(r"[0-9a-f]{40}")
_EXPECTED = (
    "target, git blob id (40 hexadecimal digits) and bytes, with tabs between; remove the line to fetch the file anew"
)


def with_first_fetch(root: Path, source: FirstFetchedFile) -> FirstFetchedFile:
    """Returns a file with digest and size of what was fetched of it first, or as it is where nothing was."""
    found = _read(root).get(source.target)
    return source if found is None else replace(source, blob=found[0], n_bytes=found[1])


def keep_first_fetch(root: Path, target: str, blob: str, n_bytes: int) -> None:
    """Records what was fetched; called by one process at a time."""
    kept = {**_read(root), target: (blob, n_bytes)}
    rows = [_HEADER, *((name, blob, str(size)) for name, (blob, size) in sorted(kept.items()))]
    write_lines(map(cells_to_line, rows), root / NAME)


def _read(root: Path) -> dict[str, tuple[str, int]]:
    path = root / NAME
    if not path.is_file():
        return {}
    rows = [_row(path, number, line) for number, line in numbered_lines(path) if number > 1]
    return {target: (blob, size) for target, blob, size in rows}


def _row(path: Path, number: int, line: str) -> tuple[str, str, int]:
    cells = line.split("\t")
    if len(cells) != len(_HEADER) or not _BLOB.fullmatch(cells[1]) or not cells[2].isdecimal():
        raise MalformedLine(path, number, f'the line is "{line}"', _EXPECTED)
    return cells[0], cells[1], int(cells[2])
