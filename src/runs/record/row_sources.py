"""What a result row rests on, in a line: its column `sources`, from the entry `sources` of run.json."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from src.runs.results import ResultRow

COPIED = "downstream"  # the stage of rows that a probing run copies from the training that it probed
_NAMED_ELSEWHERE = ("model", "files")  # of vectors: the model has a column, files are said by their digest
_DIGITS = 12  # of digests and commits


def with_sources(row: ResultRow, sources: Mapping[str, Any], digests: Mapping[str, str]) -> ResultRow:
    """Returns a row that says what it rests on: "vocabulary=200000 width=300 files=1a2b3c4d5e6f data=UKPLab/… ".

    A digest is that of the one file, or the SHA-256 of all sorted digests, joined; both by their first 12 digits.

    Args:
        row: kept as it is if it was copied from another run or says so itself.
        sources: see `src.resources.revisions.sources`.
        digests: of the data, by the names that run.json has under `data`.
    """
    if row.stage == COPIED or row.sources is not None:
        return row
    vectors = sources.get("vectors", {})
    sizes = {name: value for name, value in vectors.items() if name not in _NAMED_ELSEWHERE and value is not None}
    made = [digest for of_run in sources.get("made", {}).values() for digest in of_run.values()]
    parts = {
        **sizes,
        "files": _joined(_of_epoch(vectors.get("files", {}), row.epoch)),
        "data": _data(sources.get("data", {}), digests, row.test),
        "made_from": _joined(made),
    }
    return replace(row, sources=" ".join(f"{name}={value}" for name, value in parts.items() if value) or None)


def _of_epoch(files: Mapping[str, str], epoch: int | None) -> Iterable[str]:
    """Returns the digests of the checkpoint of an epoch, which begins their names; of all files where none has one."""
    return [digest for name, digest in files.items() if name.startswith(f"{epoch}/")] or files.values()


def _data(revisions: Mapping[str, str], digests: Mapping[str, str], test: str) -> str:
    own = {test: revisions[test]} if test in revisions else revisions
    published = dict.fromkeys(one for found in own.values() for one in found.split("; ") if found)
    unpublished = [name for name, found in own.items() if not found]
    names = ([test] if test in digests else [name for name in unpublished if name in digests]) if unpublished else []
    named = [re.sub(rf" (\S{{1,{_DIGITS}}})\S*$", r"@\1", one) for one in published]
    return "+".join(filter(None, [*named, _joined(digests[name] for name in names)]))


def _joined(digests: Iterable[str]) -> str:
    found = sorted(digests)
    if len(found) < 2:
        return "".join(found)[:_DIGITS]
    return hashlib.sha256("".join(found).encode()).hexdigest()[:_DIGITS]
