"""Writes a test in LINSPECTOR's layout, whole or not at all.

<test>/train.txt, dev.txt, test.txt     the rows
<test>/origin.jsonl                     for each row lemma, bundle and frequency rank
<test>/statistics.json                  what filters took, labels by split, overlap, trivial accuracies

`Source` is a file that tests are made from.
"""

import errno
import json
import os
import shutil
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polyprobe.formats.files.atomic import remove_left_overs
from polyprobe.formats.files.digest import file_digest, write_sealed
from polyprobe.formats.reading.lines import cells_to_line, write_lines

STATISTICS, ORIGIN = "statistics.json", "origin.jsonl"


@dataclass(frozen=True, slots=True)
class Source:
    """A file that tests are made from; licence and revision are "unknown" where nobody says them."""

    path: Path
    licence: str = "unknown"
    revision: str = "unknown"


def described(sources: Sequence[Source]) -> list[dict[str, str]]:
    """Says which files these are: name, digest, licence, revision."""
    return [
        {
            "file": source.path.name,
            "sha256": file_digest(source.path),
            "licence": source.licence,
            "revision": source.revision,
        }
        for source in sources
    ]


def write_test(
    folder: Path,
    rows: Mapping[str, Iterable[tuple[str, ...]]],
    origins: Iterable[Mapping[str, Any]],
    statistics: Mapping[str, Any],
) -> None:
    """Writes a test; one that was written there before is replaced.

    Args:
        rows: of each split: one form or two, and the label.
        origins: one for each row of all splits.
    """
    with folder_written_whole(folder) as neighbour:
        for split, of_split in rows.items():
            write_lines(map(cells_to_line, of_split), neighbour / f"{split}.txt")
        write_lines((json.dumps(one, ensure_ascii=False) for one in origins), neighbour / ORIGIN)
        write_sealed(neighbour / STATISTICS, statistics)


@contextmanager
def folder_written_whole(folder: Path) -> Iterator[Path]:
    """Returns a neighbour folder to write into; renames it to `folder` when the block ends well, removes it otherwise.

    Of two processes that write one folder, the later rename wins, whole. What a killed process left goes after an hour.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    remove_left_overs(folder.parent)
    neighbour = folder.with_name(f".{folder.name}.{uuid.uuid4().hex}.tmp")
    neighbour.mkdir()
    try:
        yield neighbour
        _move(neighbour, folder)
    finally:
        shutil.rmtree(neighbour, ignore_errors=True)


def _move(neighbour: Path, folder: Path) -> None:
    while True:
        try:
            os.rename(neighbour, folder)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
        else:
            return
        replaced = folder.with_name(f".{folder.name}.{uuid.uuid4().hex}.tmp")
        with suppress(FileNotFoundError):  # another process moved it first
            os.rename(folder, replaced)
            shutil.rmtree(replaced, ignore_errors=True)
