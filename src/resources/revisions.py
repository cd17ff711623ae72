"""What a run read, as its run.json says it: the sizes of vectors, and which published files its data are."""

import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from polyprobe.resources.download import blob_id
from polyprobe.resources.pinned_files import FirstFetchedFile, source_of, with_first_fetch
from polyprobe.runs.record.provenance import name_of
from polyprobe.runs.record.run_record import DamagedRun, read_run_record

_log = logging.getLogger(__name__)
_SETS = "sets"  # the folder of a run of generate.py that holds what it made


def sources(
    vectors: Mapping[str, Any], model: str | None, data: Mapping[str, Iterable[Path]], root: Path
) -> dict[str, Any]:
    """Returns the entry `sources` of run.json, plain values.

    Args:
        vectors: of an encoder or a predictor: `Encoder.provenance`.
        model: its name, or None.
        data: the files behind each test, or each file by its own name.

    Returns:
        {"vectors": {"model": …, "vocabulary": …}, "data": {"Case": "UKPLab/linspector 46a7cca…"}}; "" for data that are
        not the published ones or were never published. "made" has, of tests that runs of generate.py made, the digests
        of what they were made from, by the name of the run.
    """
    named = {"model": model} if model else {}
    found = {"vectors": {**named, **vectors}, "data": {name: revision(data[name], root) for name in data}}
    made = _made_from(path for files in data.values() for path in files)
    return {**found, "made": made} if made else found


def _made_from(files: Iterable[Path]) -> dict[str, dict[str, str]]:
    folders = dict.fromkeys(above.parent for file in files for above in file.absolute().parents if above.name == _SETS)
    found = {}
    for folder in folders:
        try:
            record = read_run_record(folder)
        except DamagedRun as error:
            _log.warning("What the tests were made from is not recorded: %s", error)
            continue
        if record:
            found[folder.name] = record.get("data", {})
    return found


def revision(files: Iterable[Path], root: Path) -> str:
    """Returns the repositories and commits of published files that have the same bytes; "" if one is no such file."""
    found = [_revision(path, root) for path in files]
    return "; ".join(dict.fromkeys(found)) if all(found) else ""


def _revision(path: Path, root: Path) -> str:
    source = source_of(name_of(path, root))
    if isinstance(source, FirstFetchedFile):
        source = with_first_fetch(root, source)
    return source.revision if source is not None and source.blob == blob_id(path) else ""
